"""End what nobody has used for a while. Pure but for the event loop's clock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


class IdleTimer:
    """Runs `rest` when nothing was in use for `seconds`; 0 never does. Used as a context, by many at once."""

    def __init__(self, seconds: float, rest: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._seconds = seconds
        self._rest = rest
        self._users = 0
        self._timer: asyncio.TimerHandle | None = None
        self._resting: asyncio.Task[None] | None = None

    def __enter__(self) -> None:
        self.stop()
        self._users += 1

    def __exit__(self, *_: object) -> None:
        self._users -= 1
        if self._users == 0 and self._seconds > 0:
            self._timer = asyncio.get_running_loop().call_later(self._seconds, self._begin)

    def stop(self) -> None:
        """Forget how long it has been."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _begin(self) -> None:
        self._timer = None
        self._resting = asyncio.create_task(self._rest())
