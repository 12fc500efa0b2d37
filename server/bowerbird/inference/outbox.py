"""What was written, in messages of several tokens: a message for each would cost as much as some tokens do.

Pure but for its clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable

HELD_SECONDS = 0.01


class Outbox:
    """Holds tokens back for a moment. Made for one generation; `flush` is to be called at its end."""

    def __init__(self, send: Callable[[str, int], None], now: Callable[[], float] = time.monotonic) -> None:
        """`send` is given a text and how many tokens it is."""
        self._send = send
        self._now = now
        self._texts: list[str] = []
        self._due = 0.0

    def add(self, text: str) -> None:
        """Send the first token at once, the others when a line ends or the last message is old enough."""
        self._texts.append(text)
        if "\n" in text or self._now() >= self._due:
            self.flush()

    def flush(self) -> None:
        """Send what is held back."""
        if self._texts:
            self._send("".join(self._texts), len(self._texts))
            self._texts.clear()
            self._due = self._now() + HELD_SECONDS
