"""What a document defines, and what can be folded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.syntax.folds import folds_of
from bowerbird.syntax.symbols import Symbol, flat, symbols_of
from bowerbird.text import Position, Span

M = """section Shop;

shared Total = (x as number) =>
  let
    #"Unit é" = x,
    b = [
      k = 1
    ]
  in
    #"Unit é" + b[k];

// one
// two
shared Q = Total(
   1
);
"""
RING = """# head
# of it
func main a
  see 1
  if a
    see 2
  else
    see 3
  ok


class P from Q
  func size return 1
  func all
    see [1,
      2
    ]
"""


def outline(symbols: list[Symbol]) -> list[object]:
    return [(one.kind, one.name, *outline(one.children)) for one in symbols]


def test_definitions_of_m() -> None:
    """Members of a section with their steps; quoted names without quotes."""
    assert outline(symbols_of(M, "powerquery")) == [
        ("function", "Total", ("variable", "Unit é"), ("variable", "b")),
        ("variable", "Q"),
    ]


def test_definitions_of_ring() -> None:
    """Functions, classes and their methods, of a single line too."""
    symbols = symbols_of(RING, "ring")
    assert outline(symbols) == [("function", "main"), ("class", "P", ("method", "size"), ("method", "all"))]
    assert symbols[1].name_range.start == Position(11, 6)


def test_broken_code_has_definitions() -> None:
    """What is whole is found; names that the parser makes up are not."""
    assert [one.name for one in flat(symbols_of("func f\n see (\nfunc g see 1", "ring"))] == ["f", "g"]
    assert symbols_of("func ", "ring") == []
    assert symbols_of("", None) == []


def test_folds_of_m() -> None:
    """One begins on a line at most, and the line that closes it stays to be seen."""
    assert folds_of(M, "powerquery") == [
        (Span(2, 10), False),
        (Span(3, 10), False),
        (Span(5, 7), False),
        (Span(11, 13), True),
        (Span(13, 15), False),
    ]


def test_folds_of_ring() -> None:
    """Functions have no end; blocks have one."""
    assert folds_of(RING, "ring") == [
        (Span(0, 2), True),
        (Span(2, 9), False),
        (Span(4, 8), False),
        (Span(6, 8), False),
        (Span(11, 17), False),
        (Span(13, 17), False),
        (Span(14, 16), False),
    ]


@pytest.mark.parametrize("language", ["python", None])
def test_other_languages_are_not_folded(language: str | None) -> None:
    """They have servers of their own."""
    assert folds_of("def f():\n  a\n  b\n", language) == []


@given(st.text('let in([{}])"#/*=,\nfunc é\0\ud800', max_size=60))
def test_any_text_is_ordinary_input(text: str) -> None:
    """Nothing raises; names lie in what they name, and folds in the document."""
    lines = text.count("\n") + 1
    for language in ("powerquery", "ring"):
        for symbol in flat(symbols_of(text, language)):
            assert symbol.range.start <= symbol.name_range.start <= symbol.name_range.end
        for span, _ in folds_of(text, language):
            assert 0 <= span.first < span.end - 1 < lines
