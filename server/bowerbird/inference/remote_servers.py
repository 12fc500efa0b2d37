"""The servers of one setting as one: asked in turn, left out while they are down, tried again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import TypeVar

from bowerbird.inference.generator import InferenceError, Prompt, ServerUnreachable, Token
from bowerbird.inference.llama_writing import Connection, Writing, write
from bowerbird.inference.loaded import LoadedModel
from bowerbird.inference.remote_address import Address
from bowerbird.inference.remote_client import NotServed, ServerBusy
from bowerbird.inference.remote_pool import Endpoint, is_same_model, jittered, whose_turn
from bowerbird.inference.token_cache import TokenCache
from bowerbird.inference.turns import until_wanted
from bowerbird.settings import RemoteSettings

RETRY_PAUSE_S = 0.1
LONGEST_WAIT_S = 2.0  # nobody waits longer for a completion, whatever a server asks for

Answer = TypeVar("Answer")


class Servers:
    """Servers with the same model. Asks nobody before `wake`."""

    def __init__(self, addresses: Sequence[Address], settings: RemoteSettings, context_tokens: int) -> None:
        """`context_tokens` is the user's wish, 0 for none."""
        self.endpoints = [Endpoint(address, settings) for address in addresses]
        self.model: LoadedModel | None = None
        """What those that are up serve."""
        self.cache: TokenCache | None = None
        """Ids of texts by that model; None where texts are counted without asking a server."""
        self._settings = settings
        self._context_tokens = context_tokens
        self._last: Endpoint | None = None
        self._probes: dict[Endpoint, asyncio.Task[None]] = {}
        self._checks: set[asyncio.Task[None]] = set()

    @property
    def up(self) -> bool:
        return any(one.connection is not None for one in self.endpoints)

    @property
    def busy(self) -> bool:
        return any(one.busy for one in self.endpoints)

    @property
    def connecting(self) -> bool:
        return bool(self._probes)

    @property
    def hosts(self) -> str:
        return ", ".join(one.address.host for one in self.endpoints)

    @property
    def problem(self) -> str:
        """Why those that are down are down."""
        return " ".join(dict.fromkeys(one.problem for one in self.endpoints if one.problem))

    def wake(self) -> None:
        """Begin to look at those that are down, where it is time to, and at those that were idle for long."""
        for endpoint in self.endpoints:
            if endpoint.due and endpoint not in self._probes:
                self._probes[endpoint] = asyncio.create_task(self._probe(endpoint))
            elif endpoint.unsure and len(self.endpoints) > 1:
                check = asyncio.create_task(endpoint.check())
                self._checks.add(check)
                check.add_done_callback(self._checks.discard)

    async def first(self) -> None:
        """Wait until one is up, or none is to be expected. Who leaves does not stop the others' looking."""
        while not self.up and self._probes:
            await asyncio.wait(self._probes.values(), return_when=asyncio.FIRST_COMPLETED)

    async def close(self) -> None:
        """Leave them all. Can be called twice."""
        tasks = [*self._probes.values(), *self._checks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._probes.clear()
        for endpoint in self.endpoints:
            await endpoint.disconnect()

    async def generate(self, prompt: Prompt) -> AsyncGenerator[Token, None]:
        """By one of them, when it has the time; begun anew at another where nothing has come yet.

        Whoever is more urgent comes first, and what is less so makes way where it can be gone on with.
        Raises `InferenceError`.
        """
        tried: set[Endpoint] = set()
        attempt, wait_s, begun, over = 0, 0.0, False, False
        writing: Writing | None = None
        while attempt <= self._settings.max_retries and (endpoint := self._next(tried)) is not None:
            makes_way = _makes_way(endpoint, prompt)
            async with endpoint.turns.turn(prompt.priority, makes_way) as use:
                if endpoint.connection is None:
                    continue  # it went down while we waited
                if makes_way and writing is None:
                    writing = Writing(prompt)
                endpoint.busy += 1
                try:
                    async with (
                        aclosing(write(endpoint.connection, prompt, writing)) as whole,
                        aclosing(until_wanted(whole, use) if makes_way else whole) as stream,
                    ):
                        async for token in stream:
                            begun = begun or bool(token.text)
                            over = token.usage is not None
                            yield token
                    endpoint.saw()
                    if over:
                        return
                    continue  # it made way, and queues again to go on
                except ServerUnreachable as error:
                    wait_s = await self._after(endpoint, error, tried, attempt, begun)
                finally:
                    endpoint.busy -= 1
            attempt, writing = attempt + 1, None
            await asyncio.sleep(wait_s)
        raise ServerUnreachable(self.problem)

    async def asked(self, question: Callable[[Connection], Awaitable[Answer]]) -> Answer:
        """The answer of one of those that are up; raises `InferenceError`."""
        tried: set[Endpoint] = set()
        for attempt in range(1 + self._settings.max_retries):
            endpoint = self._next(tried)
            if endpoint is None or endpoint.connection is None:
                break
            try:
                return await question(endpoint.connection)
            except ServerUnreachable as error:
                wait_s = await self._after(endpoint, error, tried, attempt, begun=False)
            await asyncio.sleep(wait_s)
        raise ServerUnreachable(self.problem)

    def _next(self, tried: set[Endpoint]) -> Endpoint | None:
        """Another server than those that failed, else one of them again, if it is still up."""
        chosen = whose_turn(self.endpoints, self._last, tried) or whose_turn(self.endpoints, self._last)
        self._last = chosen or self._last
        return chosen

    async def _after(
        self, endpoint: Endpoint, error: ServerUnreachable, tried: set[Endpoint], attempt: int, begun: bool
    ) -> float:
        """How long to wait before the next try; raises the error where there should be none.

        A server that breaks a connection gets a second chance if there is no other: it may have closed one
        that was idle.
        """
        others = any(one.connection is not None for one in self.endpoints if one not in {*tried, endpoint})
        again = endpoint not in tried and not others and not isinstance(error, NotServed)
        tried.add(endpoint)
        busy = isinstance(error, ServerBusy)
        wait_s = error.wait_s if isinstance(error, ServerBusy) else 0.0
        over = begun or attempt == self._settings.max_retries
        if over or (not others and wait_s > LONGEST_WAIT_S):
            await endpoint.fail(error)
            raise error
        if not busy and not again:
            await endpoint.fail(error)
        if others:
            return 0.0
        return max(wait_s, jittered(RETRY_PAUSE_S * 2**attempt)) if again or busy else 0.0

    async def _probe(self, endpoint: Endpoint) -> None:
        """Is it up, with the model that the others have?"""
        try:
            loaded = await endpoint.connect(self._context_tokens)
            others = [one for one in self.endpoints if one is not endpoint and one.connection is not None]
            if others and self.model is not None and not is_same_model(self.model, loaded):
                raise NotServed(
                    f"{endpoint.address.url} serves {loaded.name}, the others serve {self.model.name}; "
                    "servers that share the work need the same model, so it is left out."
                )
            if self.model is None or not is_same_model(self.model, loaded):
                counts_here = endpoint.connection is None or endpoint.connection.counts_here
                self.cache = None if counts_here else TokenCache()
            self.model = loaded
        except InferenceError as error:
            await endpoint.fail(error)
        except Exception as error:  # a server may answer anything; ours must go on
            await endpoint.fail(NotServed(f"{endpoint.address.url} answers strangely: {error!r}."))
        finally:
            self._probes.pop(endpoint, None)


def _makes_way(endpoint: Endpoint, prompt: Prompt) -> bool:
    """Could this be broken off there, and gone on with?"""
    chosen = prompt.grammar or prompt.first_choice
    return endpoint.connection is not None and endpoint.connection.goes_on and not chosen
