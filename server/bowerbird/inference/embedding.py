"""The embedding model: a GGUF in a process of its own, started on use, that turns texts into vectors."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bowerbird.inference.crashes import Crashes
from bowerbird.inference.generator import InferenceError, ModelCorrupt, ModelCrashed
from bowerbird.inference.idle import IdleTimer
from bowerbird.inference.llama_calls import load_into, next_answer
from bowerbird.inference.loading import check_file, load_message
from bowerbird.inference.pipe import Message, PipeError
from bowerbird.inference.process import CHILD_COMMAND, ModelProcess, Patience, ProcessEnded, start_process
from bowerbird.settings import InferenceSettings


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """What is known of a loaded model."""

    size: int
    """Numbers in a vector."""
    tokens: int
    """What is behind so many is not read."""
    pools: bool
    """It says itself how a text's tokens become one vector; else it was made to write."""


class EmbeddingEngine:
    """Turns texts into vectors of unit length. One call at a time."""

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
        self.problem = ""
        """A sentence, while it cannot be used."""
        self._command = command
        self._patience = patience or Patience()
        self._process: ModelProcess | None = None
        self._loaded = EmbeddingModel(0, 0, False)
        self._calling = asyncio.Lock()
        self._idle = IdleTimer(settings.idle_minutes * 60, self._rest)
        self._crashes = Crashes(settings.max_restarts)
        self._refused: tuple[tuple[int, int], InferenceError] | None = None
        """The file that could not be loaded, as it was then, and why; not tried again until it changes."""

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """A row for each text, of unit length, or zeros for a text without tokens; raises `InferenceError`.

        A caller who is cancelled stops the model after the text that it is at.
        """
        async with self._calling:
            with self._idle:
                return await self._embed(texts)

    async def load(self) -> EmbeddingModel:
        """The model, loaded now if it is not; raises `InferenceError`."""
        async with self._calling:
            with self._idle:
                await self._running()
                return self._loaded

    async def close(self) -> None:
        """End the process. The next use would start it again. Can be called twice."""
        self._idle.stop()
        process, self._process = self._process, None
        if process is not None:
            await process.close()

    async def _embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        try:
            process = await self._running()
            answer = await self._ask(process, {"type": "embed", "texts": list(texts)})
        except InferenceError as error:
            self.problem = str(error)
            raise
        data = np.frombuffer(base64.b64decode(answer["vectors"]), dtype="<f4")
        return data.reshape(len(texts), self._loaded.size).astype(np.float32)

    async def _rest(self) -> None:
        """Nobody has used the model for a while, so it makes room."""
        async with self._calling:
            await self.close()

    async def _running(self) -> ModelProcess:
        if self._process is not None and self._process.ended is None:
            return self._process
        self._process = None
        self._crashes.check()
        mark = await asyncio.to_thread(check_file, self.model_path)
        if self._refused is not None and self._refused[0] == mark:
            raise self._refused[1]
        try:
            process = await start_process(self._command, self._patience)
        except OSError as error:
            raise ModelCrashed(
                f"The embedding model's process cannot be started: {error.strerror}."
            ) from error
        message = {**load_message(self.model_path, self.settings), "embeddings": True}
        try:
            answer = await load_into(process, self.model_path, message, self._crashes)
        except ModelCorrupt as error:
            self._refused = (mark, error)
            raise
        self._process, self.problem = process, ""
        self._loaded = EmbeddingModel(answer["size"], answer["tokens"], answer["pools"])
        return process

    async def _ask(self, process: ModelProcess, message: Message) -> Message:
        try:
            async with process.call(message) as call:
                return await next_answer(call)
        except PipeError as error:
            raise InferenceError(str(error)) from error
        except ProcessEnded as ended:
            self._crashes.add()
            said = process.log.complaint()
            raise ModelCrashed(f"The embedding model's process {ended}. {said}".rstrip()) from ended
