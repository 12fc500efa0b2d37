"""Which entities an example uses, found by the parser."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bowerbird.knowledge.packs.names import Names
from bowerbird.knowledge.packs.usage import used_indices
from bowerbird.knowledge.snippet import EntityKind, GrammarEntity

SYMBOLS = {
    "powerquery": {
        EntityKind.FUNCTION: "Table.AddColumn Table.Sort Text.Upper #date",
        EntityKind.KEYWORD: "let each try in",
        EntityKind.TYPE: "text number",
        EntityKind.OPERATOR: "+",
    },
    "pony": {
        EntityKind.TYPE: "Array List U8 Env",
        EntityKind.METHOD: "Array.push List.push Array.size OutStream.print",
        EntityKind.CONSTRUCTOR: "Array.create List.create",
        EntityKind.KEYWORD: "for actor",
        EntityKind.CAPABILITY: "ref iso",
        EntityKind.CONCEPT: "let",
    },
    "ring": {EntityKind.FUNCTION: "len upper find", EntityKind.KEYWORD: "for next", EntityKind.OPERATOR: "+"},
    "python": {EntityKind.FUNCTION: "shop.total json.loads", EntityKind.TYPE: "shop.Cart"},
}


def used(language: str, code: str) -> list[str]:
    entities: Sequence[GrammarEntity] = [
        GrammarEntity(kind=kind, symbol=symbol, pack="p", language=language)
        for kind, symbols in SYMBOLS[language].items()
        for symbol in symbols.split()
    ]
    names = Names(entities, case_sensitive=language != "ring")
    return [entities[index].symbol for index in used_indices(code, language, entities, names)]


@pytest.mark.parametrize(
    ("language", "code", "expected"),
    [
        # Words in comments and texts count for nothing; a function may be named without being called.
        (
            "powerquery",
            'let a = Table.AddColumn(t, "Table.Sort", each Text.Upper) /* Table.Sort */ in a // #date',
            "let Table.AddColumn each Text.Upper in",
        ),
        # A variable may be called like a type.
        ("powerquery", "let text = 1, x = text as number in #date(2020, 1, 1) + x", "let number in #date +"),
        # A method of several types is that of the types which the code names.
        (
            "pony",
            "actor Main\n  new create(env: Env) =>\n    let a = Array[U8]\n    a.push(1)",
            "actor Env Array U8 Array.push",
        ),
        ("pony", 'x.push(1)\ny.size()\n// List\nenv.out.print("Array")', "Array.size OutStream.print"),
        # What the code declares is its own; a method's type may be what another one gives.
        ("pony", "class A\n  fun size(): U8 => 1\n  fun f(e: Env) =>\n    size()\n    x.size()\n", "U8 Env"),
        # A concept is no word of the code.
        ("pony", "actor A\n  let x: Array[U8] ref = Array[U8].create()", "actor Array U8 ref Array.create"),
        # Names in any case of letters; what is declared or not called is no function of the library.
        ("ring", "For x in aList\n  ? LEN(x) + find\nnext # upper(x)\nfunc upper(x)\n", "for len + next"),
        ("ring", 'cText = "len(1)" + \'upper(2)\' + `find(3)` + "\\"\n? len(cText)', "+ len"),
        # Modules.
        (
            "python",
            "from shop import Cart, total\ntotal(Cart())\njson.loads(f'{json.loads(x)}')",
            "shop.Cart shop.total json.loads",
        ),
        ("python", "total = 3", ""),
    ],
)
def test_the_entities_that_code_uses(language: str, code: str, expected: str) -> None:
    """In order of their first mention, each once."""
    assert used(language, code) == expected.split()


def test_broken_code_uses_entities_too() -> None:
    """Unfinished code is ordinary."""
    assert "Table.AddColumn" in used("powerquery", 'let a = Table.AddColumn(t, "x')
    assert "len" in used("ring", 'len("')
