"""Follows what was suggested through the edits that come after: was it taken, and how much of it stays?

Editors do not all tell when a suggestion is taken, so it counts as taken when its text appears at its place.
Everything here is a function of what it is told, the time included.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from bowerbird.lsp.edits import Edit, advance, shared_ends, smallest, text_between
from bowerbird.meter import LINE, WHOLE, WORD, Event, Shown, Survived
from bowerbird.text import Position

MIN_TAKEN = 4  # characters; so many keys at most come in one change where the editor gathers them (150 ms)
MAX_REGIONS = 200
MAX_COMPARED = 20_000  # characters of a region that has swallowed half a file
CHECKS_S = {"30s": 30.0, "2m": 120.0}
ON_SAVE = "save"
FORGOTTEN_S = 600.0  # who has not saved by then

UNTYPED = (Position(0, 0), "")
TOKEN = re.compile(r"\w+|[^\w\s]")

Lines = Sequence[str]
"""A document's lines with their ends."""


@dataclass(frozen=True, slots=True)
class Pending:
    """The suggestion that is shown."""

    uri: str
    place: Position
    """Where the editor shows it."""
    rest: str
    """What of it is not in the document yet."""
    shown: Shown
    typed: tuple[Position, str] = UNTYPED
    """What was last written of it, too little to tell typing from taking."""
    told: bool = False
    """The editor has said that it was taken, and its text has not appeared yet."""


@dataclass(frozen=True, slots=True)
class Region:
    """Where something stands that was taken."""

    uri: str
    start: Position
    end: Position
    text: str
    shown: Shown
    at: float
    left: tuple[str, ...] = (*CHECKS_S, ON_SAVE)
    """The looks at it that are still to come."""

    def moved(self, edit: Edit) -> Region:
        """The region after `edit`: what replaces some of it belongs to it, what is put beside it does not."""
        if edit.start >= self.end > self.start:
            return self
        if edit.end <= self.start:
            return replace(self, start=edit.shifted(self.start), end=edit.shifted(self.end))
        end = edit.shifted(self.end) if edit.end <= self.end else edit.new_end
        return replace(self, start=min(self.start, edit.start), end=end)

    def is_due(self, check: str, now: float) -> bool:
        """Is it time for this look?"""
        return check in CHECKS_S and self.at + CHECKS_S[check] <= now

    @property
    def due_at(self) -> float:
        """When to look at it next."""
        times = [self.at + CHECKS_S[check] for check in self.left if check in CHECKS_S]
        return min(times, default=self.at + FORGOTTEN_S)


