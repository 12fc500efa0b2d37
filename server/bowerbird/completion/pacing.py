"""When to begin: a pause that follows the typist's rhythm, the place, and what a decode would cost.

Who waits too long is late; who begins between two keys of a word burns the battery for nothing.
"""

from __future__ import annotations

import math
from collections import deque
from statistics import median

GAPS_KEPT = 60
LONGEST_GAP_MS = 400  # a longer one is a pause for thought, not rhythm
GAPS_NEEDED = 8
FIRST_GUESS_MS = 160  # between keys at 75 words a minute
SHORTEST_MS, LONGEST_MS = 15, 400
CHEAP_MS = 250  # a completion that costs no more is not put off for its cost

SLOWEST_GAP_MS = 120  # who types more slowly is not kept waiting: 250 ms from key to completion are asked for

WITHIN_WORD = 1.6
BEHIND_WORD = 1.2
BEHIND_MARK = 0.8
NEW_LINE = 0.3
"""Pauses in times between two keys: how probable it is that the next one comes at once.

By `bench typing` longer ones halve the decodes and no more, as they halve what is shown while typing too.
"""


class Rhythm:
    """The time between keys, as this user types now."""

    def __init__(self) -> None:
        self._gaps: deque[float] = deque(maxlen=GAPS_KEPT)
        self._last_s: float | None = None

    def key(self, now_s: float) -> None:
        """A key was pressed; `now_s` is any clock's time."""
        if self._last_s is not None and 0 <= (gap_ms := (now_s - self._last_s) * 1000) <= LONGEST_GAP_MS:
            self._gaps.append(gap_ms)
        self._last_s = now_s

    def since_key_ms(self, now_s: float) -> float:
        """How long ago the last key was pressed; endless before the first."""
        return float("inf") if self._last_s is None else (now_s - self._last_s) * 1000

    @property
    def gap_ms(self) -> float:
        """Usually between two keys; a guess until enough were seen."""
        return float(median(self._gaps)) if len(self._gaps) >= GAPS_NEEDED else FIRST_GUESS_MS


def debounce_ms(rhythm: Rhythm, prefix: str, suffix: str, expected_ms: float) -> float:
    """How long to wait after a key before a decode is worth starting.

    `expected_ms` is what the decode will probably take: the dearer it is, the surer one wants to be that
    the typist has stopped.
    """
    gaps = _gaps(prefix, suffix) * math.sqrt(max(1.0, expected_ms / CHEAP_MS))
    return min(LONGEST_MS, max(SHORTEST_MS, gaps * min(rhythm.gap_ms, SLOWEST_GAP_MS)))


def _gaps(prefix: str, suffix: str) -> float:
    line = prefix[prefix.rfind("\n") + 1 :]
    if not line.strip():
        return NEW_LINE
    if _is_word(line[-1]):
        return WITHIN_WORD if suffix[:1] and _is_word(suffix[0]) else BEHIND_WORD
    return BEHIND_MARK


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
