"""Prediction -> what is shown: a table of pure filters.

Each is handed what is left of the prediction and what is known about its place, and gives back as much
or less; the two that indent may change the white space that lines begin with, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

from bowerbird.completion.finish import indents, lines, repeats, scopes
from bowerbird.completion.finish.draft import Draft, Piece

__all__ = ["DEFAULT", "FILTERS", "Draft", "Filter", "Finished", "Piece", "chosen", "finished"]


@dataclass(frozen=True, slots=True)
class Filter:
    """A row of the table."""

    name: str
    says: str
    """One sentence."""
    run: Callable[[Piece, Draft], Piece]
    on: bool = True
    """By default; `bowerbird bench filters` tells which do harm."""
    indents: bool = False
    """It may change the white space that lines begin with."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What is shown."""

    text: str
    replaces_before: int
    """Characters before the cursor, all on its line, that the text takes the place of."""
    replaces_behind: int
    """Characters behind the cursor, all on its line, that the text takes the place of."""
    trimmed: tuple[str, ...]
    """For each filter that changed something its name, and what it took."""

    @property
    def edit(self) -> tuple[str, int, int]:
        """All that the document gets to see of it."""
        return self.text, self.replaces_before, self.replaces_behind


def _of_text(run: Callable[[str, Draft], str]) -> Callable[[Piece, Draft], Piece]:
    """A filter that replaces nothing."""
    return lambda piece, draft: replace(piece, text=run(piece.text, draft))


FILTERS: dict[str, Filter] = {
    row.name: row
    for row in (
        Filter(
            "unfinished-line",
            "A prediction that was cut off keeps its whole lines.",
            _of_text(lines.unfinished_line),
        ),
        Filter(
            "indentation",
            "Lines are indented with the document's tabs or spaces, and as wide.",
            _of_text(indents.document_indentation),
            indents=True,
        ),
        Filter("looping", "Lines that repeat the lines just before them are cut.", _of_text(repeats.looping)),
        Filter(
            "repeating-above",
            "A completion that begins with the lines just above it is dropped.",
            _of_text(repeats.repeating_above),
        ),
        Filter(
            "repeating-below",
            "A completion ends before a line that equals the next line below.",
            _of_text(repeats.repeating_below),
        ),
        Filter(
            "within-line",
            "Before other text on its line a completion has one line.",
            _of_text(lines.within_line),
        ),
        Filter(
            "overlapping",
            "An end that equals the beginning of what stands behind the cursor is cut.",
            _of_text(repeats.overlapping),
        ),
        Filter(
            "closed-already",
            "What the document closes behind the cursor is not closed again.",
            scopes.closed_already,
        ),
        Filter(
            "first-line",
            "On a blank line the first line begins at the right column.",
            indents.first_line,
            indents=True,
        ),
        Filter(
            "leaving-block",
            "A completion ends with the block that the cursor stands in.",
            scopes.leaving_block,
        ),
        Filter(
            "unsound",
            "The longest prefix stays that adds no error to the document.",
            scopes.unsound,
            on=False,  # beside the others it cut 24 completions for the better and 42 for the worse
        ),
        Filter("trailing-space", "No white space stands at the end.", _of_text(lines.trailing_space)),
        Filter(
            "nothing-to-show",
            "A single character, or what only closes, is no completion.",
            _of_text(lines.nothing_to_show),
            on=False,  # 6 for the better, 9 for the worse: a lone bracket is often what follows
        ),
    )
}
"""In the order in which they run."""

DEFAULT = tuple(name for name, row in FILTERS.items() if row.on)
"""Names of the filters that are on."""


def chosen(wishes: Iterable[str]) -> tuple[str, ...]:
    """The names of the filters that run: those on by default and the wished ones; ``-NAME`` is off."""
    wanted = set(DEFAULT)
    for wish in wishes:
        if wish.startswith("-"):
            wanted.discard(wish[1:])
        else:
            wanted.add(wish)
    return tuple(name for name in FILTERS if name in wanted)


def finished(prediction: str, draft: Draft, names: Collection[str] = DEFAULT) -> Finished:
    """What is shown of `prediction`, by the filters called `names`."""
    piece = Piece(prediction)
    trimmed: list[str] = []
    for name, row in FILTERS.items():
        if name in names and piece.text:
            before, piece = piece, row.run(piece, draft)
            if piece != before:
                trimmed.append(f"{name}: {_difference(before.text, piece.text)}")
    if not piece.text:
        piece = Piece("")
    return Finished(piece.text, piece.replaces_before, piece.replaces_behind, tuple(trimmed))


def _difference(before: str, after: str) -> str:
    """What was taken off the end; if the beginning changed too, what became of it."""
    return repr(before[len(after) :]) if before.startswith(after) else f"{before!r} -> {after!r}"
