"""Removes exact and near copies, wherever they stand (MinHash; Broder, 1997)."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from nestling.corpus import File, Tally
from nestling.shingles import Hashes, shingles

SHINGLE_WORDS = 5
BINS = 64
"""Of the sketch: the least hash in each (one permutation; Li et al., 2012)."""
BAND = 4
"""Bins that must agree for two files to be compared at all."""
SIMILAR = 0.7
"""Share of equal bins, which estimates the Jaccard similarity, from which on two files are one."""
EMPTY = np.iinfo(np.uint64).max


def without_copies(files: Iterable[File], tally: Tally) -> Iterator[File]:
    """The first of each set of files that are (nearly) alike."""
    exact: set[bytes] = set()
    bands: dict[tuple[int, bytes], list[int]] = defaultdict(list)
    sketches: list[Hashes] = []
    for file in files:
        digest = hashlib.blake2b("".join(file.text.split()).encode(), digest_size=16).digest()
        if digest in exact:
            tally.left_out["exact copy"] += 1
            continue
        exact.add(digest)
        sketch = minhash(file.text)
        keys = [(band, part.tobytes()) for band, part in _bands(sketch)]
        near = {other for key in keys for other in bands.get(key, ())}
        if any(similarity(sketch, sketches[other]) >= SIMILAR for other in near):
            tally.left_out["near copy"] += 1
            continue
        for key in keys:
            bands[key].append(len(sketches))
        sketches.append(sketch)
        yield file


def minhash(text: str) -> Hashes:
    """``[BINS]``: the least shingle hash in each bin, `EMPTY` where there is none."""
    sketch = np.full(BINS, EMPTY, np.uint64)
    hashes = shingles(text, SHINGLE_WORDS)
    np.minimum.at(sketch, (hashes % np.uint64(BINS)).astype(np.intp), hashes)
    return sketch


def similarity(one: Hashes, other: Hashes) -> float:
    """Share of the bins filled in either that are equal in both."""
    filled = (one != EMPTY) | (other != EMPTY)
    return float(((one == other) & filled).sum() / max(1, filled.sum()))


def _bands(sketch: Hashes) -> Iterator[tuple[int, NDArray[np.uint64]]]:
    """Full bands only: short files would all meet in empty ones."""
    for band in range(BINS // BAND):
        part = sketch[band * BAND : (band + 1) * BAND]
        if (part != EMPTY).all():
            yield band, part
