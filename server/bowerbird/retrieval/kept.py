"""A segment as named arrays, so that others can keep it on disk, and from such arrays again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bowerbird.knowledge.snippet import Source
from bowerbird.retrieval import merging, postings, segment, tokens
from bowerbird.retrieval.segment import NO_SLOTS, Files, Segment

Array = NDArray[Any]
ARRAYS = ("ids", "starts", "slots", "common_ids", "common", "sizes")


@cache
def form() -> str:
    """Tells apart the forms of segments: what another version wrote may mean something else."""
    digest = blake2b(digest_size=4)
    for file in (tokens.__file__, postings.__file__, segment.__file__, merging.__file__, __file__):
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()


def arrays_of(segment: Segment | None, sources: Sequence[Source]) -> dict[str, Array]:
    """The arrays of a segment of `sources`, ascending by path, with the windows that each source has.

    None stands for a segment without windows.
    """
    windows = (
        {} if segment is None else dict(zip(segment.files.names, np.diff(segment.files.starts), strict=True))
    )
    counts = np.array([windows.get(source.posix, 0) for source in sources], np.int32)
    if segment is None:
        return {"counts": counts}
    arrays = {name: getattr(segment, name) for name in ARRAYS}
    return {"counts": counts, "first": segment.files.first, "end": segment.files.end, **arrays}


def segment_from(
    names: Sequence[str], sources: Sequence[Source | None], arrays: Mapping[str, Array]
) -> Segment | None:
    """The segment again; None stands for sources that no longer count. None where it has no windows."""
    if "ids" not in arrays:
        return None
    counts = arrays["counts"]
    starts = np.zeros(counts.size + 1, np.int32)
    np.cumsum(counts, out=starts[1:])
    files = Files(tuple(names), tuple(sources), starts, arrays["first"], arrays["end"])
    is_dead = np.repeat(np.array([source is None for source in sources], np.bool_), counts)
    dead = np.flatnonzero(is_dead).astype(np.int32) if is_dead.any() else NO_SLOTS
    return Segment(files=files, dead=dead, kept=True, **{name: arrays[name] for name in ARRAYS})
