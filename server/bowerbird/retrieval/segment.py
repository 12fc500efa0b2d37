"""A segment of windows: an inverted index over some files that is never changed, only replaced."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bowerbird.knowledge.snippet import Window
from bowerbird.retrieval.postings import Ints, Rows, find, joined, renumbered, rows_of_lines
from bowerbird.retrieval.tokens import token_ids
from bowerbird.text import Span

COMMON_SHARE = 8  # a token in over 1/8 of the windows is kept as bits: smaller, and faster to add up
MIN_WINDOWS_FOR_BITS = 512
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
    window: Window


@dataclass(frozen=True, slots=True)
class FileWindows:
    """The windows of one file in a segment."""

    name: str
    """The path with ``/``, by which files are ordered."""
    first: int
    """Slot of the first window; the others follow."""
    windows: tuple[Window, ...]
    """By first line."""

    @property
    def slots(self) -> slice:
        return slice(self.first, self.first + len(self.windows))


@dataclass(frozen=True, slots=True)
class Segment:
    """Some files' windows and their inverted index. Slots ascend as ties do: by path, then first line."""

    files: tuple[FileWindows, ...]
    """By name."""
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
    """Slots of files that were taken away; `files` no longer names them, the postings still do."""

    def __len__(self) -> int:
        """Windows that can be found."""
        return self.sizes.size - self.dead.size

    @property
    def memory_bytes(self) -> int:
        """Bytes in arrays and window records."""
        arrays = (self.ids, self.starts, self.slots, self.common_ids, self.common, self.sizes, self.dead)
        windows = (window for file in self.files for window in file.windows)
        return sum(array.nbytes for array in arrays) + sum(map(_record_bytes, windows))

    def file(self, name: str) -> FileWindows | None:
        """The file called `name`, if it stands here."""
        at = bisect_left(self.files, name, key=lambda file: file.name)
        return self.files[at] if at < len(self.files) and self.files[at].name == name else None

    def without(self, file: FileWindows) -> Segment:
        """The same segment after `file`, one of its own, was taken away."""
        gone = np.arange(file.slots.start, file.slots.stop, dtype=np.int32)
        files = tuple(other for other in self.files if other is not file)
        return replace(self, files=files, dead=np.concatenate((self.dead, gone)))

    def overlapping(self, name: str, lines: Span) -> Ints:
        """Slots of the windows of the file `name` that share a line with `lines`."""
        if (file := self.file(name)) is None:
            return NO_SLOTS
        shares = [window.span.overlaps(lines) for window in file.windows]
        return file.first + np.flatnonzero(shares)

    def nearest(self, query: NDArray[np.int64], hidden: Ints, k: int, floor: float) -> list[Near]:
        """The `k` windows nearest to `query` (distinct token ids) that score at least `floor`, unordered.

        Slots in `hidden` are passed over. Where the last places are tied, the lowest slots have them.
        """
        shared = self._shared(query)
        shared[self.dead] = 0
        shared[hidden] = 0
        union = query.size + self.sizes - shared
        # Different fractions of integers below 2**26 lie further apart than float64 rounds, and equal ones
        # round alike: so floats order and tie the windows exactly as the fractions do.
        score = shared / union
        return [
            Near(float(score[slot]), int(shared[slot]), int(union[slot]), *self._at(slot))
            for slot in _top(score, k, floor).tolist()
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

    def _at(self, slot: int) -> tuple[str, Window]:
        file = self.files[bisect_right(self.files, slot, key=lambda file: file.first) - 1]
        return file.name, file.windows[slot - file.first]


def segment_of(name: str, windows: Sequence[Window]) -> Segment:
    """A segment for one file's windows, all cut from one source; there is at least one."""
    windows = sorted(windows, key=lambda window: window.span)
    ids, starts = token_ids(windows[0].source.text)
    spans = np.array([(window.span.first, window.span.end) for window in windows])
    first, end = np.minimum(spans, starts.size - 1).T
    rows = rows_of_lines(ids, starts, first, end)
    sizes = np.bincount(rows.slots, minlength=len(windows))
    return _segment((FileWindows(name, 0, tuple(windows)),), rows, sizes.astype(np.int32))


def merge(segments: Sequence[Segment]) -> Segment:
    """One segment with the files of all, of which there is at least one; what is dead is left behind."""
    numbers = [np.full(segment.sizes.size, -1, np.int32) for segment in segments]
    standing = [
        (file, number) for segment, number in zip(segments, numbers, strict=True) for file in segment.files
    ]
    files: list[FileWindows] = []
    slot = 0
    for file, number in sorted(standing, key=lambda pair: pair[0].name):
        files.append(replace(file, first=slot))
        slot = files[-1].slots.stop
        number[file.slots] = np.arange(files[-1].first, slot)
    sizes = np.zeros(slot, np.int32)
    rows: list[Rows] = []
    for segment, number in zip(segments, numbers, strict=True):
        sizes[number[number >= 0]] = segment.sizes[number >= 0]
        rows += (renumbered(part, number) for part in _rows(segment))
    return _segment(tuple(files), joined(rows), sizes)


def _rows(segment: Segment) -> list[Rows]:
    """The postings that the segment was made from."""
    rare = Rows(segment.ids, np.diff(segment.starts), segment.slots)
    if not segment.common_ids.size:
        return [rare]
    bits = np.unpackbits(segment.common, axis=1, count=segment.sizes.size)
    return [rare, Rows(segment.common_ids, bits.sum(axis=1, dtype=np.int64), np.nonzero(bits)[1])]


def _segment(files: tuple[FileWindows, ...], rows: Rows, sizes: NDArray[np.int32]) -> Segment:
    """Give the postings, ascending by token, their lasting form."""
    windows = sizes.size
    rare = rows
    common = Rows(rows.ids[:0], rows.lengths[:0], rows.slots[:0])
    if windows >= MIN_WINDOWS_FOR_BITS:
        is_common = rows.lengths > windows // COMMON_SHARE
        common, rare = rows.where(is_common), rows.where(~is_common)
    bits = np.zeros((common.ids.size, windows), np.bool_)
    bits[np.repeat(np.arange(common.ids.size), common.lengths), common.slots] = True
    return Segment(
        files=files,
        ids=rare.ids,
        starts=np.concatenate(([0], np.cumsum(rare.lengths))).astype(np.int32),
        slots=rare.slots.astype(np.uint16 if windows <= 1 << 16 else np.uint32),
        common_ids=common.ids,
        common=np.packbits(bits, axis=1),
        sizes=sizes,
        dead=NO_SLOTS,
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


def _record_bytes(window: Window) -> int:
    span = window.span
    return sum(map(sys.getsizeof, (window, span, span.first, span.end)))
