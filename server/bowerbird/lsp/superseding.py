"""One request works at a time, always the newest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

T = TypeVar("T")


class Turns:
    """Gives the turn to the newest request and cancels the one that had it.

    Neovim withdraws no request while somebody types, and a late answer would overwrite a newer one.
    """

    def __init__(self) -> None:
        self._newest: asyncio.Task[Any] | None = None
        self._working = asyncio.Lock()

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        """The turn; it begins when the request before has really stopped."""
        self.cancel()
        self._newest = asyncio.current_task()
        # What arrived in the same gust of messages supersedes us before we do any work.
        await asyncio.sleep(0)
        async with self._working:
            yield

    def cancel(self) -> None:
        """End the request that has the turn or waits for it, if any."""
        if self._newest is not None and self._newest is not asyncio.current_task():
            self._newest.cancel()
        self._newest = None

    @property
    def superseded(self) -> bool:
        """Has a newer request taken the turn from the one that asks?"""
        return self._newest not in (None, asyncio.current_task())


async def run_to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Await `work`; when cancelled, cancel it and wait until it has let go of the model.

    A second cancellation (superseded, then withdrawn by the editor too) must not cut that waiting short.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError:
                continue
        if not task.cancelled():
            task.exception()  # seen, so that it is not reported as forgotten
        raise
