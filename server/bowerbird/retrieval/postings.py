"""Which token stands in which windows, as flat arrays, and what can be done to them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.integer]


class Rows(NamedTuple):
    """Postings, row after row, one row a token."""

    ids: NDArray[np.int64]
    """[rows]; the tokens."""
    lengths: Ints
    """[rows]; how many windows hold the token, never 0."""
    slots: Ints
    """[sum of lengths]; the windows that hold it, each once, in any order."""

    def where(self, kept: NDArray[np.bool_]) -> Rows:
        """Those rows for which `kept` is true."""
        return Rows(self.ids[kept], self.lengths[kept], self.slots[np.repeat(kept, self.lengths)])


def rows_of_lines(
    ids: NDArray[np.int64], starts: NDArray[np.int64], first: NDArray[np.int64], end: NDArray[np.int64]
) -> Rows:
    """The postings of windows over lines: window `i` holds the lines from ``first[i]`` up to ``end[i]``.

    `ids` and `starts` are the lines' tokens as `tokens.token_ids` gives them. A line that several windows
    share is looked at once. Rows ascend by token.
    """
    order = ids.argsort()
    ascending = ids[order]
    new = first_of_equals(ascending)
    row = np.empty(ids.size, np.int64)
    row[order] = np.cumsum(new) - 1
    count = starts[end] - starts[first]
    shift = int(first.size).bit_length()
    pairs = row[runs(starts[first], count)] << shift | np.repeat(np.arange(first.size), count)
    pairs.sort()
    pairs = pairs[first_of_equals(pairs)]
    lengths = np.bincount(pairs >> shift, minlength=int(new.sum()))
    held = lengths > 0  # windows need not cover all lines
    return Rows(ascending[new][held], lengths[held], pairs & ((1 << shift) - 1))


def renumbered(rows: Rows, number: NDArray[np.int32]) -> Rows:
    """The same rows, slot `s` called ``number[s]``; slots whose number is -1 are left out."""
    slots = number[rows.slots]
    kept = slots >= 0
    if kept.all():
        return rows._replace(slots=slots)
    lengths = np.add.reduceat(kept, np.cumsum(rows.lengths) - rows.lengths, dtype=np.int64)
    return Rows(rows.ids[lengths > 0], lengths[lengths > 0], slots[kept])


def joined(parts: Sequence[Rows]) -> Rows:
    """All rows, those of one token as one, ascending by token."""
    ids, lengths, slots = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    order = ids.argsort(kind="stable")
    starts = (np.cumsum(lengths) - lengths)[order]
    ids, lengths = ids[order], lengths[order]
    new = first_of_equals(ids)
    slots = slots[runs(starts, lengths)]
    return Rows(ids[new], np.add.reduceat(lengths, np.flatnonzero(new)), slots)


def find(ids: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.intp]:
    """Where those of the `wanted` that are known stand among the ascending `ids`."""
    if not ids.size:
        return np.zeros(0, np.intp)
    rows = np.minimum(ids.searchsorted(wanted), ids.size - 1)
    known: NDArray[np.intp] = rows[ids[rows] == wanted]
    return known


def first_of_equals(ascending: NDArray[np.int64]) -> NDArray[np.bool_]:
    """True where a value stands for the first time."""
    new = np.ones(ascending.size, np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
    return new


def runs(starts: Ints, lengths: Ints) -> NDArray[np.int64]:
    """The numbers from each start on, as many as its length says, one run after the other."""
    ends = np.cumsum(lengths)
    index: NDArray[np.int64] = np.repeat(starts - (ends - lengths), lengths)
    index += np.arange(index.size)
    return index
