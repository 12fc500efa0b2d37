"""The engine on a llama-server: one that runs already, or one that we start and end.

The same seams as `LlamaEngine`; a prompt goes as token ids, so that it is the same prompt.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path

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
from bowerbird.inference.greedy import choose_first
from bowerbird.inference.hosting import HostedServer, find_running_server, start_server
from bowerbird.inference.llama_http import LlamaHttp
from bowerbird.inference.llama_writing import Writing
from bowerbird.inference.loaded import EngineState, LoadedModel, loaded_model
from bowerbird.inference.loading import check_file
from bowerbird.inference.shared_work import SharedWork
from bowerbird.inference.token_cache import TokenCache
from bowerbird.settings import InferenceSettings

WHAT_IS_MISSING = (
    "Neither llama-cpp-python nor a llama-server was found. "
    "Either brings a model to life: pip install 'bowerbird[llama]', or your system's package llama.cpp."
)
READY_SECONDS = 600.0  # a large model from a slow disk
POLL_SECONDS = 0.05
CANDIDATES = 100  # tokens among which a first one is chosen


class LlamaServer:
    """Generator, Tokenizer and Scorer. One generation at a time; the others wait for their turn."""

    def __init__(self, settings: InferenceSettings, executable: Path | None, model_path: Path) -> None:
        """Starts nothing. Without `settings.server_url` and a running one, `executable` will be started."""
        self.settings = settings
        self.state = EngineState.IDLE
        self.problem = ""
        self._executable = executable
        self._model_path = model_path
        self._http: LlamaHttp | None = None
        self._hosted: HostedServer | None = None
        self._loaded: LoadedModel | None = None
        self._connecting = SharedWork(self._connect)
        self._turn = asyncio.Lock()
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
        async with self._turn:
            http = await self._ready(len(prompt.tokens) + prompt.max_new_tokens)
            writing = Writing(prompt)
            self.state = EngineState.BUSY
            try:
                if prompt.first_choice:
                    yield Token(await _begin(http, writing, prompt.first_choice))
                while not writing.stopped:
                    steps = http.complete(writing.tokens, writing.left, writing.refuses_end)
                    async with aclosing(steps):
                        async for step in steps:
                            if text := writing.take(step):
                                yield Token(text)
                            if writing.turns:
                                break
            except ServerUnreachable as error:
                raise await self._lost(http, error) from error
            finally:
                if self.state is EngineState.BUSY:
                    self.state = EngineState.READY
        yield Token("", writing.usage(), count=0)

    async def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """See `Tokenizer.encode`; kept by content."""
        known = {text: self._cache.get(text) for text in texts}
        missing = [text for text, tokens in known.items() if tokens is None]
        if missing:
            http = await self._ready(0)
            try:
                found = await asyncio.gather(*(http.encode(text) for text in missing))
            except ServerUnreachable as error:
                raise await self._lost(http, error) from error
            for text, tokens in zip(missing, found, strict=True):
                self._cache.put(text, tokens)
                known[text] = tokens
        return [list(known[text] or ()) for text in texts]

    async def score(self, prompt: Prompt, continuation: str) -> list[float]:
        """See `Scorer.score`; a request for each token."""
        following = (await self.encode([continuation]))[0]
        async with self._turn:
            http = await self._ready(len(prompt.tokens) + len(following))
            tokens = list(prompt.tokens)
            logprobs: list[float] = []
            try:
                for token in following:
                    logprobs.append(await http.logprob(tokens, token))
                    tokens.append(token)
            except ServerUnreachable as error:
                raise await self._lost(http, error) from error
            return logprobs

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
            url, key = self.settings.server_url, ""
            if not url:
                url = await asyncio.to_thread(find_running_server)
            if not url:
                self._hosted = await self._host()
                url, key = self._hosted.url, self._hosted.key
            self._http = LlamaHttp(url, key)
            if self._hosted is not None:
                await self._wait_until_ready(self._http, self._hosted)
            report = await self._http.report()
        except BaseException as error:
            await self._disconnect()
            self.state = EngineState.DOWN
            self.problem = str(error) if isinstance(error, InferenceError) else ""
            raise
        self._cache.clear()
        self._loaded = loaded_model(report, url, self.settings.context_tokens)
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


async def _begin(http: LlamaHttp, writing: Writing, first_choice: int) -> str:
    """Write white space if that comes first, and then the visible token of that rank; the text."""
    written = ""
    while not writing.stopped and not written.strip():
        found = [one for one in await http.likeliest(writing.tokens, CANDIDATES) if one[1]]
        if found and found[0][1].strip():
            ranked = [(token, logprob) for token, text, logprob in found if text.strip()]
            chosen = choose_first(ranked, first_choice)
            found = [one for one in found if one[0] == chosen]
        if found:
            token, text, _ = found[0]
            writing.begin(token, text)
            written += text
        else:
            writing.stopped = "unlikely"
    return written
