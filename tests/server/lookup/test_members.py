"""Which library names are offered behind what is typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.lookup.members import Members, members_at

Packs = Callable[[str], Sequence[Pack]]


def offered(packs: Sequence[Pack], language: str, text: str, most: int = 50) -> Members:
    prefix, _, suffix = text.partition("|")
    return members_at(prefix, suffix, language, packs, most)


def names(packs: Packs, language: str, text: str) -> list[str]:
    return [one.text for one in offered(packs(language), language, text).found]


def test_they_begin_with_what_is_typed(packs: Packs) -> None:
    """A dotted prefix of M leads to whole names, and to nothing else."""
    found = names(packs, "powerquery", "let a = Table.AddC|")
    assert "Table.AddColumn" in found
    assert all(name.startswith("Table.AddC") for name in found)


def test_a_list_is_short(packs: Packs) -> None:
    """At most so many, and whether there are more is told."""
    found = offered(packs("powerquery"), "powerquery", "Table.|")
    assert len(found.found) == 50
    assert found.more
    assert not offered(packs("powerquery"), "powerquery", "Table.AddC|").more


def test_what_the_document_uses_comes_first(packs: Packs) -> None:
    """Then what examples use often."""
    assert names(packs, "powerquery", "a = Table.Schema(b), c = Table.|")[0] == "Table.Schema"
    assert names(packs, "powerquery", "Table.|").index("Table.FromRecords") < 25


def test_letters_count_as_the_language_has_it(packs: Packs) -> None:
    """M tells capitals from small letters, and is helped only where nothing fits; Ring does not tell them."""
    assert "table" in names(packs, "powerquery", "type tab|")
    assert "Table.AddColumn" not in names(packs, "powerquery", "type tab|")
    assert "Table.AddColumn" in names(packs, "powerquery", "table.addc|")
    assert "substr" in names(packs, "ring", "see SUBS|")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("powerquery", '"Table.|"'),
        ("powerquery", "// Table.|"),
        ("powerquery", "/* Table.|"),
        ("powerquery", '#"Table.|"'),
        ("powerquery", "let a = |"),
        ("powerquery", "1|"),
        ("powerquery", "1.5|"),
        ("powerquery", "Foo.Bar|"),
        ("pony", "actor A\n  fun f(x: X) =>\n    x.|"),
        ("pony", "actor A\n  fun f(x: X) =>\n    x.p|"),
        ("pony", '"Arr|"'),
        ("ring", "# subs|"),
        ("ring", "'subs|"),
        ("python", "pri|"),
    ],
)
def test_nothing_is_offered_where_nothing_is_meant(packs: Packs, language: str, text: str) -> None:
    """In texts, comments, quoted names and numbers, before a letter is typed, and without a pack."""
    assert names(packs, language, text) == []


def test_members_of_a_known_type(packs: Packs) -> None:
    """Behind a dot the receiver's own, at once, where the text tells its type."""
    found = offered(packs("pony"), "pony", "actor A\n  fun f() =>\n    let x = Array[U8]\n    x.|")
    assert {one.entity.symbol.split(".")[0] for one in found.found} == {"Array"}
    assert "push" in [one.text for one in found.found]


def test_members_of_an_unknown_type(packs: Packs) -> None:
    """Methods of all types, each name once, those of types that the document names first."""
    found = offered(packs("pony"), "pony", 'use "collections"\nlet y: List[U8]\nx.pu|').found
    assert found[0].entity.symbol == "List.push"
    assert len({one.text for one in found}) == len(found)


def test_functions_and_keywords(packs: Packs) -> None:
    """Ring has both; Pony's methods stand only behind a dot."""
    assert {"substr", "subtract"} & set(names(packs, "ring", "sub|"))
    assert "switch" in names(packs, "ring", "sw|")
    assert "actor" in names(packs, "pony", "act|")
    assert "push" not in names(packs, "pony", "pus|")


def test_sharp_names(packs: Packs) -> None:
    """``#`` begins names of M's own."""
    assert "#table" in names(packs, "powerquery", "a = #|")
    assert names(packs, "powerquery", "a = #tab|") == ["#table"]


def test_the_users_own_packs(own_packs: Sequence[Pack]) -> None:
    """Work the same way."""
    assert [one.text for one in offered(own_packs, "python", "import shop\nshop.to|").found] == ["total"]
    assert [one.text for one in offered(own_packs, "python", "b = Bas|").found] == ["Basket"]


@given(st.text("Table.#\"'/*\n aé𝄞\r\ud800(", max_size=30), st.text('Tab. \n"', max_size=10))
def test_any_text_is_ordinary_input(packs: Packs, prefix: str, suffix: str) -> None:
    """Nothing raises, and all that is offered begins with what is typed, in some case of letters."""
    for language in ("powerquery", "ring", "pony"):
        found = members_at(prefix, suffix, language, packs(language), 50)
        assert prefix.endswith(found.typed)
        assert all(one.text.casefold().startswith(found.typed.casefold()) for one in found.found)
