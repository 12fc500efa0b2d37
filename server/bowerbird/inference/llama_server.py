"""The engine on a llama-server: one that runs already, or one that we start and end.

The same seams as `LlamaEngine`; a prompt goes as token ids, so that it is the same prompt.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path

from bowerbird.inference.chat import Turn
from bowerbird.inference.crashes import Crashes
from bowerbird.inference.generator import (
    EngineMissing,
    InferenceError,
    ModelCorrupt,
    ModelCrashed,
    Prompt,
    ServerUnreachable,
    Token,
)
from bowerbird.inference.hosting import HostedServer, find_running_server, start_server
from bowerbird.inference.llama_http import LlamaHttp
from bowerbird.inference.llama_writing import Writing, score, write
from bowerbird.inference.loaded import EngineState, LoadedModel
from bowerbird.inference.loading import check_file
from bowerbird.inference.shared_work import SharedWork
from bowerbird.inference.token_cache import TokenCache
from bowerbird.inference.turns import Priority, Turns, until_wanted
from bowerbird.settings import InferenceSettings

WHAT_IS_MISSING = (
    "Neither llama-cpp-python nor a llama-server was found. "
    "Either brings a model to life: pip install 'bowerbird[llama]', or your system's package llama.cpp."
)
READY_SECONDS = 600.0  # a large model from a slow disk
POLL_SECONDS = 0.05


class LlamaServer:
    """Generator, Tokenizer, Scorer and Chat. One generation at a time, the most urgent first."""

    def __init__(self, settings: InferenceSettings, executable: Path | None, model_path: Path) -> None:
        """Starts nothing. A server of this user that runs already serves, else `executable` is started."""
        self.settings = settings
        self.state = EngineState.IDLE
        self.problem = ""
        self._executable = executable
        self._model_path = model_path
        self._http: LlamaHttp | None = None
        self._hosted: HostedServer | None = None
        self._loaded: LoadedModel | None = None
        self._connecting = SharedWork(self._connect)
        self._turns = Turns()
        self._crashes = Crashes(settings.max_restarts)
        self._cache = TokenCache()

    async def load(self) -> LoadedModel:
        """Connect, and start the server where it is ours; raises `InferenceError`."""
        if self._hosted is not None and self._hosted.exit_code is not None and self._loaded is not None:
            await self._forget(self._http)
        if self._loaded is not None:
            return self._loaded
        return await self._connecting.result()

    async def close(self) -> None:
        """End the server if we started it. The next use would start it again. Can be called twice."""
        await self._connecting.stop()
        await self._disconnect()
        self.state = EngineState.IDLE

    async def restart(self) -> None:
        """End what runs and forget earlier crashes, so that the next use starts afresh."""
        await self.close()
        self._crashes.clear()
        self.problem = ""

    async def generate(self, prompt: Prompt) -> AsyncGenerator[Token, None]:
        """See `Generator.generate`. Closing closes the connection, upon which the server stops."""
        writing = Writing(prompt)
        makes_way = not (prompt.grammar or prompt.first_choice)  # neither can be gone on with
        while not writing.stopped:
            async with self._turns.turn(prompt.priority) as use:
                http = await self._ready(len(prompt.tokens) + prompt.max_new_tokens)
                self.state = EngineState.BUSY
                try:
                    async with (
                        aclosing(write(http, prompt, writing)) as whole,
                        aclosing(until_wanted(whole, use) if makes_way else whole) as stream,
                    ):
                        async for token in stream:
                            yield token
                except ServerUnreachable as error:
                    raise await self._lost(http, error) from error
                finally:
                    if self.state is EngineState.BUSY:
                        self.state = EngineState.READY

    async def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """See `Tokenizer.encode`; kept by content."""
        known = {text: self._cache.get(text) for text in texts}
        missing = [text for text, tokens in known.items() if tokens is None]
        if missing:
            http = await self._ready(0)
            try:
                found = await http.encode_all(missing)
            except ServerUnreachable as error:
                raise await self._lost(http, error) from error
            for text, tokens in zip(missing, found, strict=True):
                self._cache.put(text, tokens)
                known[text] = tokens
        return [list(known[text] or ()) for text in texts]

    async def encode_chat(self, messages: Sequence[Turn]) -> list[int] | None:
        """A conversation by the model's own template, up to where the answer begins; None without one."""
        http = await self._ready(0)
        try:
            return await http.encode_chat(messages)
        except ServerUnreachable as error:
            raise await self._lost(http, error) from error

    async def score(self, prompt: Prompt, continuation: str) -> list[float]:
        """See `Scorer.score`; a request for each token."""
        following = (await self.encode([continuation]))[0]
        async with self._turns.turn(Priority.AUTOMATIC):
            http = await self._ready(len(prompt.tokens) + len(following))
            try:
                return await score(http, prompt.tokens, following)
            except ServerUnreachable as error:
                raise await self._lost(http, error) from error

    async def _ready(self, tokens: int) -> LlamaHttp:
        """The connection, if so many tokens fit into the context."""
        room = (await self.load()).context_tokens
        if self._http is None:
            raise ModelCrashed("The model was closed.")
        if tokens > room:
            raise InferenceError(
                f"Prompt and continuation are {tokens:,} tokens; the context holds {room:,}."
            )
        return self._http

    async def _connect(self) -> LoadedModel:
        self.state = EngineState.LOADING
        try:
            self._crashes.check()
            url, key = await asyncio.to_thread(find_running_server), ""
            if not url:
                self._hosted = await self._host()
                url, key = self._hosted.url, self._hosted.key
            self._http = LlamaHttp(url, key)
            if self._hosted is not None:
                await self._wait_until_ready(self._http, self._hosted)
            loaded = await self._http.describe(self.settings.context_tokens)
        except BaseException as error:
            await self._disconnect()
            self.state = EngineState.DOWN
            self.problem = str(error) if isinstance(error, InferenceError) else ""
            raise
        self._cache.clear()
        self._loaded = loaded
        self.state, self.problem = EngineState.READY, ""
        return self._loaded

    async def _host(self) -> HostedServer:
        if self._executable is None:
            raise EngineMissing(WHAT_IS_MISSING)
        await asyncio.to_thread(check_file, self._model_path)
        try:
            return await start_server(self._executable, self._model_path, self.settings)
        except OSError as error:
            raise EngineMissing(f"{self._executable} cannot be started: {error.strerror}.") from error

    async def _wait_until_ready(self, http: LlamaHttp, hosted: HostedServer) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not await http.healthy():
            if hosted.exit_code is not None:
                await hosted.close()  # now its log is complete
                raise ModelCorrupt(
                    f"llama-server cannot load {self._model_path}: "
                    f"it ended with code {hosted.exit_code}. {hosted.log.complaint()}".rstrip()
                )
            if time.monotonic() > deadline:
                raise ServerUnreachable(f"llama-server did not load {self._model_path} in ten minutes.")
            await asyncio.sleep(POLL_SECONDS)

    async def _disconnect(self) -> None:
        http, hosted = self._http, self._hosted
        self._http = self._hosted = self._loaded = None
        if http is not None:
            await http.close()
        if hosted is not None:
            await hosted.close()

    async def _forget(self, http: LlamaHttp | None) -> None:
        """Count the end of our server, once, and let the next use connect anew."""
        if self._http is http:
            if self._hosted is not None:
                self._crashes.add()
            await self._disconnect()

    async def _lost(self, http: LlamaHttp, error: ServerUnreachable) -> InferenceError:
        """The connection broke: what to say of it."""
        hosted = self._hosted is not None
        await self._forget(http)
        self.state, self.problem = EngineState.IDLE, str(error)
        return ModelCrashed(f"The llama-server stopped. {error}") if hosted else error
