"""Which signatures are shown while arguments are written, and which argument is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.lookup.signature import SignatureHelp, signature_at

Packs = Callable[[str], Sequence[Pack]]


def help_at(packs: Packs, language: str, text: str) -> SignatureHelp | None:
    prefix, _, suffix = text.partition("|")
    return signature_at(prefix, suffix, language, packs(language))


@pytest.mark.parametrize(
    ("language", "text", "symbol", "argument"),
    [
        ("powerquery", "Table.AddColumn(|", "Table.AddColumn", 0),
        ("powerquery", 'let a = Table.AddColumn(b, "(,", each [A] + f(1), |) in a', "Table.AddColumn", 3),
        ("powerquery", 'Table.AddColumn(b, // ,\n "x", |', "Table.AddColumn", 2),
        ("powerquery", "Table.SelectRows(Table.Sort(t, {|", "Table.Sort", 1),
        ("powerquery", "#date(2024, |", "#date", 1),
        ("pony", "actor A\n  fun f() =>\n    let x = Array[U8]\n    x.insert(|", "Array.insert", 0),
        ("ring", 'see SubStr(left("a", 2), |', "substr", 1),
    ],
)
def test_the_call_is_found(packs: Packs, language: str, text: str, symbol: str, argument: int) -> None:
    """The innermost open one that is known, its commas counted; not those in texts and comments."""
    found = help_at(packs, language, text)
    assert found is not None
    assert (found.entity.symbol, found.argument) == (symbol, argument)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("powerquery", "Table.AddColumn|"),
        ("powerquery", "Table.AddColumn(a, b)|"),
        ("powerquery", "Contoso.Things(|"),
        ("powerquery", '"Table.AddColumn(|'),
        ("powerquery", "// Table.AddColumn(|"),
        ("powerquery", "(|"),
        ("ring", "func substr(|"),
        ("ring", "if (|"),
        ("pony", "actor A\n  fun push(|"),
        ("python", "print(|"),
    ],
)
def test_elsewhere_there_is_none(packs: Packs, language: str, text: str) -> None:
    """Outside calls, in texts and comments, for the program's own functions, without a pack."""
    assert help_at(packs, language, text) is None


def test_the_overload_that_has_room_is_active(packs: Packs) -> None:
    """Of several signatures the first with so many parameters."""
    one = help_at(packs, "ring", "substr(a, |")
    three = help_at(packs, "ring", "substr(a, b, |")
    assert one is not None
    assert three is not None
    assert one.active == 0
    assert len(three.signatures[three.active].parts) == 3


def test_the_parameters_stand_in_the_signature(packs: Packs) -> None:
    """Each with what it is for."""
    found = help_at(packs, "powerquery", "Table.AddColumn(|")
    assert found is not None
    (signature,) = found.signatures
    assert [signature.text[part.start : part.end] for part in signature.parts] == [
        "table as table",
        "newColumnName as text",
        "columnGenerator as function",
        "optional columnType as nullable type",
    ]
    assert all(part.note for part in signature.parts)
