"""Which library name a place of a document means, and what is told of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.lookup.card import WIDEST_SIGNATURE, Card, markdown, plain, wrapped
from bowerbird.lookup.hover import Hover, hover_at
from bowerbird.lookup.nearest import nearest_example
from bowerbird.text import Position
from marked import marked

Packs = Callable[[str], Sequence[Pack]]

PONY = "actor Main\n  new create(env: Env) =>\n    let a = Array[U8]\n    {}\n"

FOUND = [
    ("powerquery", "let\n  A = Table.Add|Column(t, each 1)\nin A", "Table.AddColumn"),
    ("powerquery", "let\n  A = |Table.AddColumn(t, each 1)\nin A", "Table.AddColumn"),
    ("powerquery", "let\n  A = Table.AddColumn|(t, each 1)\nin A", "Table.AddColumn"),
    ("powerquery", "= Table.Join(a, b, JoinKind.Left|Outer)", "JoinKind.LeftOuter"),
    ("powerquery", "= type JoinKind.Ty|pe", "JoinKind.Type"),
    ("powerquery", "Table.SelectRows(t, ea|ch [A] > 1)", "each"),
    ("powerquery", "1 <|> 2", "<>"),
    ("powerquery", "#ta|ble({}, {})", "#table"),
    ("powerquery", "type tab|le [A = text]", "table"),
    ("powerquery", "1 // see Table.So|rt for more", "Table.Sort"),
    ("powerquery", "/* Table.So|rt", "Table.Sort"),
    ("powerquery", "let\n  A = Table.So|rt(\n", "Table.Sort"),
    ("powerquery", 'let é = "ß𝄞" & Text.Up|per("a") in é', "Text.Upper"),
    ("pony", PONY.format("a.pu|sh(3)"), "Array.push"),
    ("pony", PONY.format('env.out.pri|nt("x")'), "OutStream.print"),
    ("pony", PONY.format('"x".siz|e()'), "String.size"),
    ("pony", PONY.format("let b: Arr|ay[U8]"), "Array"),
    ("pony", PONY.format("a.>pu|sh(3)"), "Array.push"),
    ("pony", "// fill an Arr|ay\nactor Main", "Array"),
    ("pony", PONY.format("match| x\n    end"), "match"),
    ("ring", 'see SubS|tr("a", 1)', "substr"),
    ("ring", "f|or x in y see x next", "for"),
    ("ring", "s = new sta|ck", "Stack"),
    ("ring", "s = new Stack\ns.pu|sh(1)", "Stack.push"),
    ("ring", "# use `subs|tr` here", "substr"),
    ("ring", "if x = 1 see subs|tr(", "substr"),
]

NOT_FOUND = [
    ("powerquery", '"Table.So|rt"'),
    ("powerquery", 'let #"Table.So|rt" = 1 in 1'),
    ("powerquery", "[Table.So|rt = 1]"),
    ("powerquery", "x[Table.So|rt]"),
    ("powerquery", "Contoso.So|rt(1)"),
    ("powerquery", "let te|xt = 1 in text"),
    ("powerquery", "// the tex|t of a table"),
    ("powerquery", "// table.so|rt"),
    ("powerquery", "table.sor|t(x)"),
    ("powerquery", "1 |  + 2"),
    ("powerquery", "|"),
    ("pony", PONY.format("a.frobni|cate()")),
    ("pony", "class A\n  fun pu|sh() => None"),
    ("pony", PONY.format("other.frob(a.b)\n    // a.pu|sh here")),
    ("ring", "len| = 3"),
    ("ring", "func substr a, b\nsee subst|r(1, 2)"),
    ("ring", "'subst|r(1)'"),
    ("python", "print|(1)"),
    (None, "Table.So|rt"),
]


def symbol_at(packs: Packs, language: str | None, text: str) -> str | None:
    found = hover_at(*marked(text), language, packs(language or ""))
    return found.card.entity.symbol if found else None


@pytest.mark.parametrize(("language", "text", "symbol"), FOUND)
def test_a_library_name_is_known(packs: Packs, language: str, text: str, symbol: str) -> None:
    """Functions, enumeration members, methods, keywords, operators; exact names in comments; broken code."""
    assert symbol_at(packs, language, text) == symbol


@pytest.mark.parametrize(("language", "text"), NOT_FOUND)
def test_everything_else_is_not(packs: Packs, language: str | None, text: str) -> None:
    """Texts, names of the program's own, unknown names, English words in comments, other languages."""
    assert symbol_at(packs, language, text) is None


def test_the_range_is_the_word(packs: Packs) -> None:
    """A dotted name of M is one word; of a method the part behind the dot is."""
    dotted = hover_at(*marked("  Table.So|rt(x)"), "powerquery", packs("powerquery"))
    method = hover_at(*marked(PONY.format("a.pu|sh(3)")), "pony", packs("pony"))
    assert dotted is not None
    assert method is not None
    assert (dotted.range.start, dotted.range.end) == (Position(0, 2), Position(0, 12))
    assert (method.range.start, method.range.end) == (Position(3, 6), Position(3, 10))


