"""Text that stays text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.inference.families import texts_to_probe
from bowerbird.inference.plain_text import plain_parts, without_sentinel

SPECIALS = texts_to_probe()
TEXTS = st.lists(st.one_of(st.sampled_from(SPECIALS), st.text(max_size=4)), max_size=8).map("".join)


@given(TEXTS)
def test_no_part_holds_a_special_token(text: str) -> None:
    """The parts give the text back, and none of them holds a special token's text."""
    parts = plain_parts(text, SPECIALS)
    assert "".join(parts) == text
    assert not [part for part in parts for special in SPECIALS if special in part]


def test_ordinary_text_stays_whole() -> None:
    """A text without special tokens is one part."""
    assert plain_parts("def total(self):", SPECIALS) == ["def total(self):"]


def test_a_joined_sentinel_is_noticed() -> None:
    """Tokens that do not begin with the sentinel's are refused rather than cut."""
    assert without_sentinel([7, 8, 1, 2], [7, 8]) == [1, 2]
    with pytest.raises(ValueError, match="sentinel"):
        without_sentinel([7, 9, 1, 2], [7, 8])
