"""Makes segments: from one file's windows, and by merging others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bowerbird.knowledge.snippet import Source, Window
from bowerbird.retrieval.postings import Rows, joined, renumbered, rows_of_lines
from bowerbird.retrieval.segment import NO_SLOTS, Files, Segment
from bowerbird.retrieval.tokens import token_ids

COMMON_SHARE = 8  # a token in over 1/8 of the windows is kept as bits: smaller, and faster to add up
MIN_WINDOWS_FOR_BITS = 512


def segment_of(name: str, windows: Sequence[Window]) -> Segment:
    """A segment for one file's windows, all cut from one source; there is at least one."""
    windows = sorted(windows, key=lambda window: window.span)
    source = windows[0].source
    ids, starts = token_ids(source.text)
    spans = np.array([(window.span.first, window.span.end) for window in windows])
    first, end = np.minimum(spans, starts.size - 1).T
    rows = rows_of_lines(ids, starts, first, end)
    sizes = np.bincount(rows.slots, minlength=len(windows))
    lines = spans.astype(np.int32).T
    files = Files((name,), (source,), np.array([0, len(windows)], np.int32), lines[0], lines[1])
    return _segment(files, rows, sizes.astype(np.int32))


def merge(segments: Sequence[Segment], kept: Callable[[Source], bool] = lambda _: True) -> Segment:
    """One segment with the files of all, of which there is at least one, that are `kept`.

    What is dead is left behind.
    """
    numbers = [np.full(segment.sizes.size, -1, np.int32) for segment in segments]
    standing = [
        (name, source, which, at)
        for which, segment in enumerate(segments)
        for at, (name, source) in enumerate(zip(segment.files.names, segment.files.sources, strict=True))
        if source is not None and kept(source)
    ]
    standing.sort(key=lambda one: one[0])
    spans = [(which, segments[which].files.slots(at)) for _, _, which, at in standing]
    starts = np.zeros(len(standing) + 1, np.int32)
    np.cumsum([slots.stop - slots.start for _, slots in spans], out=starts[1:])
    for slot, (which, slots) in zip(starts.tolist(), spans, strict=False):
        numbers[which][slots] = np.arange(slot, slot + slots.stop - slots.start)
    first, end, sizes = (np.zeros(int(starts[-1]), np.int32) for _ in range(3))
    rows: list[Rows] = []
    for segment, number in zip(segments, numbers, strict=True):
        here = number >= 0
        first[number[here]] = segment.files.first[here]
        end[number[here]] = segment.files.end[here]
        sizes[number[here]] = segment.sizes[here]
        rows += (renumbered(part, number) for part in _rows(segment))
    names, sources = tuple(one[0] for one in standing), tuple(one[1] for one in standing)
    return _segment(Files(names, sources, starts, first, end), joined(rows), sizes)


def _rows(segment: Segment) -> list[Rows]:
    """The postings that the segment was made from."""
    rare = Rows(segment.ids, np.diff(segment.starts), segment.slots)
    if not segment.common_ids.size:
        return [rare]
    bits = np.unpackbits(segment.common, axis=1, count=segment.sizes.size)
    return [rare, Rows(segment.common_ids, bits.sum(axis=1, dtype=np.int64), np.nonzero(bits)[1])]


def _segment(files: Files, rows: Rows, sizes: NDArray[np.int32]) -> Segment:
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
