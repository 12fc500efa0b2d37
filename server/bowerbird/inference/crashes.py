"""How often a process may die before it stays off."""

from __future__ import annotations

import time
from collections import deque

from bowerbird.inference.generator import ModelCrashed

MEMORY_SECONDS = 600.0


class Crashes:
    """The crashes of the last ten minutes."""

    def __init__(self, allowed: int) -> None:
        self._allowed = allowed
        self._times: deque[float] = deque()

    def add(self) -> None:
        """There was one just now."""
        self._times.append(time.monotonic())

    def clear(self) -> None:
        """Forget all, as somebody restarts the model by hand."""
        self._times.clear()

    def check(self) -> None:
        """Raise `ModelCrashed` if there were more than allowed."""
        while self._times and time.monotonic() - self._times[0] > MEMORY_SECONDS:
            self._times.popleft()
        if len(self._times) > self._allowed:
            raise ModelCrashed(
                f"The model's process died {len(self._times)} times within ten minutes. It stays off "
                "until it is restarted by hand or the settings change."
            )
