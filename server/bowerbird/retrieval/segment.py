"""A segment of windows: an inverted index over some files that is never changed, only replaced.

Its arrays may lie in memory or in a mapped file: nothing here knows which.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bowerbird.knowledge.snippet import Source, Window
from bowerbird.retrieval.postings import Ints, find
from bowerbird.text import Span

MARGIN = 1e-9  # more than floats are wrong by, less than one token of any query
FOLDS = 64  # of the scores, when the best are sought
NO_SLOTS: NDArray[np.int32] = np.zeros(0, np.int32)


class Near(NamedTuple):
    """A window that shares tokens with the query."""

    score: float
    shared: int
    """Tokens in both."""
    union: int
    """Tokens in either."""
    name: str
    """The file's path with ``/``."""
    first: int
    """Line."""
    end: int
    """Line behind its last one."""
    source: Source

    @property
    def window(self) -> Window:
        return Window(self.source, Span(self.first, self.end))


class Files(NamedTuple):
    """Which windows of which files a segment has. Slots ascend as ties do: by path, then first line."""

    names: tuple[str, ...]
    """[files], ascending; paths with ``/``."""
    sources: tuple[Source | None, ...]
    """[files]; None for one that was taken away: the postings still name its windows."""
    starts: NDArray[np.int32]
    """[files + 1]; the windows of file `i` are the slots from ``starts[i]`` up to ``starts[i + 1]``."""
    first: NDArray[np.int32]
    """[windows]; first lines."""
    end: NDArray[np.int32]
    """[windows]; lines behind the last ones."""

    def slots(self, at: int) -> slice:
        """The windows of a file."""
        return slice(int(self.starts[at]), int(self.starts[at + 1]))


@dataclass(frozen=True, slots=True)
class Segment:
    """Some files' windows and their inverted index."""

    files: Files
    ids: NDArray[np.int64]
    """[rare tokens], ascending."""
    starts: NDArray[np.int32]
    """[rare tokens + 1]; token `i` stands in the windows ``slots[starts[i]:starts[i + 1]]``."""
    slots: Ints
    """[postings], of 16 bits where they suffice."""
    common_ids: NDArray[np.int64]
    """[common tokens], ascending."""
    common: NDArray[np.uint8]
    """[common tokens, windows / 8]; a bit for each window."""
    sizes: NDArray[np.int32]
    """[windows]; tokens in each."""
    dead: NDArray[np.int32]
    """Slots of files that were taken away."""
    kept: bool = False
    """The arrays lie in a file, and are not merged with others in memory."""

    def __len__(self) -> int:
        """Windows that can be found."""
        return self.sizes.size - self.dead.size

    @property
    def memory_bytes(self) -> int:
        """Bytes in arrays, mapped or not, and in the list of files."""
        arrays = (self.ids, self.starts, self.slots, self.common_ids, self.common, self.sizes, self.dead)
        spans = (self.files.starts, self.files.first, self.files.end)
        return sum(array.nbytes for array in (*arrays, *spans)) + 16 * len(self.files.names)

    def file(self, name: str) -> int | None:
        """Where the file called `name` stands, if it does."""
        names = self.files.names
        at = bisect_left(names, name)
        return at if at < len(names) and names[at] == name and self.files.sources[at] is not None else None

    def holds(self, source: Source) -> bool:
        """Do the windows of just this source stand here?"""
        at = self.file(source.posix)
        return at is not None and self.files.sources[at] is source

    def without(self, gone: Collection[int]) -> Segment:
        """The same segment after these files, which stand here, were taken away."""
        sources = list(self.files.sources)
        for at in gone:
            sources[at] = None
        slots = [np.arange(*self.files.starts[at : at + 2], dtype=np.int32) for at in gone]
        files = self.files._replace(sources=tuple(sources))
        return replace(self, files=files, dead=np.concatenate((self.dead, *slots)))

    def joined_by(self, other: Segment) -> Segment:
        """The same segment with those files too that stand in `other`, another state of the same arrays."""
        pairs = zip(self.files.sources, other.files.sources, strict=True)
        files = self.files._replace(sources=tuple(theirs or ours for ours, theirs in pairs))
        return replace(self, files=files, dead=np.intersect1d(self.dead, other.dead, assume_unique=True))

    def overlapping(self, name: str, lines: Span) -> Ints:
        """Slots of the windows of the file `name` that share a line with `lines`."""
        if (at := self.file(name)) is None:
            return NO_SLOTS
        slots = self.files.slots(at)
        shares = [
            Span(first, end).overlaps(lines)
            for first, end in zip(
                self.files.first[slots].tolist(), self.files.end[slots].tolist(), strict=True
            )
        ]
        found: Ints = slots.start + np.flatnonzero(shares)
        return found

    def nearest(self, query: NDArray[np.int64], hidden: Ints, k: int, floor: float) -> list[Near]:
        """The `k` windows nearest to `query` (distinct token ids) that score at least `floor`, unordered.

        Slots in `hidden` are passed over. Where the last places are tied, the lowest slots have them.
        """
        shared = self._shared(query)
        shared[self.dead] = 0
        shared[hidden] = 0
        # A score is at most the share of the query that is found: what holds less of it need not be scored.
        slots = np.flatnonzero(shared >= max(1, math.ceil(floor * query.size * (1 - MARGIN))))
        shared = shared[slots]
        union = query.size + self.sizes[slots] - shared
        # Different fractions of integers below 2**26 lie further apart than float64 rounds, and equal ones
        # round alike: so floats order and tie the windows exactly as the fractions do.
        score = shared / union  # a prior over files would weigh it here; at most 1, as the bound asks
        return [
            self._near(int(slots[at]), float(score[at]), int(shared[at]), int(union[at]))
            for at in _top(score, k, floor).tolist()
        ]

    def _shared(self, query: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many of the query's tokens each window holds: [windows]."""
        rows = find(self.ids, query)
        edges = zip(self.starts[rows].tolist(), self.starts[rows + 1].tolist(), strict=True)
        pieces = [self.slots[first:end] for first, end in edges]
        shared = np.bincount(np.concatenate(pieces) if pieces else NO_SLOTS, minlength=self.sizes.size)
        rows = find(self.common_ids, query)
        if rows.size:
            bits = np.unpackbits(self.common[rows], axis=1, count=self.sizes.size)
            shared += bits.sum(axis=0, dtype=np.uint8 if rows.size < 256 else np.uint32)
        return shared

    def _near(self, slot: int, score: float, shared: int, union: int) -> Near:
        files = self.files
        at = int(files.starts.searchsorted(slot, "right")) - 1
        source = files.sources[at]
        assert source is not None  # its slots are dead, and share nothing
        return Near(
            score, shared, union, files.names[at], int(files.first[slot]), int(files.end[slot]), source
        )


def _top(score: NDArray[np.float64], k: int, floor: float) -> NDArray[np.intp]:
    """Slots of the `k` highest scores of at least `floor`; of equals the lowest."""
    if score.size >= FOLDS * k:
        # The k-th best among the folds' maxima is no better than the k-th best of all, and found cheaply.
        best = score[: score.size // FOLDS * FOLDS].reshape(FOLDS, -1).max(axis=0)
        floor = max(floor, float(np.partition(best, -k)[-k]))
    near = np.flatnonzero(score >= floor)
    if near.size <= k:
        return near
    among = score[near]
    kth = np.partition(among, -k)[-k]
    above, level = near[among > kth], near[among == kth]
    return np.concatenate((above, level[: k - above.size]))
