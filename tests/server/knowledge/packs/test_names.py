"""Looking names up, and the parameters that signatures tell of."""

from __future__ import annotations

import pytest

from bowerbird.knowledge.packs.names import Names, last_part, owner_of
from bowerbird.knowledge.packs.signature import parameters_of, with_parameters
from bowerbird.knowledge.snippet import EntityKind, GrammarEntity, Parameter


def entity(symbol: str, *aliases: str, kind: EntityKind = EntityKind.FUNCTION) -> GrammarEntity:
    return GrammarEntity(kind=kind, symbol=symbol, pack="p", language="ring", aliases=aliases)


ENTITIES = [
    entity("Table.Sort"),
    entity("List.Sort"),
    entity("len", "length"),
    entity("length"),
    entity(".."),
]


def test_names_are_found_whole_then_by_their_last_part() -> None:
    """A symbol stands before an alias, a whole name before a part of one."""
    names = Names(ENTITIES, case_sensitive=True)
    assert list(names.find("List.Sort")) == [1]
    assert list(names.find("Sort")) == [0, 1]
    assert list(names.find("length")) == [3]
    assert list(names.find("..")) == [4]
    assert list(names.find("sort")) == []


def test_an_alias_serves_where_no_symbol_does() -> None:
    """`length` leads to `len` if nothing else is called so."""
    assert list(Names(ENTITIES[:3], case_sensitive=True).find("length")) == [2]


def test_case_counts_only_where_the_pack_says_so() -> None:
    """Ring's `LEN` is `len`."""
    names = Names(ENTITIES, case_sensitive=False)
    assert list(names.find("LEN")) == [2]
    assert list(names.find("sort")) == [0, 1]


def test_parts_of_names() -> None:
    """Operators made of dots have no parts."""
    assert [last_part(name) for name in ("a.b.c", "len", "..", ".e", "a.")] == ["c", "len", "..", ".e", "a."]
    assert [owner_of(name) for name in ("a.b.c", "b.c", "c")] == ["b", "b", ""]


@pytest.mark.parametrize(
    ("signature", "language", "parameters"),
    [
        (
            "T.F(table as table, optional n as nullable (x) => number) as table",
            "powerquery",
            [Parameter("table", "table"), Parameter("n", "nullable (x) => number", True)],
        ),
        (
            "fun ref f[A: Any #read](x: Array[A, B], y: U8 = 1): (A | None) ?",
            "pony",
            [Parameter("x", "Array[A, B]"), Parameter("y", "U8", True)],
        ),
        ("substr(cString, [nFrom])", "ring", [Parameter("cString"), Parameter("nFrom", optional=True)]),
        (
            "def f(self, /, *, a: int = 3, **rest) -> str",
            "python",
            [Parameter("a", "int", True), Parameter("**rest")],
        ),
        ("int add(const char *a, int b)", "c", [Parameter("a", "const char"), Parameter("b", "int")]),
        ("f()", "ring", []),
        ("f", "ring", []),
        ("f(a, (b", "ring", [Parameter("a")]),
    ],
)
def test_signatures_tell_their_parameters(signature: str, language: str, parameters: list[Parameter]) -> None:
    """In each language's own notation; a broken one tells what it can."""
    assert parameters_of(signature, language) == parameters


def test_a_page_says_more_of_a_parameter_than_its_signature() -> None:
    """Types come from the signature, notes from the page, and none is there twice."""
    given = GrammarEntity(
        kind=EntityKind.FUNCTION,
        symbol="f",
        pack="p",
        language="powerquery",
        signatures=("f(a as text, optional b as number)",),
        parameters=(Parameter("b", note="How many."),),
    )
    assert with_parameters(given).parameters == (Parameter("b", "number", True, "How many."),)
