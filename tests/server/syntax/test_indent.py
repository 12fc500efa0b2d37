"""How a document is indented, and continuations made to fit."""

from __future__ import annotations

import pytest

from bowerbird.syntax.indent import (
    Indentation,
    adapt,
    indentation_around,
    indentation_of,
    visible_indentation,
)

TABS = Indentation("\t", seen=True)
FOUR = Indentation("    ", seen=True)
TWO = Indentation("  ", seen=True)


@pytest.mark.parametrize(
    ("text", "language", "unit", "seen"),
    [
        ("a\n    b\n        c\n", "python", "    ", True),
        ("a\n  b\n    c\nd\n    aligned\n", None, "  ", True),
        ("a\n\tb\n\t\tc\n", None, "\t", True),
        ("\tb\n\tc\n", None, "\t", True),
        ("  b\n  c\n", None, "  ", True),
        ("a\n                    far\n", "python", "    ", False),
        ("a\n    b\n        c\n    d\n", "c", "    ", True),
        ("", "python", "    ", False),
        ("", "go", "\t", False),
        ("", "typescript", "  ", False),
        ("", None, "    ", False),
    ],
)
def test_indentation_of(text: str, language: str | None, unit: str, seen: bool) -> None:
    """The commonest step inward, else what is customary."""
    assert indentation_of(text, language) == Indentation(unit, seen)


def test_a_mixture_is_told() -> None:
    """Some projects write a tab for eight spaces: there nothing is changed."""
    assert indentation_of("a\n    b\n\tc\n    d\n\te\n", "c") == Indentation("    ", seen=True, mixed=True)


def test_around_the_cursor() -> None:
    """What stands above counts before what stands below; so does the cursor's own indentation."""
    assert indentation_around("a:\n  b\n", "\nc:\n\td\n", "python") == TWO
    assert indentation_around("a:\n", "\nc:\n\td\n", "python") == TABS
    assert indentation_around("a:\n\t", "\n", "python") == TABS


@pytest.mark.parametrize(
    ("text", "cursor_line", "indentation", "expected"),
    [
        ("a\n        b\n    c", "\t", TABS, "a\n\t\tb\n\tc"),
        ("a\n    b\n  c", "\t", TABS, "a\n\t\tb\n\tc"),
        ("a:\n        b", "\t", TABS, "a:\n\t\tb"),
        ("a:\n\t    b", "\t", TABS, "a:\n\t\tb"),
        ("a\n\t\tb", "\t", TABS, "a\n\t\tb"),
        ("a\n\t\tb", "    ", FOUR, "a\n        b"),
        ("a:\n      b\n    c", "    ", TWO, "a:\n      b\n    c"),
        ("a:\n        b\n            c\n    d", "    ", TWO, "a:\n      b\n        c\n    d"),
        ("a:\n            b\n    c", "    ", FOUR, "a:\n        b\n    c"),
        ("a:\n          b\n    c", "    ", FOUR, "a:\n          b\n    c"),
        ("a(\n      b,\n          c", "    ", FOUR, "a(\n      b,\n          c"),
        ("a:\n          b", "    ", Indentation("  ", seen=False), "a:\n          b"),
        ("a &&\n\t    b", "\t", TABS, "a &&\n\t    b"),
        ("a {\n\t\tb,\n\t\t  c", "\t", TABS, "a {\n\t\tb,\n\t\t  c"),
        ("a:\n        b", "    ", TABS, "a:\n        b"),
        ("a:\n\tb", "    ", Indentation("    ", seen=True, mixed=True), "a:\n\tb"),
        ("a", "", TABS, "a"),
        ("\n\n    b\n", "", TABS, "\n\n\tb\n"),
    ],
)
def test_adapt(text: str, cursor_line: str, indentation: Indentation, expected: str) -> None:
    """Levels stay levels; what has steps of several widths is aligned, and stays."""
    assert adapt(text, cursor_line, indentation) == expected


def test_visible_indentation() -> None:
    """Columns before the first visible character; a blank line has none."""
    assert [visible_indentation(line) for line in ("a", "  a", "\ta", "  \ta", "", " ")] == [
        0,
        2,
        8,
        8,
        None,
        None,
    ]
