"""Several servers with one model: who is up, whose turn it is, when the next try is worth it."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from weakref import WeakValueDictionary

import httpx

from bowerbird.inference.generator import InferenceError, ServerUnreachable
from bowerbird.inference.keys import key_for
from bowerbird.inference.llama_http import LlamaHttp
from bowerbird.inference.llama_writing import Connection
from bowerbird.inference.loaded import LoadedModel
from bowerbird.inference.remote_address import Address
from bowerbird.inference.remote_client import NotServed, open_client
from bowerbird.inference.remote_forms import Served, served_models
from bowerbird.inference.remote_openai import OpenAIHttp
from bowerbird.inference.turns import Turns
from bowerbird.settings import RemoteSettings

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
REQUESTS_AT_ONCE = 8
CHECK_AFTER_S = 20.0  # an idle server may have died; who has others finds out before it matters
LLAMA_SERVER = "llamacpp"

_queues: WeakValueDictionary[str, Turns] = WeakValueDictionary()
"""By URL, as long as somebody here uses them: the model that generates may be the one that completes."""


class Endpoint:
    """One server of the user's list."""

    def __init__(self, address: Address, settings: RemoteSettings) -> None:
        self.address = address
        self.connection: Connection | None = None
        """There while it is up."""
        self.loaded: LoadedModel | None = None
        self.turns = _queues.setdefault(address.url, Turns())
        """At that server, for all who ask it from here."""
        self.busy = 0
        """Generations on their way."""
        self.problem = ""
        self._settings = settings
        self._failures = 0
        self._next_try = 0.0
        self._seen_at = 0.0

    @property
    def unsure(self) -> bool:
        """Up when it was last looked at, which is a while ago?"""
        idle_s = time.monotonic() - self._seen_at
        return self.connection is not None and not self.busy and idle_s > CHECK_AFTER_S

    async def check(self) -> None:
        """Look whether it is still up."""
        self.saw()
        connection = self.connection
        if connection is not None and not await connection.healthy() and connection is self.connection:
            await self.fail(ServerUnreachable(f"The server at {self.address.url} does not answer."))

    def saw(self) -> None:
        """It has answered just now."""
        self._seen_at = time.monotonic()

    @property
    def due(self) -> bool:
        """Down, and time for another try?"""
        return self.connection is None and time.monotonic() >= self._next_try

    async def connect(self, wanted_context_tokens: int) -> LoadedModel:
        """Ask what it serves; then it is up. Raises `InferenceError`."""
        address = self.address
        key = await asyncio.to_thread(key_for, address.url, self._settings.api_key_env)
        if key and not address.is_private:
            raise NotServed(
                f"{address.url} is no https address, so its key would be sent unprotected; nothing is sent."
            )
        connection = await _open(address, self._settings, key)
        try:
            loaded = await connection.describe(wanted_context_tokens)
        except BaseException:
            await connection.close()
            raise
        if not address.is_private:
            note = f"What is sent to {address.host} can be read on the way: it is no https address."
            loaded = replace(loaded, notes=(*loaded.notes, note))
        await self.disconnect()
        self.connection, self.loaded = connection, loaded
        self.turns.places = connection.places
        self.problem, self._failures = "", 0
        self.saw()
        return loaded

    async def fail(self, error: InferenceError) -> None:
        """It is down for now; the pause before the next try grows, and is never the same for two editors."""
        self.problem = str(error)
        pause_s = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2**self._failures)
        self._failures += 1
        self._next_try = time.monotonic() + jittered(pause_s)
        await self.disconnect()

    async def disconnect(self) -> None:
        """Can be called twice."""
        connection, self.connection = self.connection, None
        if connection is not None:
            await connection.close()


def jittered(seconds: float) -> float:
    """Around `seconds`, so that many editors do not all come back at once."""
    return seconds * random.uniform(0.5, 1.5)


def whose_turn(
    endpoints: Sequence[Endpoint], last: Endpoint | None, avoid: Collection[Endpoint] = ()
) -> Endpoint | None:
    """The least crowded one; among equals the `last`, whose cache holds the prompt's beginning."""
    up = [one for one in endpoints if one.connection is not None and one not in avoid]
    return min(up, key=lambda one: (one.turns.crowding, one is not last), default=None)


def is_same_model(one: LoadedModel, other: LoadedModel) -> bool:
    """Can a prompt for the one be given to the other?"""
    ours, theirs = one.template, other.template
    return (one.name, ours.family.name, ours.ids, ours.bos, ours.lead, one.vocabulary_tokens) == (
        other.name,
        theirs.family.name,
        theirs.ids,
        theirs.bos,
        theirs.lead,
        other.vocabulary_tokens,
    )


async def _open(address: Address, settings: RemoteSettings, key: str) -> Connection:
    """Find out what kind of server it is, and which model is meant."""
    silence_s = settings.timeout_ms / 1000
    who = f"The server at {address.url}"
    client = open_client(address.url, key, silence_s, REQUESTS_AT_ONCE)
    try:
        served = await _meant(client, address.model, who)
    except BaseException:
        await client.aclose()
        raise
    if served.owner != LLAMA_SERVER:
        return OpenAIHttp(client, who, served, settings.fim)
    await client.aclose()
    return LlamaHttp(address.url, key, silence_s)


async def _meant(client: httpx.AsyncClient, name: str, who: str) -> Served:
    """The model that the address names, else the first."""
    try:
        models = await served_models(client, who)
    except NotServed as error:
        if not name or error.status != httpx.codes.NOT_FOUND:
            raise
        return Served(name, "", 0)  # some gateways list nothing
    tests: tuple[Callable[[str], bool], ...] = (
        lambda one: not name or one == name,
        lambda one: one.lower() == name.lower(),
        lambda one: one.lower().rpartition("/")[2] == name.lower(),
    )
    for fits in tests:
        if found := next((one for one in models if fits(one.name)), None):
            return found
    there = ", ".join(one.name for one in models) or "none"
    raise NotServed(
        f"{who} serves no model {name!r}; there are: {there}." if name else f"{who} serves no model."
    )
