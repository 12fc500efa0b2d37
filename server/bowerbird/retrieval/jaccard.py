"""Jaccard over windows: RepoCoder's sparse retriever (section 4.2) on an inverted index of our own."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from bowerbird.knowledge.snippet import Source, Window
from bowerbird.retrieval.merging import merge, segment_of
from bowerbird.retrieval.postings import Ints
from bowerbird.retrieval.retriever import Hit, Query
from bowerbird.retrieval.segment import NO_SLOTS, Near, Segment
from bowerbird.retrieval.tokens import token_ids

ORIGIN = "jaccard"
MAX_SEGMENT_WINDOWS = 1 << 14  # merging this many takes about ten milliseconds
MAX_LOOSE_WINDOWS = 1 << 12  # while nobody asks merging can wait, and a window is merged fewer times
MAX_LOOSE_ASKED = 4  # segments; asking one costs a query 0.03 ms, merging a few small ones about 1 ms
GROWTH = 4


class _State(NamedTuple):
    """What the index holds at one moment."""

    settled: tuple[Segment, ...] = ()
    """Largest first; each is full, or over `GROWTH` times as large as the next, or has lost files."""
    loose: Mapping[str, Segment] = MappingProxyType({})
    """By path, of one file each, added lately."""
    loose_windows: int = 0
    """In all of these."""

    @property
    def segments(self) -> tuple[Segment, ...]:
        """All, the largest first."""
        return (*self.settled, *self.loose.values())

    def plus(self, name: str, segment: Segment) -> _State:
        """With one more, of a file that is in none."""
        return _State(self.settled, {**self.loose, name: segment}, self.loose_windows + len(segment))


class JaccardIndex:
    """Finds the windows whose token sets are most like the query's: ``|S_q & S_c| / |S_q | S_c|``.

    The windows stand in segments that never change. A changed file gets a segment of its own; these are
    merged when there are many, with others of like size up to a fixed size, so that a change costs the same
    in a large index and there are few segments to ask. Changes may come from several threads while others
    ask: a query works on the segments as they stood when it began.
    """

    def __init__(self) -> None:
        self._state = _State()
        self._writing = threading.Lock()

    def __len__(self) -> int:
        """Windows in the index."""
        return sum(map(len, self._state.segments))

    @property
    def memory_bytes(self) -> int:
        """Bytes in arrays and window records; the sources' text belongs to others."""
        return sum(segment.memory_bytes for segment in self._state.segments)

    def retrieve(self, query: Query, k: int) -> list[Hit]:
        """The `k` nearest windows that score above 0, scores as fractions; ties by path, then first line."""
        ids = np.unique(token_ids(query.text)[0])
        if not ids.size or k <= 0:
            return []
        nearest: list[Near] = []
        floor = math.ulp(0.0)  # above 0, below any score
        for segment in reversed(self._few_segments()):  # what small ones find spares work in large ones
            hidden: Ints = NO_SLOTS
            if query.exclude_path is not None:
                hidden = segment.overlapping(query.exclude_path.as_posix(), query.exclude_lines)
            nearest += segment.nearest(ids, hidden, k, floor)
            if len(nearest) >= k:
                nearest = sorted(nearest, key=_rank)[:k]
                floor = nearest[-1].score
        return [
            Hit(near.window, Fraction(near.shared, near.union), ORIGIN) for near in sorted(nearest, key=_rank)
        ]

    def replace(self, path: Path, windows: Sequence[Window]) -> None:
        """Let `windows`, all cut from one source of `path`, take the place of what the file had."""
        name = path.as_posix()
        segment = segment_of(name, windows) if windows else None
        with self._writing:
            state = _without(self._state, name)
            if segment is not None:
                state = state.plus(name, segment)
            self._state = _settle(state) if state.loose_windows > MAX_LOOSE_WINDOWS else state

    def remove(self, path: Path) -> None:
        """Forget a file; one that is not there is no error."""
        with self._writing:
            self._state = _without(self._state, path.as_posix())

    def holds(self, source: Source) -> bool:
        """Do the windows of just this source stand here?"""
        return any(segment.holds(source) for segment in self._state.segments)

    def gather(self, sources: Collection[Source]) -> Segment | None:
        """A segment of just these sources, as far as they stand here; None where none does."""
        holding = [one for one in self._state.segments if any(map(sources.__contains__, one.files.sources))]
        return merge(holding, sources.__contains__) if holding else None

    def adopt(self, segment: Segment, is_current: Callable[[Source], bool]) -> None:
        """Let a kept segment stand for those of its sources that are current, in place of what they had."""
        with self._writing:
            stale = [
                at for at, source in enumerate(segment.files.sources) if source and not is_current(source)
            ]
            segment = segment.without(stale)
            names = [
                name
                for name, source in zip(segment.files.names, segment.files.sources, strict=True)
                if source is not None
            ]
            if not names:
                return
            state = _without_all(self._state, frozenset(names))
            self._state = state._replace(settled=_with_kept(state.settled, segment))

    def clear(self) -> None:
        """Forget all files."""
        with self._writing:
            self._state = _State()

    def _few_segments(self) -> tuple[Segment, ...]:
        """All segments, the loose ones merged if there are too many to ask each."""
        if len(self._state.loose) > MAX_LOOSE_ASKED:
            with self._writing:
                self._state = _settle(self._state)
        return self._state.segments


