"""Whose turn it is at a model: one at a time, the most urgent first, equal ones in order of arrival.

Who has the turn hears when somebody more urgent waits, and may stop, leave, and queue again to go on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from enum import IntEnum
from heapq import heapify, heappop, heappush
from itertools import count
from typing import TypeVar

Item = TypeVar("Item")


class Priority(IntEnum):
    """How urgent a prompt is."""

    GENERATION = 0
    """Code from a comment: somebody waits, for seconds at least, and may type meanwhile."""
    SPECULATIVE = 1
    """A completion that nobody has asked for yet."""
    AUTOMATIC = 2
    """A completion while somebody types."""
    INVOKED = 3
    """A completion by hand."""


class Use:
    """One turn at a model."""

    def __init__(self, priority: Priority) -> None:
        self.priority = priority
        self.wanted = False
        """Somebody more urgent waits."""
        self._called: Callable[[], object] | None = None

    def on_wanted(self, called: Callable[[], object]) -> None:
        """Call `called` as soon as somebody more urgent waits, which may be now."""
        self._called = called
        if self.wanted:
            called()

    def want(self) -> None:
        """Somebody more urgent waits now."""
        if not self.wanted:
            self.wanted = True
            if self._called is not None:
                self._called()


async def until_wanted(stream: AsyncGenerator[Item, None], use: Use) -> AsyncGenerator[Item, None]:
    """`stream` up to where somebody more urgent waits, which breaks it off."""
    while True:
        step = asyncio.ensure_future(_next(stream))
        use.on_wanted(step.cancel)
        try:
            item = await step
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if use.wanted and (task is None or not task.cancelling()):
                return
            raise
        if item is None:
            return
        yield item


async def _next(stream: AsyncGenerator[Item, None]) -> Item | None:
    return await anext(stream, None)


class Turns:
    """The queue before one model."""

    def __init__(self) -> None:
        self._running: Use | None = None
        self._waiting: list[tuple[int, int, asyncio.Future[None], Use]] = []
        """A heap, the next one first."""
        self._numbers = count()

    @asynccontextmanager
    async def turn(self, priority: Priority) -> AsyncIterator[Use]:
        """Wait for a turn, and have it until the block ends."""
        use = Use(priority)
        if self._running is None:
            self._running = use
        else:
            await self._queue(use)
        try:
            yield use
        finally:
            self._pass_on()

    async def _queue(self, use: Use) -> None:
        assert self._running is not None
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (-use.priority, next(self._numbers), ready, use)
        heappush(self._waiting, entry)
        if self._running.priority < use.priority:
            self._running.want()
        try:
            await ready
        except asyncio.CancelledError:
            if self._running is use:
                self._pass_on()
            elif entry in self._waiting:
                self._waiting.remove(entry)
                heapify(self._waiting)
            raise

    def _pass_on(self) -> None:
        """The turn is over; the next one in the queue has it from now on."""
        self._running = None
        while self._waiting and self._running is None:
            _, _, ready, use = heappop(self._waiting)
            if not ready.done():  # else it was cancelled and does not know yet
                self._running = use
                ready.set_result(None)
