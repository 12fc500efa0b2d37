"""A tree's faults in words."""

from __future__ import annotations

import pytest

from bowerbird.syntax.error_nodes import MOST_FAULTS, faults
from bowerbird.syntax.parser import parse


@pytest.mark.parametrize(
    ("language", "code", "place", "text"),
    [
        ("powerquery", "Text.From(1", (0, 11), "`)` is missing"),
        ("javascript", "const ä = '😀';\nlet b = 1 1;\n", (1, 10), "`1` does not fit here"),
        ("c", "int f(void) {\n", (0, 13), "`}` is missing"),
    ],
)
def test_faults_have_places_and_words(language: str, code: str, place: tuple[int, int], text: str) -> None:
    """Columns are code points."""
    tree = parse(code, language)
    assert tree is not None
    found = faults(tree)
    assert (text, place) in [(one.text, (one.position.line, one.position.column)) for one in found]


def test_sound_code_has_none_and_rubbish_not_too_many() -> None:
    """The list has an end."""
    sound, rubbish = parse("x = 1\n", "python"), parse("let = ] ) ;\n" * 200, "javascript")
    assert sound is not None
    assert rubbish is not None
    assert faults(sound) == []
    assert 0 < len(faults(rubbish)) <= MOST_FAULTS
