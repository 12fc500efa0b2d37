"""Guesses from the prompt: where they come from, and how soon they cease when they are wrong."""

from __future__ import annotations

import pytest

from bowerbird.inference.lookup import Lookup

CODE = list(range(31, 47))


def never(_token: int) -> bool:
    """No token ends the text."""
    return False


def follow(lookup: Lookup, tokens: list[int]) -> None:
    """Write `tokens`."""
    for token in tokens:
        lookup.add(token)


def test_what_stood_before_is_guessed_to_come_again() -> None:
    """Behind two tokens of the prompt, what follows them there is drafted, and more as it comes true."""
    lookup = Lookup([*CODE, 1, 2, *CODE[:2]])
    first = lookup.draft(12, never)
    assert first == CODE[2 : 2 + len(first)]
    assert 0 < len(first) < 6
    follow(lookup, CODE[2:8])
    then = lookup.draft(12, never)
    assert then == CODE[8 : 8 + len(then)]
    assert len(then) > len(first)


def test_a_draft_is_no_longer_than_wanted_and_holds_no_end() -> None:
    """The limit counts, and a token that ends a text is not drafted, as nothing follows it."""
    lookup = Lookup([*CODE, *CODE[:5]])
    follow(lookup, CODE[5:8])
    assert lookup.draft(2, never) == CODE[8:10]
    assert lookup.draft(12, lambda token: token == CODE[9]) == CODE[8:9]
    assert lookup.draft(0, never) == []


def test_the_longest_match_is_followed() -> None:
    """Of two places the one whose last tokens agree longer is taken, although the other is nearer."""
    lookup = Lookup([1, 2, 3, 4, 50, 51, 9, 3, 4, 60, 61, 1, 2, 3, 4])
    assert lookup.draft(1, never) == [50]


def test_the_nearest_of_equal_matches_is_followed() -> None:
    """Of two places that agree equally long the later one is taken."""
    lookup = Lookup([3, 4, 50, 51, 9, 3, 4, 60, 61, 1, 3, 4])
    assert lookup.draft(1, never) == [60]


def test_what_was_written_can_be_repeated() -> None:
    """The text that was written is looked up as the prompt is."""
    lookup = Lookup([1])
    follow(lookup, [*CODE, 2, *CODE[:4]])
    assert lookup.draft(1, never) == CODE[4:5]


@pytest.mark.parametrize("prompt", [[], [1], [1, 2], CODE])
def test_nothing_is_guessed_where_nothing_is_known(prompt: list[int]) -> None:
    """A prompt without repetitions, however short, gives no draft."""
    assert Lookup(prompt).draft(12, never) == []


def test_drafts_cease_where_they_are_wrong_and_come_back() -> None:
    """A text that never goes on as its likeness did is no longer guessed at, until it does so for a while."""
    prompt = [token for number in range(100, 140) for token in (7, 8, number, number)]
    lookup = Lookup(prompt)
    drafted = []
    for number in range(200, 230):
        follow(lookup, [7, 8])
        drafted.append(len(lookup.draft(12, never)))
        follow(lookup, [number])
    assert 0 < sum(drafted) < 8
    assert not any(drafted[10:])
    follow(lookup, prompt[:60])
    assert len(lookup.draft(12, never)) > 2
