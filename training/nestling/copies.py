"""Sequences that occur twice: what teaches a small model to copy, and what shows whether it can."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nestling.tokenizer import SPECIALS

Ids = NDArray[np.uint16]

SHORTEST = 16
"""Tokens of a random sequence; a shorter one is no task."""


@dataclass(frozen=True, slots=True)
class Copied:
    """Token ids, and which of them stand in a second or later copy."""

    ids: Ids
    again: NDArray[np.bool_]


def random_copies(random: np.random.Generator, vocabulary: int, context: int) -> Copied:
    """A random sequence two to four times; what comes first cannot be learnt, so only the rest counts."""
    length = int(random.integers(min(SHORTEST, context // 4), context // 2))
    first = random.integers(len(SPECIALS), vocabulary, length).astype(np.uint16)
    return _repeated(first, min(4, context // length), context)


def code_copies(random: np.random.Generator, ids: Ids, context: int) -> Copied:
    """A piece of code twice, with other code between where there is room."""
    length = int(random.integers(context // 8, context * 3 // 8))
    start = int(random.integers(0, max(1, ids.size - 2 * length)))
    first, between = ids[start : start + length], ids[start + length : start + 2 * length]
    between = between[: int(random.integers(0, max(1, min(between.size, context - 2 * length))))]
    joined = np.concatenate([first, between, first])[:context]
    again = np.zeros(joined.size, np.bool_)
    again[first.size + between.size + 1 :] = True  # its first token comes from nowhere
    return Copied(joined, again)


def _repeated(first: Ids, times: int, context: int) -> Copied:
    ids = np.tile(first, times)[:context]
    again = np.ones(ids.size, np.bool_)
    again[: first.size + 1] = False
    return Copied(ids, again)
