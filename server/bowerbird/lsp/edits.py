"""Edits of a document, made as small as they are: what editors send often replaces text by the same text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bowerbird.text import Position, normalize_line_ends

MAX_DIFFED_LINES = 2000  # beyond, a replacement is one edit; formatters send whole files


@dataclass(frozen=True, slots=True)
class Edit:
    """The characters from `start` up to `end` became `text`."""

    start: Position
    end: Position
    text: str
    """Line ends as ``\\n``."""

    @property
    def new_end(self) -> Position:
        """Where `text` ends."""
        return advance(self.start, self.text)

    def shifted(self, place: Position) -> Position:
        """Where a place is found afterwards that is not before the edit's end."""
        if place.line == self.end.line:
            return Position(self.new_end.line, self.new_end.column + place.column - self.end.column)
        return Position(place.line + self.new_end.line - self.end.line, place.column)


def smallest(edit: Edit, lines: Sequence[str]) -> Iterator[Edit]:
    """What `edit` changes in a document of these `lines`, the last first: each edit stands for itself."""
    removed = text_between(lines, edit.start, edit.end)
    edit, removed = _trimmed(edit, removed)
    old, new = removed.splitlines(keepends=True), edit.text.splitlines(keepends=True)
    if len(old) < 2 or len(new) < 2 or max(len(old), len(new)) > MAX_DIFFED_LINES:
        yield edit
        return
    for kind, i1, i2, j1, j2 in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if kind != "equal":
            start, end = advance(edit.start, "".join(old[:i1])), advance(edit.start, "".join(old[:i2]))
            yield _trimmed(Edit(start, end, "".join(new[j1:j2])), "".join(old[i1:i2]))[0]


def text_between(lines: Sequence[str], start: Position, end: Position) -> str:
    """The text from `start` up to `end`, line ends as ``\\n``; what lies beyond the `lines` is empty."""
    if start.line == end.line:
        return "".join(lines[start.line : start.line + 1])[start.column : end.column]
    first = "".join(lines[start.line : start.line + 1])[start.column :]
    last = "".join(lines[end.line : end.line + 1])[: end.column]
    return normalize_line_ends("".join([first, *lines[start.line + 1 : end.line], last]))


def advance(place: Position, text: str) -> Position:
    """Where `text` ends that begins at `place`."""
    breaks = text.count("\n")
    if not breaks:
        return Position(place.line, place.column + len(text))
    return Position(place.line + breaks, len(text) - text.rindex("\n") - 1)


def shared_ends(one: str, other: str) -> tuple[int, int]:
    """How many characters two texts begin with alike, and how many more they end with alike."""
    head = _shared_head(one, other)
    return head, _shared_head(one[head:][::-1], other[head:][::-1])


def _shared_head(one: str, other: str) -> int:
    """By halves: both may be whole files."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _trimmed(edit: Edit, removed: str) -> tuple[Edit, str]:
    """The edit without what both texts begin and end with, and the text that it removes."""
    head, tail = shared_ends(removed, edit.text)
    old, new = removed[head : len(removed) - tail], edit.text[head : len(edit.text) - tail]
    start = advance(edit.start, removed[:head])
    return Edit(start, advance(start, old), new), old
