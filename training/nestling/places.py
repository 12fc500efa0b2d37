"""Places in code at which somebody may ask for a completion, and what should come there."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CUTS = ("line", "lines", "block", "word")
"""Rest of a line, whole lines, a block, from within a word."""

MIN_MIDDLE = 2  # visible characters


@dataclass(frozen=True, slots=True)
class Place:
    """One place in a file, and what follows there."""

    cut: str
    start: int
    """Offset at which the prefix ends."""
    end: int
    """Offset at which the middle ends."""


def draw_places(text: str, rng: random.Random, shares: Sequence[float], wanted: int) -> Iterator[Place]:
    """About `wanted` places of a file; `shares` says how often each of `CUTS` is drawn."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    visible = [number for number, line in enumerate(lines) if line.strip()]
    for _ in range(wanted if len(visible) > 3 else 0):
        number = rng.choice(visible[1:])
        cut = rng.choices(CUTS, shares)[0]
        place = _place(cut, lines, starts, number, rng)
        if place is not None and len(text[place.start : place.end].strip()) >= MIN_MIDDLE:
            yield place


def _place(
    cut: str, lines: Sequence[str], starts: Sequence[int], number: int, rng: random.Random
) -> Place | None:
    line, begin = lines[number], starts[number]
    indent = len(line) - len(line.lstrip())
    end = begin + len(line)
    match cut:
        case "line":
            return Place(cut, begin + rng.randint(indent, max(indent, len(line) - 2)), end)
        case "lines":
            last = min(len(lines) - 1, number + rng.choice((0, 0, 1, 2, 4)))
            start = begin + (indent if rng.random() < 0.5 else 0)
            return Place(cut, start, starts[last] + len(lines[last]))
        case "block":
            last = _block_end(lines, number)
            start = begin + (indent if rng.random() < 0.5 else 0)
            return Place(cut, start, starts[last] + len(lines[last]))
    words = list(re.finditer(r"\w{3,}", line))
    if not words:
        return None
    word = rng.choice(words)
    return Place(cut, begin + rng.randint(word.start() + 1, word.end() - 1), end)


def _block_end(lines: Sequence[str], number: int) -> int:
    """The last line that is indented at least as far as this one, without a blank one between."""
    indent = len(lines[number]) - len(lines[number].lstrip())
    last = number
    for at in range(number + 1, min(len(lines), number + 30)):
        line = lines[at]
        if not line.strip() or len(line) - len(line.lstrip()) < indent:
            break
        last = at
    return last
