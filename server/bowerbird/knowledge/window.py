"""Slide windows over a file (RepoCoder's retrieval unit, section 2.2), snapped to its syntax."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bowerbird.knowledge.snippet import Source, Window
from bowerbird.syntax.entities import Outline, outline
from bowerbird.syntax.parser import parse
from bowerbird.text import Span


def slide_windows(source: Source, window_lines: int, slide_lines: int, snap: bool = True) -> list[Window]:
    """The windows of `source`, in order: `window_lines` (S_w) lines each, one every `slide_lines` (S_s).

    Windows begin at 0, S_s, 2 S_s, ... With `snap` and a grammar each but the first moves, by less
    than half of S_s, to the nearest line at which a definition begins, else a statement; its end moves
    along. What is not understood is not moved. Every line that is not blank is covered, no two windows
    begin alike, none is blank, and the one that reaches the end of the file is the last. An S_s above
    S_w counts as S_w. Raises `ValueError` if either is below 1.
    """
    if window_lines < 1 or slide_lines < 1:
        raise ValueError(
            f"window_lines and slide_lines are at least 1, not {window_lines} and {slide_lines}."
        )
    slide_lines = min(slide_lines, window_lines)
    lines = source.lines
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    tree = parse(source.text, source.language) if snap else None
    move = _snap(outline(tree), slide_lines) if tree else min
    firsts = _firsts(end, window_lines, slide_lines, move)
    spans = [Span(first, min(first + window_lines, end)) for first in firsts]
    return [Window(source, span) for span in spans if any(map(str.strip, lines[span.first : span.end]))]


def _firsts(end: int, window_lines: int, slide_lines: int, move: Callable[[int, int], int]) -> Iterator[int]:
    """First lines over `end` lines; `move` gets each nominal one and the last that leaves no gap."""
    if end:
        first = nominal = 0
        yield first
        while first + window_lines < end:
            nominal += slide_lines
            first = move(nominal, min(first + window_lines, end - 1))
            yield first


def _snap(found: Outline, slide_lines: int) -> Callable[[int, int], int]:
    """A function that moves a nominal first line to where the syntax has a beginning."""
    reach = max(0, slide_lines // 2 - 1)  # neighbours cannot meet, and each line is near one nominal at most
    nearest_first = sorted(range(-reach, reach + 1), key=abs)

    definitions_near: dict[int, list[int]] = {}
    for one in found.definitions:
        nominal = (one.span.first + reach) // slide_lines * slide_lines
        if one.span.first <= nominal + reach and one.span.first in found.beginnings:
            definitions_near.setdefault(nominal, []).append(one.span.first)

    def move(nominal: int, latest: int) -> int:
        definitions = [line for line in definitions_near.get(nominal, ()) if line <= latest]
        if definitions:
            return min(definitions, key=lambda line: abs(line - nominal))
        for step in nearest_first:
            if nominal + step <= latest and nominal + step in found.beginnings:
                return nominal + step
        return min(nominal, latest)

    return move
