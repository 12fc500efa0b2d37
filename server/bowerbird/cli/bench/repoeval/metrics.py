"""Exact match, edit similarity (section 4.3), and how sure their differences are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import Levenshtein

RESAMPLES = 2_000
RESAMPLES_AT_ONCE = 100  # of RepoEval's 1,600 tasks: a megabyte
CONFIDENCE = 0.95


def visible_lines(text: str) -> list[str]:
    """The lines of `text` without blank ones and without surrounding white space."""
    return [stripped for line in text.splitlines() if (stripped := line.strip())]


def compared(prediction: str, truth: str) -> tuple[list[str], list[str]]:
    """The visible lines of both, of the prediction as many as the truth has."""
    expected = visible_lines(truth)
    return visible_lines(prediction)[: len(expected)], expected


def exact_match(prediction: str, truth: str) -> float:
    """1 where the compared lines are equal, else 0."""
    written, expected = compared(prediction, truth)
    return float(written == expected)


def edit_similarity(prediction: str, truth: str) -> float:
    """ES = 1 - Lev(Ŷ, Y) / max(|Ŷ|, |Y|) over the characters of the compared lines."""
    written, expected = map("\n".join, compared(prediction, truth))
    longest = max(len(written), len(expected))
    return 1.0 - Levenshtein.distance(written, expected) / longest if longest else 1.0


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and where it may lie."""

    mean: float
    low: float
    high: float

    @property
    def above_noise(self) -> bool:
        """The mean is positive, and so is the whole interval."""
        return self.low > 0.0


def paired_difference(ours: Sequence[float], theirs: Sequence[float], seed: int = 0) -> Interval:
    """Mean of `ours` - `theirs`, task by task, with its 95 % interval by bootstrap (percentiles)."""
    differences = np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64)
    if not len(differences):
        return Interval(math.nan, math.nan, math.nan)
    generator = np.random.default_rng(seed)
    means = np.concatenate(
        [
            differences[generator.integers(0, len(differences), (RESAMPLES_AT_ONCE, len(differences)))].mean(
                axis=1
            )
            for _ in range(RESAMPLES // RESAMPLES_AT_ONCE)
        ]
    )
    tail = (1.0 - CONFIDENCE) / 2
    low, high = np.quantile(means, [tail, 1.0 - tail])
    return Interval(float(differences.mean()), float(low), float(high))


def gap_share(mode: Sequence[float], in_file: Sequence[float], oracle: Sequence[float]) -> float | None:
    """Share of the gap between in-file and oracle that `mode` closes.

    None where there is no gap to speak of: the oracle is not better than in-file by more than noise.
    """
    gap = paired_difference(oracle, in_file)
    if not gap.above_noise:
        return None
    return float(np.mean(mode) - np.mean(in_file)) / gap.mean