def _rank(near: Near) -> tuple[float, str, int, int]:
    return -near.score, near.name, near.first, near.end


def _without(state: _State, name: str) -> _State:
    """The state after a file was taken away; a segment more than half empty is packed anew."""
    settled: list[Segment] = []
    for segment in state.settled:
        if (at := segment.file(name)) is not None:
            segment = segment.without([at])
            if not len(segment):
                continue
            if segment.dead.size > len(segment):
                segment = merge([segment])
        settled.append(segment)
    if (gone := state.loose.get(name)) is None:
        return state._replace(settled=tuple(settled))
    loose = {other: segment for other, segment in state.loose.items() if segment is not gone}
    return _State(tuple(settled), loose, state.loose_windows - len(gone))


def _without_all(state: _State, names: Collection[str]) -> _State:
    """The same for many files at once; nothing is packed anew."""
    settled: list[Segment] = []
    for segment in state.settled:
        gone = [
            at for at, name in enumerate(segment.files.names) if name in names and segment.files.sources[at]
        ]
        if gone:
            segment = segment.without(gone)
        if len(segment):
            settled.append(segment)
    loose = {name: segment for name, segment in state.loose.items() if name not in names}
    return _State(tuple(settled), loose, sum(map(len, loose.values())))


def _with_kept(settled: Sequence[Segment], segment: Segment) -> tuple[Segment, ...]:
    """The settled segments and a kept one; with one of the same arrays it becomes one again.

    Else each file that is opened and closed would leave another segment to ask behind.
    """
    others: list[Segment] = []
    for one in settled:
        if one.kept and one.ids is segment.ids:
            segment = one.joined_by(segment)
        else:
            others.append(one)
    return tuple(sorted((*others, segment), key=len, reverse=True))


def _settle(state: _State) -> _State:
    """The state without loose segments: they are merged with one another, and with others not much larger."""
    kept = [segment for segment in state.settled if segment.kept]
    rest = sorted((one for one in state.settled if not one.kept), key=len, reverse=True)
    merging = list(state.loose.values())
    windows = state.loose_windows
    while rest and len(rest[-1]) <= GROWTH * windows and windows + len(rest[-1]) <= MAX_SEGMENT_WINDOWS:
        merging.append(rest.pop())
        windows += len(merging[-1])
    if merging:
        rest.append(merge(merging))
    return _State(tuple(sorted((*kept, *rest), key=len, reverse=True)))