def test_a_method_of_an_unknown_receiver_names_the_others(packs: Packs) -> None:
    """Which is meant only a compiler knows: one is shown, and the others are named."""
    found = hover_at(*marked("actor Main\n  fun f(x: X) =>\n    x.str|ing()"), "pony", packs("pony"))
    assert found is not None
    assert found.card.entity.symbol.endswith(".string")
    assert "String.string" in (*found.card.others, found.card.entity.symbol)
    assert "Or one of: " in markdown(found.card)


def test_types_that_the_document_names_are_likelier(packs: Packs) -> None:
    """Of all methods of a name one of a type that stands in the document is shown."""
    text = 'use "collections"\nactor Main\n  fun f(x: Any, y: List[U8]) =>\n    z.pu|sh(1)'
    assert symbol_at(packs, "pony", text) == "List.push"


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("import shop\nshop.to|tal([])", "shop.total"),
        ("from shop import total\ntot|al([])", "shop.total"),
        ("b = Basket()\nb.pu|t('tea')", "Basket.put"),
        ("x: Bas|ket", "Basket"),
        ("'shop.to|tal'", None),
        ("# shop.to|tal adds up", "shop.total"),
        ("def total(x): pass\ntot|al(1)", None),
    ],
)
def test_packs_of_the_users_own_work_the_same_way(
    own_packs: Sequence[Pack], text: str, symbol: str | None
) -> None:
    """A private library of any language."""
    found = hover_at(*marked(text), "python", own_packs)
    assert (found.card.entity.symbol if found else None) == symbol


def card_of(packs: Packs, text: str, language: str = "powerquery") -> Card:
    found = hover_at(*marked(text), language, packs(language))
    assert found is not None
    return found.card


def test_the_card(packs: Packs) -> None:
    """Signature, one paragraph, parameters, one example, and where it is written."""
    card = card_of(packs, "Table.AddC|olumn(t)")
    shown = markdown(card)
    blocks = shown.split("\n\n")
    assert blocks[0].startswith("```powerquery\nTable.AddColumn(\n  table as table,\n")
    assert "\n- `newColumnName`: " in shown
    assert "\n\nExample: " in shown
    assert blocks[-1] == f"*{card.source}*"
    assert card.source.startswith("Power Query M 2026.11, table.md:")
    assert max(map(len, blocks[0].split("\n"))) <= WIDEST_SIGNATURE


def test_the_plain_card_has_no_marks(packs: Packs) -> None:
    """Editors that show text get no Markdown."""
    card = card_of(packs, "Table.AddC|olumn(t)")
    shown = plain(card)
    assert "`" not in shown
    assert shown.endswith(f"\n\n{card.source}")
    assert "\n\ngives\n    " in shown


def test_without_signature(packs: Packs) -> None:
    """Beside a server that shows the type, it is not shown twice."""
    card = card_of(packs, "Table.AddC|olumn(t)")
    assert markdown(card).endswith(markdown(card, signature=False))
    assert not markdown(card, signature=False).startswith("```")


def test_an_enumeration_lists_its_members(packs: Packs) -> None:
    """With a sentence for each."""
    card = card_of(packs, "JoinKind.Ty|pe")
    assert "- `JoinKind.Inner`: " in markdown(card)
    assert "Member of `JoinKind.Type`" in markdown(card_of(packs, "JoinKind.In|ner"))


def test_a_method_tells_its_type(packs: Packs) -> None:
    """A signature of Pony's does not."""
    assert "Method of `Array` in `builtin`." in markdown(card_of(packs, PONY.format("a.pu|sh(3)"), "pony"))


def test_narrow_signatures_stay_on_one_line() -> None:
    """And brackets within parameters break nothing."""
    assert wrapped("f(a, b)") == "f(a, b)"
    wide = f"f(a: ({'x' * 40}, {'y' * 40}), b: C) : D"
    assert wrapped(wide).split("\n") == [
        "f(",
        f"  a: ({'x' * 40}, {'y' * 40}),",
        "  b: C",
        ") : D",
    ]


def test_the_example_is_near_to_the_code(packs: Packs) -> None:
    """What the code around the cursor uses decides which of many examples is shown."""
    (pack,) = packs("powerquery")
    (index,) = pack.names.whole("Table.AddColumn")
    with_index = nearest_example(
        pack, index, "Table.AddColumn(Table.AddIndexColumn(x), each Text.Upper([A]))"
    )
    with_if = nearest_example(
        pack, index, "Table.AddColumn(x, each if [A] > 1 then Date.Year([B]) else null)"
    )
    assert with_index is not None
    assert with_if is not None
    assert "Table.AddColumn" in with_index.code
    assert with_index != with_if


def test_what_must_fail_is_called_so(own_packs: Sequence[Pack]) -> None:
    """A counter-example, shown where there is nothing else, is no model."""
    found = hover_at(*marked("shop.clo|se()"), "python", own_packs)
    assert found is not None
    assert "This fails: close twice\n```python\n" in markdown(found.card)


@given(st.text("Tabletxt.So(\"[]{}'#|/*\n é𝄞\r\0\ud800", max_size=40), st.integers(-1, 45))
def test_any_text_is_ordinary_input(packs: Packs, text: str, column: int) -> None:
    """Nothing raises, whatever stands there and wherever is asked."""
    for language in ("powerquery", "ring", "pony"):
        found = hover_at(text, Position(text.count("\n"), max(0, column)), language, packs(language))
        assert found is None or isinstance(found, Hover)
