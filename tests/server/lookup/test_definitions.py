"""Where the workspace defines a name, and which names nobody has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.snippet import Source
from bowerbird.lookup.definitions import Definitions
from bowerbird.lookup.unknown import unknown_names
from bowerbird.text import Position
from marked import marked

Packs = Callable[[str], Sequence[Pack]]

FILES = {
    "shop.ring": "func Total goods\n  return 1\n\nclass Basket\n  func place x return x\n",
    "main.pq": 'section Main;\nshared Contoso.Total = (x) => let step = x in step;\nshared #"a b" = 1;\n',
    "query.pq": "let\n  Hidden = 1\nin\n  Hidden",
    "shop.py": "def total(): pass\n",
}
LANGUAGES = {".ring": "ring", ".pq": "powerquery", ".py": "python"}


@pytest.fixture
def definitions() -> Definitions:
    sources = [
        Source(Path("/w") / name, name, text, LANGUAGES[Path(name).suffix]) for name, text in FILES.items()
    ]
    return Definitions(lambda: sources)


def find(definitions: Definitions, language: str, text: str) -> list[tuple[str, Position]]:
    places = definitions.find(*marked(text), language, Path("/w/here"))
    return [(place.path.name if place.path else "", place.range.start) for place in places]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("let\n  a = 1,\n  b = a| + 1\nin b", Position(1, 2)),
        ('let #"é x" = 1 in #"é| x"', Position(0, 4)),
        ('let #"abc" = 1 in ab|c', Position(0, 4)),
        ("let a = 1 in let a = 2 in a|", Position(0, 17)),
        ("(x, optional y) => x + y|", Position(0, 13)),
        ("let f = (n) => if n = 0 then 1 else @f|(n - 1) in f", Position(0, 4)),
        ("section S; shared q = 1; shared r = q| + 1;", Position(0, 18)),
        ("[a = 1, b = a|]", Position(0, 1)),
        ("let a = 1, b = a| +", Position(0, 4)),
    ],
)
def test_names_that_m_binds(definitions: Definitions, text: str, place: Position) -> None:
    """The innermost binding around: steps, parameters, members of a section, fields of a record."""
    assert find(definitions, "powerquery", text) == [("", place)]


def test_members_of_sections_in_other_files(definitions: Definitions) -> None:
    """The steps of another query are its own."""
    assert find(definitions, "powerquery", "Contoso.To|tal(1)") == [("main.pq", Position(1, 7))]
    assert find(definitions, "powerquery", "Hid|den") == []


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("see TOT|AL([])", [("shop.ring", Position(0, 5))]),
        ("b = new bas|ket", [("shop.ring", Position(3, 6))]),
        ("b.pla|ce(1)", [("shop.ring", Position(4, 7))]),
        ("func total return 1\ntot|al()", [("", Position(0, 5)), ("shop.ring", Position(0, 5))]),
        ("b.tot|al()", []),
        ("'tot|al'", []),
        ("# tot|al", []),
        ("subst|r(1)", []),
    ],
)
def test_names_that_ring_defines(
    definitions: Definitions, text: str, places: list[tuple[str, Position]]
) -> None:
    """Functions, classes and methods over all files, in any case of letters, the document's own first."""
    assert find(definitions, "ring", text) == places


def test_other_languages_have_their_own_servers(definitions: Definitions) -> None:
    """Nothing is told of them."""
    assert find(definitions, "python", "tot|al()") == []


@pytest.mark.parametrize(
    ("language", "text", "told"),
    [
        ("powerquery", "Table.AddColum(t)", [("Table.AddColum", "Table.AddColumn")]),
        ("powerquery", "Table.Frobnicate(t)", [("Table.Frobnicate", "")]),
        ("powerquery", "Tabel.AddColumn(t)", [("Tabel.AddColumn", "Table.AddColumn")]),
        ("powerquery", "Table.AddColumn(Contoso.Total(1), Other.Thing(2), unknown)", []),
        ("powerquery", "let Table.Mine = 1 in Table.Mine", []),
        ("powerquery", '"Table.AddColum" // Table.AddColum', []),
        ("powerquery", "[Table.AddColum]", []),
        ("ring", "see subst(1)", [("subst", "substr")]),
        ("ring", "see frobnicate(1) + total(2)", []),
        ("ring", "class A\n  func f subst(1)", []),
        ("pony", "Arrray", []),
    ],
)
def test_unknown_names(
    packs: Packs, definitions: Definitions, language: str, text: str, told: list[tuple[str, str]]
) -> None:
    """Only what is nearly certain: a name of a known module, or nearly a known name."""
    found = unknown_names(text, language, packs(language), definitions.names(language))
    assert [(one.name, one.meant) for one in found] == told


def test_no_shipped_example_has_unknown_names(packs: Packs) -> None:
    """What the packs show, they have."""
    for language in ("powerquery", "ring"):
        (pack,) = packs(language)
        for example in pack.examples:
            if not example.counter_example:
                assert not unknown_names(example.code, language, [pack], ()), example.name
