"""Work that several callers wait for at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class SharedWork(Generic[Result]):
    """Runs `work` once for all who ask while it runs. A caller who leaves does not stop it."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> None:
        self._work = work
        self._task: asyncio.Task[Result] | None = None

    async def result(self) -> Result:
        """What the work gives or raises; begun anew if it is not under way."""
        if self._task is None:
            self._task = asyncio.create_task(self._work())
            self._task.add_done_callback(self._done)
        return await asyncio.shield(self._task)

    async def stop(self) -> None:
        """Cancel the work if it is under way, and wait for its end."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def _done(self, task: asyncio.Task[Result]) -> None:
        self._task = None
        if not task.cancelled():
            task.exception()  # there may be nobody left to hear it