class Tracker:
    """One editor's suggestions. Every method gives the events that have come to their end."""

    def __init__(self) -> None:
        self._pending: Pending | None = None
        self._regions: list[Region] = []

    def follows(self, uri: str) -> bool:
        """Do changes of this document matter?"""
        pending = self._pending
        return (pending is not None and pending.uri == uri) or any(r.uri == uri for r in self._regions)

    @property
    def due_at(self) -> float | None:
        """When `due` has something to do again."""
        return min((region.due_at for region in self._regions), default=None)

    def show(self, uri: str, place: Position, text: str, shown: Shown) -> list[Event]:
        """`text` is shown at `place`. What goes on with the suggestion before is the same suggestion."""
        old = self._pending
        if old is not None and (old.uri, old.place, old.rest) == (uri, place, text):
            return []
        ended = self.finish()
        self._pending = Pending(uri, place, text, shown)
        return ended

    def change(self, uri: str, lines: Lines, edit: Edit, now: float) -> list[Event]:
        """`edit` is made to a document that had these `lines` until then."""
        events: list[Event] = []
        for small in smallest(edit, lines):
            self._regions = [r.moved(small) if r.uri == uri else r for r in self._regions]
            if self._pending is not None and self._pending.uri == uri:
                events += self._follow(self._pending, small, now)
        return events

    def accept(self, now: float) -> list[Event]:
        """The editor says that the suggestion was taken: its text has appeared, or the next change has it."""
        pending = self._pending
        if pending is None:
            return []
        start, typed = pending.typed
        if pending.rest or not typed:
            self._pending = replace(pending, told=True)
            return []
        return self._take(pending, start, typed, rest="", now=now)

    def due(self, now: float, lines_of: Callable[[str], Lines | None]) -> list[Event]:
        """Look at what was taken some time ago, in a document's lines as they are; None if it is closed."""
        return self._look(
            lambda region: [check for check in region.left if region.is_due(check, now)], lines_of, now
        )

    def save(self, uri: str, lines: Lines, now: float) -> list[Event]:
        """A document was written to disk, and has these lines."""
        return self._look(lambda region: [ON_SAVE] if region.uri == uri else [], lambda _: lines, now)

    def close(self, uri: str) -> list[Event]:
        """A document is no longer shown: nobody knows what becomes of it."""
        self._regions = [region for region in self._regions if region.uri != uri]
        return self.finish() if self._pending is not None and self._pending.uri == uri else []

    def finish(self) -> list[Event]:
        """The suggestion is no longer shown."""
        pending, self._pending = self._pending, None
        if pending is None:
            return []
        if pending.told:  # its text was never seen, such as after the editor indented it anew
            return [_taken(pending.shown, pending.rest, WHOLE)]
        return [pending.shown]

    def _look(
        self,
        wanted: Callable[[Region], Sequence[str]],
        lines_of: Callable[[str], Lines | None],
        now: float,
    ) -> list[Event]:
        """Make the looks that are `wanted` and still to come; forget what needs no more."""
        events: list[Event] = []
        regions, self._regions = self._regions, []
        for region in regions:
            checks = [check for check in wanted(region) if check in region.left]
            lines = lines_of(region.uri) if checks else None
            if lines is not None:
                events += _survived(region, checks, lines, now)
            left = tuple(check for check in region.left if check not in checks)
            if left and now < region.at + FORGOTTEN_S:
                self._regions.append(replace(region, left=left))
        return events

    def _follow(self, pending: Pending, edit: Edit, now: float) -> list[Event]:
        """What `edit` makes of the suggestion that is shown."""
        if edit.start == pending.place and edit.text:
            return self._written(pending, edit, now)
        if edit.start >= pending.place:
            return []
        if edit.end < pending.place:
            self._pending = replace(pending, place=edit.shifted(pending.place), typed=UNTYPED)
            return []
        return self.finish()

    def _written(self, pending: Pending, edit: Edit, now: float) -> list[Event]:
        """Something was written where the suggestion is shown."""
        text, rest = edit.text, pending.rest
        if pending.told:
            return self._take(pending, edit.start, text, "", now)
        if min(len(rest), len(text)) >= MIN_TAKEN and _dense(text).startswith(_dense(rest)):
            return self._take(pending, edit.start, rest if text.startswith(rest) else text, "", now)
        if not rest or not rest.startswith(text):
            return self.finish()
        if len(text) >= MIN_TAKEN and text.strip():
            return self._take(pending, edit.start, text, rest[len(text) :], now)
        self._pending = replace(pending, place=edit.new_end, rest=rest[len(text) :], typed=(edit.start, text))
        return []

    def _take(self, pending: Pending, start: Position, text: str, rest: str, now: float) -> list[Event]:
        """`text`, which stands at `start` now, was taken; `rest` is still shown."""
        how = WHOLE if not rest else LINE if "\n" in text or rest.startswith("\n") else WORD
        shown = _taken(pending.shown, text, how)
        place = advance(start, text)
        if text.strip():
            region = Region(pending.uri, start, place, text, shown, now)
            self._regions = [*self._regions[-MAX_REGIONS + 1 :], region]
        if not rest:
            self._pending = None
            return [shown]
        self._pending = replace(pending, place=place, rest=rest, shown=shown, typed=UNTYPED)
        return []


def kept_characters(taken: str, now: str) -> tuple[int, int]:
    """How many characters were taken, and how many of them are still there; white space does not count.

    Whole words are compared first: letters alone are found again in any code.
    """
    old, new = TOKEN.findall(taken), TOKEN.findall(now)
    kept = 0
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        before, after = "".join(old[i1:i2]), "".join(new[j1:j2])
        if kind == "equal":
            kept += len(before)
        elif kind == "replace":
            kept += sum(shared_ends(before, after))
    return sum(map(len, old)), kept


def _survived(region: Region, checks: Sequence[str], lines: Lines, now: float) -> Iterator[Survived]:
    text = text_between(lines, region.start, region.end)[:MAX_COMPARED]
    characters, kept = kept_characters(region.text, text)
    shown = region.shown
    for check in checks:
        yield Survived(now, shown.language, shown.source, shown.carried, check, characters, kept)


def _taken(shown: Shown, text: str, how: str) -> Shown:
    return replace(
        shown,
        accepted=shown.accepted or how,
        accepted_characters=shown.accepted_characters + len(text),
        accepts=shown.accepts + 1,
    )


def _dense(text: str) -> str:
    """Without white space, which editors may change."""
    return "".join(text.split())
