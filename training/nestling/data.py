"""What the trainer is fed: rows in an order that a step alone decides, and sequences to copy among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nestling.copies import Copied, code_copies, random_copies
from nestling.shards import AGAIN, COUNTED, IGNORED, Rows
from nestling.tokenizer import PAD_ID

RANDOM_SHARE = 0.07
"""Of a batch's rows: random sequences that repeat. With one row in ten copying came early."""
CODE_SHARE = 0.05
"""Of a batch's rows: pieces of code that repeat."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows for one step."""

    ids: NDArray[np.int64]
    """``[rows, context + 1]``"""
    kinds: NDArray[np.uint8]
    """``[rows, context + 1]``"""


class Feed:
    """Batches by their number: the same for the same rows and seed, whoever asks and when."""

    def __init__(self, rows: Rows, vocabulary: int, batch_rows: int, seed: int) -> None:
        self.rows = rows
        self.vocabulary = vocabulary
        self.batch_rows = batch_rows
        self.seed = seed
        self.random_rows = _share(batch_rows, RANDOM_SHARE)
        self.code_rows = _share(batch_rows, CODE_SHARE)
        self.real_rows = max(1, batch_rows - self.random_rows - self.code_rows)
        self._epoch = -1
        self._order: NDArray[np.intp] = np.zeros(0, np.intp)

    def batch(self, step: int) -> Batch:
        """The batch of a step, counted from 0."""
        random = np.random.default_rng((self.seed, step))
        chosen = [self._row(step * self.real_rows + at) for at in range(self.real_rows)]
        ids = [self.rows.ids[row] for row in chosen]
        kinds = [self.rows.kinds[row] for row in chosen]
        size = self.rows.context + 1
        copied = [random_copies(random, self.vocabulary, size) for _ in range(self.random_rows)]
        copied += [code_copies(random, ids[at % len(ids)], size) for at in range(self.code_rows)]
        for one in copied[: self.batch_rows - self.real_rows]:
            some_ids, some_kinds = padded(one, size)
            ids.append(some_ids)
            kinds.append(some_kinds)
        return Batch(np.stack(ids).astype(np.int64), np.stack(kinds))

    def epochs(self, steps: int) -> float:
        """How often each row is seen in so many steps."""
        return steps * self.real_rows / len(self.rows)

    def _row(self, number: int) -> int:
        epoch, at = divmod(number, len(self.rows))
        if epoch != self._epoch:
            self._epoch = epoch
            self._order = np.random.default_rng((self.seed, 1, epoch)).permutation(len(self.rows))
        return int(self._order[at])


def padded(copied: Copied, size: int) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Ids and kinds of a row; what is no second copy does not count."""
    ids = np.full(size, PAD_ID, np.uint16)
    kinds = np.full(size, IGNORED, np.uint8)
    ids[: copied.ids.size] = copied.ids
    kinds[: copied.ids.size] = np.where(copied.again, AGAIN, IGNORED)
    return ids, kinds


def copying_rows(rows: Rows, vocabulary: int, wanted: int) -> tuple[Rows, Rows]:
    """Rows that measure copying, the same for the same `rows`: of code, and of random tokens.

    First copies of code are `COUNTED`, so that both losses can be told.
    """
    random = np.random.default_rng(0)
    size = rows.context + 1
    code = []
    for at in range(wanted):
        ids, kinds = padded(code_copies(random, rows.ids[at % len(rows)], size), size)
        first = (kinds == IGNORED) & (ids != PAD_ID)
        code.append((ids, np.where(first, COUNTED, kinds).astype(np.uint8)))
    chance = [padded(random_copies(random, vocabulary, size), size) for _ in range(wanted)]
    return (
        Rows(np.stack([ids for ids, _ in code]), np.stack([kinds for _, kinds in code])),
        Rows(np.stack([ids for ids, _ in chance]), np.stack([kinds for _, kinds in chance])),
    )


def _share(rows: int, share: float) -> int:
    """At least one row where there are enough rows to spare one."""
    return max(1, round(rows * share)) if rows >= 6 else 0
