"""The pause before a decode: by rhythm, place and cost."""

from __future__ import annotations

import pytest

from bowerbird.completion.pacing import (
    CHEAP_MS,
    FIRST_GUESS_MS,
    GAPS_NEEDED,
    LONGEST_GAP_MS,
    LONGEST_MS,
    SHORTEST_MS,
    Rhythm,
    debounce_ms,
)


def typist(gap_ms: float, keys: int = 20) -> Rhythm:
    rhythm = Rhythm()
    for key in range(keys):
        rhythm.key(key * gap_ms / 1000)
    return rhythm


def test_the_rhythm_is_the_usual_gap() -> None:
    """A pause for thought is no rhythm, and a single slow key changes nothing."""
    rhythm = typist(100)
    rhythm.key(60.0)
    rhythm.key(60.3)
    assert rhythm.gap_ms == pytest.approx(100)


def test_few_keys_tell_nothing() -> None:
    """Until enough gaps were seen there is a guess."""
    assert typist(50, GAPS_NEEDED).gap_ms == FIRST_GUESS_MS
    assert typist(50, GAPS_NEEDED + 1).gap_ms == pytest.approx(50)
    assert typist(LONGEST_GAP_MS + 1).gap_ms == FIRST_GUESS_MS


def test_the_rhythm_follows_the_typist() -> None:
    """Old gaps are forgotten."""
    rhythm = typist(200, 100)
    for key in range(100):
        rhythm.key(100 + key * 0.08)
    assert rhythm.gap_ms == pytest.approx(80)


def test_the_last_key() -> None:
    """How long it is ago; endless before the first; a clock that was set back makes no gap."""
    rhythm = Rhythm()
    assert rhythm.since_key_ms(5.0) == float("inf")
    rhythm.key(5.0)
    rhythm.key(4.0)
    assert rhythm.since_key_ms(4.25) == pytest.approx(250)


PLACES = [
    ("def f():\n    ", "\n", "a new line"),
    ("total = sum(", ")\n", "behind a mark"),
    ("total = pri", "\n", "behind a word"),
    ("total = pri", "ces\n", "within a word"),
]


def test_the_surer_the_next_key_the_longer_the_pause() -> None:
    """Each place of the table waits longer than the one before."""
    pauses = [debounce_ms(typist(160), prefix, suffix, CHEAP_MS) for prefix, suffix, _ in PLACES]
    assert pauses == sorted(set(pauses))


@pytest.mark.parametrize(("prefix", "suffix"), [place[:2] for place in PLACES])
def test_who_types_slowly_is_given_longer_and_dear_decodes_wait(prefix: str, suffix: str) -> None:
    """The pause grows with the rhythm and with the cost, within its limits; a cheap decode is not hurried."""
    slow, quick = typist(200), typist(80)
    usual = debounce_ms(quick, prefix, suffix, CHEAP_MS)
    assert usual < debounce_ms(slow, prefix, suffix, CHEAP_MS)
    assert usual < debounce_ms(quick, prefix, suffix, 4 * CHEAP_MS)
    assert usual == debounce_ms(quick, prefix, suffix, CHEAP_MS / 10)
    assert debounce_ms(slow, prefix, suffix, 1e9) == LONGEST_MS
    assert debounce_ms(typist(1), prefix, suffix, 0) == SHORTEST_MS
