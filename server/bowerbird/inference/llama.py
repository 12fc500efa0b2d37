"""The engine on llama-cpp-python: a model in a process of its own, started on use, replaced when it dies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import fields
from pathlib import Path

from bowerbird.inference.crashes import Crashes
from bowerbird.inference.generator import (
    EngineMissing,
    InferenceError,
    ModelCorrupt,
    ModelCrashed,
    Prompt,
    Token,
    Usage,
)
from bowerbird.inference.loaded import EngineState, LoadedModel, loaded_model
from bowerbird.inference.loading import check_file, load_message
from bowerbird.inference.pipe import Message, PipeError
from bowerbird.inference.process import (
    CHILD_COMMAND,
    Call,
    ModelProcess,
    Patience,
    ProcessEnded,
    start_process,
)
from bowerbird.inference.shared_work import SharedWork
from bowerbird.inference.token_cache import TokenCache
from bowerbird.settings import InferenceSettings

STOP_SECONDS = 2.0  # a closed generation waits so long at most for the model to have stopped
HOW_TO_INSTALL = "This brings it: pip install 'bowerbird[llama]'"
MAX_ENCODE_CHARACTERS = 4_000_000  # in one message; more are sent one after the other

FAILURES: dict[str, type[InferenceError]] = {
    "corrupt": ModelCorrupt,
    "engine": EngineMissing,
    "memory": InferenceError,
    "prompt": InferenceError,
    "decode": InferenceError,
    "internal": InferenceError,
}
"""What the kinds of a ``failed`` message mean."""


class LlamaEngine:
    """Generator, Tokenizer and Scorer. One generation at a time; the others wait for their turn."""

    def __init__(
        self,
        model_path: Path,
        settings: InferenceSettings,
        command: Sequence[str] = CHILD_COMMAND,
        patience: Patience | None = None,
    ) -> None:
        """Starts nothing. `command` starts the model's process."""
        self.model_path = model_path
        self.settings = settings
        self.state = EngineState.IDLE
        self.problem = ""
        """A sentence, while the state is DOWN."""
        self._command = command
        self._patience = patience or Patience()
        self._process: ModelProcess | None = None
        self._loaded: LoadedModel | None = None
        self._starting = SharedWork(self._start)
        self._turn = asyncio.Lock()
        self._crashes = Crashes(settings.max_restarts)
        self._refused: tuple[object, InferenceError] | None = None
        """The file that could not be loaded, as it was then, and why; not tried again until it changes."""
        self._cache = TokenCache()

    async def load(self) -> LoadedModel:
        """The model, loaded now if it is not; raises `InferenceError`."""
        if self._process is not None and self._process.ended is not None:
            self._bury(self._process)
        if self._loaded is not None:
            return self._loaded
        return await self._starting.result()

    async def close(self) -> None:
        """End the model's process. The next use would start it again. Can be called twice."""
        await self._starting.stop()
        process, self._process, self._loaded = self._process, None, None
        if process is not None:
            await process.close()
        self.state = EngineState.IDLE

    async def restart(self) -> None:
        """End the process and forget earlier crashes, so that the next use starts afresh."""
        await self.close()
        self._crashes.clear()
        self._refused = None
        self.problem = ""

    async def generate(self, prompt: Prompt) -> AsyncGenerator[Token, None]:
        """See `Generator.generate`. Closing it waits until the model has stopped."""
        message = {
            "type": "generate",
            "tokens": prompt.tokens,
            "max_new_tokens": prompt.max_new_tokens,
            "visible_first": prompt.visible_first,
            "first_choice": prompt.first_choice,
        }
        async with self._working(message) as call:
            while (answer := await _next(call))["type"] == "token":
                yield Token(answer["text"], count=answer["count"])
        yield Token("", _usage(answer), count=0)

    async def score(self, prompt: Prompt, continuation: str) -> list[float]:
        """See `Scorer.score`."""
        message = {"type": "score", "tokens": prompt.tokens, "continuation": continuation}
        async with self._working(message) as call:
            answer = await _next(call)
        return list(answer["logprobs"])

    async def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """See `Tokenizer.encode`. Answered beside a running generation; kept by content."""
        known = {text: self._cache.get(text) for text in texts}
        for batch in _batches([text for text, tokens in known.items() if tokens is None]):
            async with self._calling({"type": "encode", "texts": batch}) as (_, call):
                answer = await _next(call)
            for text, tokens in zip(batch, answer["tokens"], strict=True):
                self._cache.put(text, tokens)
                known[text] = tokens
        return [list(known[text] or ()) for text in texts]

    @asynccontextmanager
    async def _working(self, message: Message) -> AsyncIterator[Call]:
        """A request that keeps the model busy. Who leaves early waits until the model has stopped."""
        async with self._turn, self._calling(message) as (process, call):
            self.state = EngineState.BUSY
            try:
                yield call
            finally:
                if not call.over:
                    await _stop(process, call)
                if self.state is EngineState.BUSY:
                    self.state = EngineState.READY

    @asynccontextmanager
    async def _calling(self, message: Message) -> AsyncIterator[tuple[ModelProcess, Call]]:
        """A request to the running process, whose end becomes `ModelCrashed`."""
        await self.load()
        process = self._process
        if process is None:
            raise ModelCrashed("The model was closed.")
        try:
            async with process.call(message) as call:
                yield process, call
        except PipeError as error:
            raise InferenceError(str(error)) from error
        except ProcessEnded as ended:
            self._bury(process)
            raise ModelCrashed(f"The model's process {ended}. {process.log.complaint()}".rstrip()) from ended

    def _bury(self, process: ModelProcess) -> None:
        """Remember that `process` died by itself, once."""
        if self._process is process:
            self._process = self._loaded = None
            self._crashes.add()
            self.state, self.problem = EngineState.IDLE, f"The model's process {process.ended}."

    async def _start(self) -> LoadedModel:
        """Start a process and load the model into it."""
        self.state = EngineState.LOADING
        try:
            self._crashes.check()
            mark = await asyncio.to_thread(check_file, self.model_path)
            if self._refused is not None and self._refused[0] == mark:
                raise self._refused[1]
            try:
                process = await start_process(self._command, self._patience)
            except OSError as error:
                raise ModelCrashed(f"The model's process cannot be started: {error.strerror}.") from error
            try:
                report = await self._load_into(process)
            except (ModelCrashed, EngineMissing):
                raise
            except InferenceError as error:
                self._refused = (mark, error)
                raise
        except InferenceError as error:
            self.state, self.problem = EngineState.DOWN, str(error)
            raise
        self._cache.clear()
        self._process = process
        self._loaded = loaded_model(report, str(self.model_path), self.settings.context_tokens)
        self.state, self.problem = EngineState.READY, ""
        return self._loaded

    async def _load_into(self, process: ModelProcess) -> Message:
        """What the process reports of the model; if there is nothing to report, it is closed."""
        try:
            try:
                async with process.call(load_message(self.model_path, self.settings)) as call:
                    return await _next(call)
            except BaseException:
                await process.close()  # now its log is complete
                raise
        except ModelCorrupt as error:
            said = process.log.complaint() or str(error)
            raise ModelCorrupt(f"{self.model_path} cannot be loaded: {said}") from error
        except EngineMissing as error:
            raise EngineMissing(f"llama-cpp-python does not start ({error}). {HOW_TO_INSTALL}") from error
        except ProcessEnded as ended:
            self._crashes.add()
            story = f"The model's process {ended} while loading {self.model_path}. {process.log.complaint()}"
            raise (ModelCorrupt if ended.by_itself else ModelCrashed)(story.rstrip()) from ended


async def _next(call: Call) -> Message:
    """The next answer, unless it says that the request failed."""
    answer = await call.next()
    if answer["type"] == "failed":
        raise FAILURES.get(answer["kind"], InferenceError)(answer["message"])
    return answer


async def _stop(process: ModelProcess, call: Call) -> None:
    """Cancel, and wait a moment for the process to say that it stopped."""
    process.cancel(call)
    with suppress(TimeoutError, ProcessEnded):  # the next request finds out
        async with asyncio.timeout(STOP_SECONDS):
            while not call.over:
                await call.next()


def _usage(done: Message) -> Usage:
    return Usage(**{field.name: done[field.name] for field in fields(Usage)})


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """`texts` in messages of a bearable size."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        if batch and characters + len(text) > MAX_ENCODE_CHARACTERS:
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    if batch:
        yield batch
