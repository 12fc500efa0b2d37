"""What is shown of a prediction, filter by filter; whole cases are in ``tests/golden``."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.completion.finish import DEFAULT, FILTERS, Draft, Piece, chosen, finished
from bowerbird.syntax.lexes import LEXES

BRACKETS_AND_QUOTES = ["(", ")", "[", "]", "{", "}", '"', "'", '"""', "`", "#", "//", "/*", "*/", "${", "\\"]
WORDS = [
    "if x then",
    "end",
    "ok",
    "next",
    "let",
    "in",
    "def f():",
    "func f",
    "else",
    "return x",
    "a",
    "| x =>",
]
OTHERS = ["\n", "\n    ", "\n\t", " ", "  ", "abc, ", ";", ",", ":", "é", "\x00", "\r", "\ud800", "\ue000"]
SCRAPS = st.sampled_from(BRACKETS_AND_QUOTES + WORDS + OTHERS)
CODE = st.lists(SCRAPS, max_size=30).map("".join)
DRAFTS = st.builds(
    Draft,
    CODE,
    CODE,
    st.sampled_from(["end", "length", "time"]),
    st.sampled_from([None, *LEXES]),
    st.booleans(),
    st.booleans(),
)


@pytest.mark.parametrize(
    ("prediction", "prefix", "suffix", "stopped", "expected"),
    [
        ("a = 1\nb = 2\n", "", "", "end", "a = 1\nb = 2"),
        ("a = 1\nb = 2\nc = (", "", "", "length", "a = 1\nb = 2"),
        ("a = call(one, tw", "", "", "length", "a = call(one, tw"),
        ("a = 1\nb =", "", "", "time", "a = 1"),
        ("a = 1", "", "", "time", ""),
        ("   \n\n", "", "", "end", ""),
        ("value)", "f(", ")\n", "end", "value"),
        ("value)\nmore", "f(", ")\n", "end", "value"),
        ("a\nb\nreturn a\n", "", "\nreturn a\n", "end", "a\nb"),
        ("a\nb\n}\n", "", "\n}\n", "end", "a\nb\n}"),
        ("x = 1\n    self.x = 1\n    y", "    self.", "", "end", "x = 1"),
        ("a\n    b()\n    b()\n    b()\n", "", "", "end", "a\n    b()"),
        ("a {\n    }\n}\n", "", "", "end", "a {\n    }\n}"),
        ("", "", "", "end", ""),
    ],
)
def test_finish(prediction: str, prefix: str, suffix: str, stopped: str, expected: str) -> None:
    """Of plain text too: cut-off lines go where whole ones stand before them, and nothing is repeated."""
    assert finished(prediction, Draft(prefix, suffix, stopped)).text == expected


def test_finish_says_what_it_took() -> None:
    """Each filter that changed something is named with what it took."""
    done = finished("a = 1\nb = ", Draft("", "", "length"))

    assert done.text == "a = 1"
    assert done.trimmed == (r"unfinished-line: '\nb = '",)


def test_finish_says_how_it_indented() -> None:
    """Where the beginning changed too, both texts are told."""
    draft = Draft("def f():\n\t", "\n", "end", "python")
    done = finished("if a:\n        b()", draft)

    assert done.text == "if a:\n\t\tb()"
    assert done.trimmed == (r"indentation: 'if a:\n        b()' -> 'if a:\n\t\tb()'",)


def test_a_filter_can_be_left_out() -> None:
    """Only the named filters run."""
    draft = Draft("", "", "length")
    names = [name for name in DEFAULT if name != "unfinished-line"]
    assert finished("a = 1\nb = 22", draft, names).text == "a = 1\nb = 22"


def test_rows_say_what_they_do() -> None:
    """Every filter has a sentence of its own, and its name is its key."""
    assert all(name == row.name and row.says.endswith(".") for name, row in FILTERS.items())
    assert len({row.says for row in FILTERS.values()}) == len(FILTERS)


@pytest.mark.parametrize("name", FILTERS)
@given(text=CODE, draft=DRAFTS)
def test_filters_only_shorten(name: str, text: str, draft: Draft) -> None:
    """No filter invents text: each gives back a beginning; those that indent keep all visible characters."""
    row, piece = FILTERS[name], Piece(text)
    after = row.run(piece, draft)
    if row.indents:
        assert [line.lstrip(" \t") for line in after.text.split("\n")] == [
            line.lstrip(" \t") for line in text.split("\n")
        ]
    else:
        assert text.startswith(after.text)
    assert row.run(piece, draft) == after


@pytest.mark.parametrize("name", FILTERS)
@given(draft=DRAFTS)
def test_nothing_stays_nothing(name: str, draft: Draft) -> None:
    """Of an empty prediction nothing is shown, whatever stands around it."""
    assert FILTERS[name].run(Piece(""), draft).text == ""


@given(text=CODE, draft=DRAFTS)
def test_what_is_replaced_lies_on_the_line(text: str, draft: Draft) -> None:
    """Only white space before the cursor and text behind it on its line are replaced, if anything can be."""
    done = finished(text, draft)
    before = draft.line_before[len(draft.line_before) - done.replaces_before :]
    assert not before.strip()
    assert 0 <= done.replaces_before <= len(draft.line_before)
    assert 0 <= done.replaces_behind <= len(draft.line_behind)
    if not draft.may_replace or not done.text:
        assert done.replaces_before == done.replaces_behind == 0


@given(text=CODE, draft=DRAFTS)
def test_finishing_needs_nothing_else(text: str, draft: Draft) -> None:
    """The same prediction at the same place is shown alike, whatever was asked in between."""
    done = finished(text, draft)
    finished("other", Draft("x = (", ")", "end", "c"))
    assert finished(text, draft) == done


def test_filters_are_chosen_by_name() -> None:
    """A name switches on what is off by default, a minus switches off, and an unknown name does nothing."""
    assert "unsound" not in DEFAULT
    assert chosen(["unsound", "-looping", "never-heard-of"]) == tuple(
        name for name in FILTERS if name in {*DEFAULT, "unsound"} - {"looping"}
    )
    assert chosen([]) == DEFAULT
