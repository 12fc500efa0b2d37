"""The engine on servers that the user names: llama-server, vLLM, Ollama, LM Studio, gateways; one or several.

What is sent was masked before (`knowledge.secrets`). Where no server answers, the built-in model stands in,
and the servers are tried again, in growing pauses, whenever somebody asks for a completion.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Protocol

from bowerbird.inference.chat import Said, Turn
from bowerbird.inference.generator import (
    Chat,
    InferenceError,
    ModelChanged,
    Prompt,
    Scorer,
    ServerUnreachable,
    Token,
    Tokenizer,
)
from bowerbird.inference.llama_writing import score
from bowerbird.inference.loaded import EngineState, LoadedModel
from bowerbird.inference.remote_address import parse_addresses
from bowerbird.inference.remote_servers import Servers
from bowerbird.inference.remote_standby import is_moved, moved, moved_back, standing_in
from bowerbird.knowledge.secrets import redact
from bowerbird.settings import RemoteSettings

MEANWHILE = "The built-in model stands in meanwhile."


class Standby(Tokenizer, Scorer, Chat, Protocol):
    """The model that stands in."""

    async def load(self) -> LoadedModel: ...

    def generate(self, prompt: Prompt) -> AsyncGenerator[Token, None]: ...

    async def close(self) -> None: ...


class RemoteEngine:
    """Generator, Tokenizer, Scorer and Chat. Asks nobody but the servers that it was given."""

    def __init__(
        self, setting: str, settings: RemoteSettings, context_tokens: int = 0, standby: Standby | None = None
    ) -> None:
        """Asks nobody yet. `setting` has the addresses, `context_tokens` the user's wish, 0 for none."""
        self.settings = settings
        self.problem = ""
        self._setting = setting
        self._context_tokens = context_tokens
        self._servers: Servers | None = None
        """None before the first use, and where the addresses are none."""
        self._standby = standby
        self._stands_in = False
        self._standing = 0
        """Generations of the model that stands in."""
        self._retiring: asyncio.Task[None] | None = None

    @property
    def state(self) -> EngineState:
        """Of the servers; while the built-in model stands in they are down."""
        servers = self._servers
        if self._standing or (servers is not None and servers.busy):
            return EngineState.BUSY
        if servers is not None and servers.up:
            return EngineState.READY
        if servers is not None and servers.connecting and not self._stands_in:
            return EngineState.LOADING
        return EngineState.DOWN if self.problem else EngineState.IDLE

    async def load(self) -> LoadedModel:
        """The served model, or the one that stands in; raises `InferenceError` where there is neither."""
        try:
            servers = self._known_servers()
        except ServerUnreachable as error:
            return await self._stand_in(str(error), self._setting)
        servers.wake()
        if not self._stands_in:
            await servers.first()
        if not servers.up or servers.model is None:
            return await self._stand_in(servers.problem, servers.hosts)
        self.problem = ""
        if self._stands_in:
            self._stands_in = False
            self._retire()
        return servers.model

    async def restart(self) -> None:
        """Forget what went wrong, so that the next use tries every server."""
        await self.close()
        self.problem = ""

    async def close(self) -> None:
        """Leave the servers, end the model that stands in. The next use begins anew. Can be called twice."""
        servers, self._servers, self._stands_in = self._servers, None, False
        if servers is not None:
            await servers.close()
        if self._retiring is not None:
            await asyncio.gather(self._retiring, return_exceptions=True)
        if self._standby is not None:
            await self._standby.close()

    async def generate(self, prompt: Prompt) -> AsyncGenerator[Token, None]:
        """See `Generator.generate`. Closing closes the connection, upon which the server stops."""
        standby = await self._standby_for(prompt.tokens)
        if standby is None:
            servers = self._with_room(len(prompt.tokens) + prompt.max_new_tokens)
            try:
                async with aclosing(servers.generate(prompt)) as stream:
                    async for token in stream:
                        yield token
            except ServerUnreachable as error:
                raise self._lost(error) from error
            return
        self._standing += 1
        try:
            async with aclosing(standby.generate(moved_back(prompt))) as stream:
                async for token in stream:
                    yield token
        finally:
            self._standing -= 1

    async def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """See `Tokenizer.encode`; secrets are masked before, and what a server counted is kept by content."""
        if (standby := await self._standby_now()) is not None:
            return [moved(tokens) for tokens in await standby.encode(texts)]
        servers = self._known_servers()
        cache = servers.cache
        known = {text: cache.get(text) if cache is not None else None for text in texts}
        missing = [text for text, tokens in known.items() if tokens is None]
        if missing:
            masked = [redact(text) for text in missing]
            try:
                found = await servers.asked(lambda server: server.encode_all(masked))
            except ServerUnreachable as error:
                raise self._lost(error) from error
            for text, tokens in zip(missing, found, strict=True):
                if cache is not None:
                    cache.put(text, tokens)
                known[text] = tokens
        return [list(known[text] or ()) for text in texts]

    async def encode_chat(self, messages: Sequence[Turn]) -> list[int] | None:
        """See `Chat.encode_chat`; secrets are masked."""
        if (standby := await self._standby_now()) is not None:
            tokens = await standby.encode_chat(messages)
            return None if tokens is None else moved(tokens)
        masked = [Said(one.role, redact(one.content)) for one in messages]
        try:
            return await self._known_servers().asked(lambda server: server.encode_chat(masked))
        except ServerUnreachable as error:
            raise self._lost(error) from error

    async def score(self, prompt: Prompt, continuation: str) -> list[float]:
        """See `Scorer.score`; a llama-server only."""
        if (standby := await self._standby_for(prompt.tokens)) is not None:
            return await standby.score(moved_back(prompt), continuation)
        following = (await self.encode([continuation]))[0]
        servers = self._with_room(len(prompt.tokens) + len(following))
        try:
            return await servers.asked(lambda server: score(server, prompt.tokens, following))
        except ServerUnreachable as error:
            raise self._lost(error) from error

    def _known_servers(self) -> Servers:
        """Made of the setting; raises `ServerUnreachable` where that holds no addresses."""
        if self._servers is None:
            addresses = parse_addresses(self._setting)
            self._servers = Servers(addresses, self.settings, self._context_tokens)
        return self._servers

    def _with_room(self, tokens: int) -> Servers:
        """The servers, if so many tokens fit into their model's context."""
        servers = self._known_servers()
        if servers.model is not None and tokens > servers.model.context_tokens:
            raise InferenceError(
                f"Prompt and continuation are {tokens:,} tokens; the context holds "
                f"{servers.model.context_tokens:,}."
            )
        return servers

    async def _stand_in(self, problem: str, for_whom: str) -> LoadedModel:
        """The built-in model, with what is wrong."""
        self.problem = problem
        if self._standby is None:
            raise ServerUnreachable(problem)
        try:
            loaded = await self._standby.load()
        except InferenceError as error:
            raise ServerUnreachable(f"{problem} No built-in model can stand in: {error}") from error
        self._stands_in, self.problem = True, f"{problem} {MEANWHILE}"
        return standing_in(loaded, for_whom, self.problem)

    async def _standby_now(self) -> Standby | None:
        """The model that stands in, if it does."""
        if self._servers is None:
            await self.load()
        return self._standby if self._stands_in else None

    async def _standby_for(self, tokens: Sequence[int]) -> Standby | None:
        """The model that stands in, if the prompt was made for it."""
        await self._standby_now()
        made_for_it = is_moved(tokens)
        if made_for_it is None:
            raise ModelChanged("The model changed while the prompt was made.")
        return self._standby if made_for_it else None

    def _lost(self, error: ServerUnreachable) -> ServerUnreachable:
        """What is said of a completion that no server gave, which the model that stands in may give."""
        meanwhile = self._standby is not None and self._servers is not None and not self._servers.up
        self.problem = f"{error} {MEANWHILE}" if meanwhile else str(error)
        return (ModelChanged if meanwhile else ServerUnreachable)(self.problem)

    def _retire(self) -> None:
        """The servers are back: end the process of the model that stood in, unless it still writes."""
        if self._standby is not None and not self._standing:
            self._retiring = asyncio.create_task(self._standby.close())
