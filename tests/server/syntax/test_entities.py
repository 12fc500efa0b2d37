"""Definitions and beginnings, language by language; what broken code still yields."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.syntax.entities import (
    MOST_DOTS,
    Definition,
    Outline,
    definitions,
    enclosing_definition,
    outline,
)
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.syntax.parser import parse
from bowerbird.text import Span

OUTLINES = Path(__file__).with_name("outlines")
WITH_GRAMMAR = sorted(name for name, language in LANGUAGES.items() if language.grammar)


def outline_of(text: str, language: str) -> Outline:
    tree = parse(text, language)
    assert tree is not None
    return outline(tree)


def with_margin(text: str, language: str) -> str:
    """Each line behind what is known of it: ``#`` begins a definition, ``*`` a statement; what is around."""
    found = outline_of(text, language)
    rows = []
    for line, code in enumerate(text.removesuffix("\n").split("\n")):
        around = enclosing_definition(found.definitions, line)
        mark = " "
        if line in found.beginnings:
            mark = "#" if around and around.span.first == line else "*"
        kind = f"{around.kind} " if mark == "#" and around else ""
        rows.append(f"{mark} {kind}{around.name if around else '':<{38 - len(kind)}}|{code}\n")
    return "".join(rows)


@pytest.mark.parametrize("language", WITH_GRAMMAR)
def test_outline(language: str) -> None:
    """Each language's sample has the margin that stands in its file."""
    expected = (OUTLINES / f"{language}.txt").read_text("utf-8")
    text = "".join(row.split("|", 1)[1] for row in expected.splitlines(keepends=True))
    assert with_margin(text, language) == expected


def test_decorators_and_comment_belong_to_their_definition() -> None:
    """A definition's span begins with the comment above its decorators; a blank line parts them."""
    text = "# far\n\n# near\n# nearer\n@one\n@two\ndef f():\n    pass\n"
    assert outline_of(text, "python").definitions == (Definition("f", "function", Span(2, 8)),)


def test_a_comment_behind_code_belongs_to_that_code() -> None:
    """A comment at the end of the line above does not draw that line into the definition."""
    assert outline_of("x = 1  # note\ndef f():\n    pass\n", "python").definitions[0].span == Span(1, 3)


def test_kinds() -> None:
    """A definition's kind is what its tag says."""
    text = "enum A { X }\ninterface B { }\nclass C {\n  int d() { return 1; }\n}\n"
    found = [(one.name, one.kind) for one in outline_of(text, "java").definitions]
    assert found == [("A", "enum"), ("B", "interface"), ("C", "class"), ("C.d", "method")]


def test_broken_code_keeps_what_is_whole() -> None:
    """A half-written statement hides neither the definition before it nor the one after it."""
    text = "def first():\n    return (1 +\n\n\nclass Second:\n    def total(self):\n        return 1\n"
    names = [one.name for one in outline_of(text, "python").definitions]
    assert names[0] == "first"
    assert any(name.endswith("total") for name in names)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "def ():\n    pass\n"),
        ("c", "typedef struct {\n    int price;\n} ;\n"),
        ("scala", "class(limit: Int) extends Base {\n}\n"),
    ],
)
def test_a_definition_without_a_name_is_none(language: str, text: str) -> None:
    """The empty name that the parser supplies where one is missing is not taken for a name."""
    assert outline_of(text, language).definitions == ()


def test_text_behind_non_ascii_keeps_its_lines() -> None:
    """Lines count as in the text, whatever takes several bytes."""
    text = 'x = "äöü😀"; y = "\u2028"\n\ndef größe():\n    pass\n'
    assert outline_of(text, "python").definitions == (Definition("größe", "function", Span(2, 4)),)


def test_bottomless_nesting_is_cut() -> None:
    """Definitions nested ever deeper are named down to a depth, and the rest costs nothing."""
    depth = 300
    text = "".join(f"{' ' * level}def f{level}():\n" for level in range(depth)) + " " * depth + "pass\n"
    found = outline_of(text, "python").definitions
    assert found[-1].name.count(".") == MOST_DOTS
    assert len(found) == MOST_DOTS + 1


def test_enclosing_definition_is_the_innermost() -> None:
    """Of nested definitions the inner one is around a line, between them the outer one, outside none."""
    tree = parse("x = 1\nclass A:\n    y = 1\n    def f(self):\n        pass\n    z = 1\n", "python")
    assert tree is not None
    found = definitions(tree)
    names = [one.name if (one := enclosing_definition(found, line)) else None for line in range(7)]
    assert names == [None, "A", "A", "A.f", "A.f", "A", None]


def test_where_one_ends_and_the_next_begins() -> None:
    """On a line that two neighbours share, the later one is meant."""
    found = outline_of("void a() {\n} void b() {\n}\n", "c").definitions
    around = enclosing_definition(found, 1)
    assert around is not None
    assert around.name == "b"


@pytest.mark.parametrize("language", WITH_GRAMMAR)
@given(text=st.text(st.characters(codec=None), max_size=300))
def test_outline_takes_any_text(language: str, text: str) -> None:
    """Whatever the text, spans and beginnings lie within it, outer definitions come before inner ones."""
    tree = parse(text, language)
    if tree is None:
        return
    lines = text.count("\n") + 1
    found = outline(tree)
    assert all(0 <= line < lines for line in found.beginnings)
    assert all(0 <= one.span.first < one.span.end <= lines for one in found.definitions)
    firsts = [one.span.first for one in found.definitions]
    assert firsts == sorted(firsts)
