"""A text as UTF-8 bytes, which may lie in a mapped file; lines are cut out when they are asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bytes = bytes | memoryview
ERRORS = "surrogatepass"  # an editor may send half of a pair


class Utf8Text:
    """Keeps about as many bytes as the text has characters; a list of strings takes twice as many and more.

    Line ends are ``\\n``; a final one gives no extra line.
    """

    __slots__ = ("_bytes", "_ends", "line_count", "mapped")

    def __init__(self, content: Bytes, line_count: int, mapped: bool = False) -> None:
        self._bytes = content
        self.line_count = line_count
        self.mapped = mapped
        """The bytes lie in a file, and need no memory but what the system spares."""
        self._ends: NDArray[np.uint32] | None = None

    def __len__(self) -> int:
        """Bytes."""
        return len(self._bytes)

    @property
    def content(self) -> Bytes:
        """The bytes; not for keeping."""
        return self._bytes

    def same_as(self, other: Utf8Text) -> bool:
        """Is it the same text?"""
        if len(self) != len(other):
            return False
        return self._bytes is other._bytes or bytes(self._bytes) == bytes(other._bytes)

    def move(self, content: memoryview) -> None:
        """Read the same text from a mapped file from now on."""
        self._bytes = content
        self.mapped = True

    def decode(self) -> str:
        """The whole text."""
        return str(self._bytes, "utf-8", ERRORS)

    def cut(self, first: int, end: int) -> str:
        """The lines from `first` up to `end`, without the last one's line end."""
        end = min(end, self.line_count)
        if first >= end:
            return ""
        content, ends = self._bytes, self._line_ends()
        start = int(ends[first - 1]) + 1 if first else 0
        stop = int(ends[end - 1]) if end <= ends.size else len(content)
        return str(content[start:stop], "utf-8", ERRORS)

    def _line_ends(self) -> NDArray[np.uint32]:
        """Where lines end: kept from the first cut on, as few files are ever shown."""
        if self._ends is None:
            self._ends = np.flatnonzero(np.frombuffer(self._bytes, np.uint8) == ord("\n")).astype(np.uint32)
        return self._ends


def utf8_text(text: str) -> Utf8Text:
    """The same text as bytes."""
    lines = text.count("\n") + (not text.endswith("\n") and bool(text))
    return Utf8Text(text.encode("utf-8", ERRORS), lines)
