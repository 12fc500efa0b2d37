"""The last lines that a process printed, for messages about its end."""

from __future__ import annotations

import asyncio
import logging
from collections import deque

LINES = 200
LONGEST_LINE_BYTES = 65536
COMPLAINTS = ("error", "failed", "assert", "exception", "invalid")

log = logging.getLogger(__name__)


class LogTail:
    """What a stream carried lately."""

    def __init__(self) -> None:
        self.lines: deque[str] = deque(maxlen=LINES)

    async def follow(self, stream: asyncio.StreamReader) -> None:
        """Read `stream` to its end, so that the process never waits for us."""
        rest = b""
        while chunk := await stream.read(LONGEST_LINE_BYTES):
            *lines, rest = (rest + chunk).split(b"\n")
            rest = rest[-LONGEST_LINE_BYTES:]
            for line in lines:
                self.lines.append(line.decode("utf-8", "replace").rstrip())
                log.debug("%s", self.lines[-1])

    def complaint(self) -> str:
        """The first line that speaks of an error, "" if none does; later ones say less."""
        for line in self.lines:
            if any(word in line.lower() for word in COMPLAINTS):
                return line.rpartition("error loading model: ")[2].strip()
        return ""
