"""Vectors of windows, a byte a number, asked by cosine (RepoCoder, appendix B)."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bowerbird.knowledge.snippet import Window
from bowerbird.retrieval.retriever import Hit, Query

ORIGIN = "dense"
PEAK = 127  # the largest number of a vector in its byte
ROWS_AT_ONCE = 1 << 14  # made into 32-bit floats for a product
MAX_LOOSE = 64  # files that stand by themselves before they join the others

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.int8]
WINDOW_BYTES = 200  # of a window's record in Python


class Part(NamedTuple):
    """Windows and their vectors, row by row."""

    windows: tuple[Window, ...]
    vectors: Bytes
    scales: Floats
    """By which a row is to be multiplied."""

    def keep(self, rows: Sequence[int]) -> Part:
        """Some of the rows."""
        return Part(tuple(self.windows[row] for row in rows), self.vectors[rows], self.scales[rows])

    def cosines(self, query: Floats) -> Floats:
        """Of all rows with a vector of unit length."""
        products = [
            self.vectors[first : first + ROWS_AT_ONCE].astype(np.float32) @ query
            for first in range(0, len(self.windows), ROWS_AT_ONCE)
        ]
        return np.concatenate(products) * self.scales


def part_of(windows: Sequence[Window], vectors: Floats) -> Part:
    """Vectors of unit length as bytes, each row with its own scale."""
    scales = np.maximum(np.abs(vectors).max(axis=1), np.finfo(np.float32).tiny) / PEAK
    numbers = np.rint(vectors / scales[:, None]).astype(np.int8)
    return Part(tuple(windows), numbers, scales.astype(np.float32))


def digest(text: str) -> bytes:
    """Names a window's text, so that its vector serves on where the text comes again."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class VectorIndex:
    """The nearest windows by cosine. Changes may come from several threads while others ask."""

    def __init__(self) -> None:
        self._settled: Part | None = None
        self._rows: dict[Path, range] = {}
        """Of the files in `_settled`; rows of no file are dead."""
        self._loose: dict[Path, Part] = {}
        self._writing = threading.Lock()

    def __len__(self) -> int:
        """Windows that can be found."""
        with self._writing:
            return sum(map(len, self._rows.values())) + sum(
                len(part.windows) for part in self._loose.values()
            )

    @property
    def memory_bytes(self) -> int:
        """Bytes in vectors and window records."""
        with self._writing:
            parts = [*self._loose.values(), *([self._settled] if self._settled else [])]
        return sum(
            part.vectors.nbytes + part.scales.nbytes + WINDOW_BYTES * len(part.windows) for part in parts
        )

    def replace(self, path: Path, part: Part) -> None:
        """Let `part` take the place of what the file had."""
        with self._writing:
            self._rows.pop(path, None)
            self._loose.pop(path, None)
            if part.windows:
                self._loose = {**self._loose, path: part}
            if len(self._loose) > MAX_LOOSE:
                self._settle()

    def remove(self, path: Path) -> Mapping[bytes, tuple[Bytes, np.float32]]:
        """Forget a file; what its windows' texts had as vectors, by `digest`."""
        with self._writing:
            part = self._loose.get(path)
            if part is None and path in self._rows and self._settled is not None:
                part = self._settled.keep(self._rows[path])
            if path in self._loose:
                self._loose = {other: one for other, one in self._loose.items() if other != path}
            if path in self._rows:
                self._rows = {other: rows for other, rows in self._rows.items() if other != path}
        if part is None:
            return {}
        return {
            digest(window.text): (vector, scale)
            for window, vector, scale in zip(part.windows, part.vectors, part.scales, strict=True)
        }

    def nearest(self, vector: Floats, query: Query, k: int) -> list[Hit]:
        """The `k` windows with the highest cosine above 0; ties by path, then first line."""
        with self._writing:
            settled, rows, loose = self._settled, self._rows, self._loose
        found: list[tuple[float, Window]] = []
        if settled is not None and rows:
            alive = np.zeros(len(settled.windows), dtype=np.bool_)
            for span in rows.values():
                alive[span.start : span.stop] = True
            found += _best(settled, np.where(alive, settled.cosines(vector), 0), query, k)
        for part in loose.values():
            found += _best(part, part.cosines(vector), query, k)
        found.sort(key=lambda one: (-one[0], one[1].path.as_posix(), one[1].span.first))
        return [Hit(window, min(1.0, score), ORIGIN) for score, window in found[:k]]

    def _settle(self) -> None:
        """All in one part; dead rows go."""
        parts = dict(self._loose)
        if self._settled is not None:
            parts |= {path: self._settled.keep(rows) for path, rows in self._rows.items()}
        ordered = sorted(parts.items())
        self._rows, first = {}, 0
        for path, part in ordered:
            self._rows[path] = range(first, first := first + len(part.windows))
        self._settled = Part(
            tuple(window for _, part in ordered for window in part.windows),
            np.concatenate([part.vectors for _, part in ordered]),
            np.concatenate([part.scales for _, part in ordered]),
        )
        self._loose = {}


def _best(part: Part, cosines: Floats, query: Query, k: int) -> list[tuple[float, Window]]:
    """At least the `k` highest above 0 that the query does not exclude, if there are so many, unordered."""
    wanted = k
    while True:
        rows = _highest(cosines, wanted)
        best = [
            (float(cosines[row]), window)
            for row in rows.tolist()
            if (window := part.windows[row]).path != query.exclude_path
            or not window.span.overlaps(query.exclude_lines)
        ]
        if len(best) >= k or wanted >= cosines.size:
            return best
        wanted *= 4


def _highest(cosines: Floats, count: int) -> npt.NDArray[np.intp]:
    """Rows with the `count` highest cosines, and those that equal the last, as far as they are above 0."""
    floor = np.float32(0)
    if count < cosines.size:
        floor = max(floor, np.partition(cosines, -count)[-count])
    return np.flatnonzero((cosines >= floor) & (cosines > 0))
