"""Whose turn it is at a model: one or a few at a time, the most urgent first, equal ones as they arrived.

Who has a turn hears when somebody more urgent waits, and may stop, leave, and queue again to go on.
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

    def __init__(self, priority: Priority, makes_way: bool = True) -> None:
        self.priority = priority
        self.makes_way = makes_way
        """Asked for its place, it leaves."""
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

    def __init__(self, places: int = 1) -> None:
        """`places`: how many have a turn at once."""
        self._places = places
        self._running: list[Use] = []
        self._waiting: list[tuple[int, int, asyncio.Future[None], Use]] = []
        """A heap, the next one first."""
        self._numbers = count()

    @property
    def places(self) -> int:
        return self._places

    @places.setter
    def places(self, places: int) -> None:
        """More let those in who wait; where there are fewer, nobody is sent away."""
        self._places = places
        self._admit()

    @property
    def crowding(self) -> float:
        """Those who are there, running or waiting, for each place."""
        return (len(self._running) + len(self._waiting)) / self._places

    @asynccontextmanager
    async def turn(self, priority: Priority, makes_way: bool = True) -> AsyncIterator[Use]:
        """Wait for a turn, and have it until the block ends."""
        use = Use(priority, makes_way)
        if len(self._running) < self._places:
            self._running.append(use)
        else:
            await self._queue(use)
        try:
            yield use
        finally:
            self._leave(use)

    async def _queue(self, use: Use) -> None:
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (-use.priority, next(self._numbers), ready, use)
        heappush(self._waiting, entry)
        self._want_room_for(use)
        try:
            await ready
        except asyncio.CancelledError:
            if use in self._running:
                self._leave(use)
            elif entry in self._waiting:
                self._waiting.remove(entry)
                heapify(self._waiting)
            raise

    def _want_room_for(self, use: Use) -> None:
        """Ask the least urgent of those who would go, and have not been asked."""
        less = [one for one in self._running if one.makes_way and not one.wanted]
        least = min(less, key=lambda one: one.priority, default=use)
        if least.priority < use.priority:
            least.want()

    def _leave(self, use: Use) -> None:
        self._running.remove(use)
        self._admit()

    def _admit(self) -> None:
        """The next ones in the queue have the places that are free from now on."""
        while self._waiting and len(self._running) < self._places:
            _, _, ready, use = heappop(self._waiting)
            if not ready.done():  # else it was cancelled and does not know yet
                self._running.append(use)
                ready.set_result(None)
