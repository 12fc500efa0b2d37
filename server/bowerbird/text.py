"""Places in a text: positions, line spans, ranges.

Lines count from 0 and end at ``\\n``, ``\\r\\n`` or ``\\r`` (the protocol's three, no others);
columns count Unicode code points. Only `lsp.convert` knows UTF-8 and UTF-16 columns.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place between two characters."""

    line: int
    """From 0."""
    column: int
    """Code points from the start of the line."""


@dataclass(frozen=True, slots=True)
class Range:
    """The characters from `start` up to `end`, which is excluded."""

    start: Position
    end: Position


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The lines from `first` up to `end`, which is excluded."""

    first: int
    end: int

    def __len__(self) -> int:
        return max(0, self.end - self.first)

    def __contains__(self, line: int) -> bool:
        return self.first <= line < self.end

    def overlaps(self, other: Span) -> bool:
        """Do the two share a line?"""
        return self.first < other.end and other.first < self.end

    def __str__(self) -> str:
        """As people count: ``12-31``, from 1, both ends included."""
        return f"{self.first + 1}-{self.end}"


def normalize_line_ends(text: str) -> str:
    """Every line end as ``\\n``; the same object where there is nothing to do."""
    if "\r" not in text:
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n")


def clamp(text: str, position: Position) -> Position:
    """The nearest place that exists in `text` (whose line ends are ``\\n``)."""
    lines = text.split("\n")
    if position.line < 0:
        return Position(0, 0)
    if position.line >= len(lines):
        return Position(len(lines) - 1, len(lines[-1]))
    return Position(position.line, min(max(0, position.column), len(lines[position.line])))


def split_at(text: str, position: Position) -> tuple[str, str]:
    """What stands before and after `position`, clamped into `text` (line ends ``\\n``)."""
    place = clamp(text, position)
    offset = 0
    for _ in range(place.line):
        offset = text.index("\n", offset) + 1
    offset += place.column
    return text[:offset], text[offset:]
