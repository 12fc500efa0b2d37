"""The engine on llama-cpp-python: a model in a process of its own, started on use, replaced when it dies."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bowerbird.inference.broker_client import NotShared, join
from bowerbird.inference.chat import ChatEncoder, ChatError, Turn, rendering
from bowerbird.inference.crashes import Crashes
from bowerbird.inference.generator import (
    EngineMissing,
    InferenceError,
    ModelCrashed,
    Prompt,
    Token,
    Usage,
)
from bowerbird.inference.idle import IdleTimer
from bowerbird.inference.llama_calls import (
    batches,
    generate_message,
    load_into,
    next_answer,
    stop,
    summed,
    usage_of,
)
from bowerbird.inference.loaded import EngineState, LoadedModel, loaded_model
from bowerbird.inference.loading import check_file, is_shared, load_message
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
from bowerbird.inference.turns import Priority, Turns
from bowerbird.settings import InferenceSettings

logger = logging.getLogger(__name__)


class LlamaEngine:
    """Generator, Tokenizer, Scorer and Chat. One generation at a time, the most urgent first."""

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
        self._idle = IdleTimer(settings.idle_minutes * 60, self._rest)
        self._turns = Turns()
        self._crashes = Crashes(settings.max_restarts)
        self._refused: tuple[object, InferenceError] | None = None
        """The file that could not be loaded, as it was then, and why; not tried again until it changes."""
        self._cache = TokenCache()
        self._chat: ChatEncoder | None = None

    async def load(self) -> LoadedModel:
        """The model, loaded now if it is not; raises `InferenceError`."""
        if self._process is not None and self._process.ended is not None:
            self._bury(self._process)
        if self._loaded is not None:
            return self._loaded
        with self._idle:
            return await self._starting.result()

    async def close(self) -> None:
        """End the model's process. The next use would start it again. Can be called twice."""
        self._idle.stop()
        await self._starting.stop()
        process, self._process, self._loaded = self._process, None, None
        if process is not None:
            await process.close()
        self.state = EngineState.IDLE

    async def _rest(self) -> None:
        """Nobody has used the model for a while, so it makes room."""
        process, self._process, self._loaded = self._process, None, None
        if process is not None:
            self.state = EngineState.IDLE
            await process.close()

    async def restart(self) -> None:
        """End the process and forget earlier crashes, so that the next use starts afresh."""
        await self.close()
        self._crashes.clear()
        self._refused = None
        self.problem = ""

    async def generate(self, prompt: Prompt) -> AsyncGenerator[Token, None]:
        """See `Generator.generate`. Closing it waits until the model has stopped."""
        message = generate_message(prompt)
        parts: list[Usage] = []
        while not parts or parts[-1].stopped == "cancelled":
            async with self._working(message, prompt.priority) as call:
                while (answer := await next_answer(call))["type"] == "token":
                    yield Token(answer["text"], count=answer["count"])
            parts.append(usage_of(answer))
            message["written"] = answer["written"]
        yield Token("", summed(parts), count=0)

    async def score(self, prompt: Prompt, continuation: str) -> list[float]:
        """See `Scorer.score`."""
        message = {"type": "score", "tokens": prompt.tokens, "continuation": continuation}
        async with self._working(message) as call:
            answer = await next_answer(call)
        return list(answer["logprobs"])

    async def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """See `Tokenizer.encode`. Answered beside a running generation; kept by content."""
        known = {text: self._cache.get(text) for text in texts}
        for batch in batches([text for text, tokens in known.items() if tokens is None]):
            async with self._calling({"type": "encode", "texts": batch}) as (_, call):
                answer = await next_answer(call)
            for text, tokens in zip(batch, answer["tokens"], strict=True):
                self._cache.put(text, tokens)
                known[text] = tokens
        return [list(known[text] or ()) for text in texts]

    async def encode_chat(self, messages: Sequence[Turn]) -> list[int] | None:
        """See `Chat.encode_chat`."""
        loaded = await self.load()
        if loaded.chat is None:
            return None
        if self._chat is None:
            bos = loaded.template.bos
            self._chat = ChatEncoder(rendering(loaded.chat), self._encode_own, self.encode, bos)
        try:
            return await self._chat.encode(messages)
        except ChatError as error:
            logger.warning("The chat template of %s cannot be used: %s.", loaded.name, error)
            return None

    async def _encode_own(self, texts: list[str]) -> list[list[int]]:
        async with self._calling({"type": "encode", "texts": texts, "own": True}) as (_, call):
            return list((await next_answer(call))["tokens"])

    @asynccontextmanager
    async def _working(self, message: Message, priority: Priority | None = None) -> AsyncIterator[Call]:
        """A request that keeps the model busy. Who leaves early waits until the model has stopped.

        With a `priority` the request is cancelled when a more urgent one waits.
        """
        async with (
            self._turns.turn(Priority.AUTOMATIC if priority is None else priority) as use,
            self._calling(message) as (process, call),
        ):
            self.state = EngineState.BUSY
            if priority is not None:
                use.on_wanted(lambda: process.cancel(call))
            try:
                yield call
            finally:
                if not call.over:
                    await stop(process, call)
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
            with self._idle:
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
                process = await self._new_process(size_bytes=mark[0])
            except OSError as error:
                raise ModelCrashed(f"The model's process cannot be started: {error.strerror}.") from error
            try:
                message = load_message(self.model_path, self.settings)
                report = await load_into(process, self.model_path, message, self._crashes)
            except (ModelCrashed, EngineMissing):
                raise
            except InferenceError as error:
                self._refused = (mark, error)
                raise
        except InferenceError as error:
            self.state, self.problem = EngineState.DOWN, str(error)
            raise
        self._cache.clear()
        self._chat = None
        self._process = process
        self._loaded = loaded_model(report, str(self.model_path), self.settings.context_tokens)
        self.state, self.problem = EngineState.READY, ""
        return self._loaded

    async def _new_process(self, size_bytes: int) -> ModelProcess:
        """The one that editors share, if that is wanted and possible, else one of our own."""
        if is_shared(self.settings.shared, size_bytes):
            try:
                return await join(self.model_path, self.settings, self._command, self._patience)
            except NotShared as why:
                logger.warning("The model is not shared with other editors: %s", why)
        return await start_process(self._command, self._patience)
