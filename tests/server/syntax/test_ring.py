"""Ring's grammar, as compiled into Bowerbird: lines, names, styles, and what broken code leaves whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bowerbird.syntax.entities import definitions
from bowerbird.syntax.parser import Tree, parse
from bowerbird.syntax.soundness import is_sound, tokens

HOUSE = Path(__file__).parents[3] / "grammars" / "tree-sitter-ring"

_CASE = re.compile(
    r"^={80}\n(?P<title>[^\n]+)\n={80}\n\n(?P<code>.*?)\n-{80}\n\n(?P<tree>.*?)(?=\n={80}\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
CASES = {
    f"{path.stem}: {case['title']}": (case["code"], case["tree"])
    for path in sorted(HOUSE.glob("test/corpus/*.txt"))
    for case in _CASE.finditer(path.read_bytes().decode())
}

SHOP = """\
load "stdlib.ring"

oShop = new Shop { cName = "Corner" add("apple", 2) }
? oShop.total()

func greet cName
    if cName = "Ring"
        see "It is you!" + nl
    but len(cName) > 10
        see "What a name!"
    else
        see "Hello, " + cName
    ok
    return cName

func count(aList, cWhat) {
    nCount = 0
    for cItem in aList {
        switch cItem { on cWhat nCount++ other loop }
    }
    return nCount
}

class Shop from Place
    cName aFoods = [[:name = "pear", :price = 3]]

    func add cFood, nPrice
        aFoods + [cFood, nPrice]

    func total
        nTotal = 0
        for i = 1 to len(aFoods) step 1
            nTotal += aFoods[i][2]
        end
        return nTotal

    private

    func check
        try
            verify(func x { return x > 0 })
        catch
            see cCatchError
        done

class Place
    cStreet nNumber = 0x1f
    func where return cStreet + " " + nNumber
"""


def tree_of(text: str) -> Tree:
    tree = parse(text, "ring")
    assert tree is not None
    return tree


def shape(text: str) -> str:
    """The tree on one line, without fields."""
    return re.sub(r"\b\w+: ", "", str(tree_of(text).root))


def names(text: str) -> list[tuple[str, str]]:
    return [(one.kind, one.name) for one in definitions(tree_of(text))]


@pytest.mark.parametrize("case", CASES)
def test_corpus(case: str) -> None:
    """The compiled parser sees the corpus as its authors wrote it down: `parser.c` is no older than that."""
    code, expected = CASES[case]
    assert shape(code) == re.sub(r"\s*\n\s*", " ", expected.strip())


def test_the_corpus_is_there() -> None:
    """The cases above are found, whole and broken ones."""
    assert len(CASES) > 50
    assert sum(name.startswith("broken: ") for name in CASES) >= 10


@pytest.mark.parametrize("example", sorted(HOUSE.glob("examples/*")), ids=lambda path: path.name)
def test_examples(example: Path) -> None:
    """Whole programs, which the compiler accepts, have trees without errors."""
    assert is_sound(tree_of(example.read_text("utf-8")))


def test_a_program_of_all_sorts() -> None:
    """Each definition is found, methods under their class, though no function needs an end."""
    assert is_sound(tree_of(SHOP))
    assert names(SHOP) == [
        ("function", "greet"),
        ("function", "count"),
        ("class", "Shop"),
        ("method", "Shop.add"),
        ("method", "Shop.total"),
        ("method", "Shop.check"),
        ("class", "Place"),
        ("method", "Place.where"),
    ]


def test_keywords_in_any_case() -> None:
    """A program in capitals is the same program."""
    assert shape(SHOP.upper()) == shape(SHOP)


def test_windows_line_ends() -> None:
    """A carriage return is a blank."""
    assert shape(SHOP.replace("\n", "\r\n")) == shape(SHOP)


@pytest.mark.parametrize(
    ("code", "statements"),
    [
        ("x = 5\n-1", 2),
        ("x = 5 -1", 1),
        ("x = 5 -\n1", 1),
        ("x = y\n(2)", 2),
        ("x = y\n[2]", 2),
        ("x = f()\n+ 1", 1),
        ("x = f() # why\n# and how\n+ 1", 1),
        ("x = f()\nandy = 1", 2),
        ("x = a[1]\n/ 2", 1),
        ("x = a[1]\n// 2\ny = 3", 2),
        ("x = new Point\n{ y = 1 }", 1),
        ('see "a" see "b" x = 1', 3),
        ("return\nx", 2),
        ("return x", 1),
        ("x++ y", 2),
    ],
)
def test_where_a_statement_ends(code: str, statements: int) -> None:
    """A statement ends where the compiler ends it."""
    tree = tree_of(code)
    assert is_sound(tree)
    assert sum(node.type != "comment" for node in tree.root.named_children) == statements


@pytest.mark.parametrize(
    "code",
    [
        "x = 1 == 2",
        "x = y\nand z",
        "x = [1 2]",
        "x = [\n  :a = 1\n  :b = 2\n]",
        "f(1, 2",
        "if x see 1",
        "for i = 1 to see i next",
        "while x see 1 ok",
        "if x { see 1 } else { see 2 }",
        "try risky() done",
        "func",
        "end",
    ],
)
def test_what_the_compiler_refuses(code: str) -> None:
    """Mistakes that hands used to other languages make are mistakes here."""
    assert not is_sound(tree_of(code))


def test_words_that_are_names_elsewhere() -> None:
    """Some keywords are members and methods, and `from`, `to`, `in` and `step` are variables too."""
    assert is_sound(tree_of("from = 1 to = 2 step = in\nfor i = from to to step step see i next"))
    assert is_sound(tree_of("o.on() o.done = :ok\nclass Done\n  func off\n    see :end"))


def test_a_changed_language_stays_readable() -> None:
    """Words that the program made into keywords are names; the functions below are found."""
    head = "ChangeRingKeyword if si\nChangeRingKeyword ok fin\n\n"
    body = "func f\n  si x = 1\n    see x\n  fin\n\nfunc g\n  f()\n"
    assert names(head + body) == [("function", "f"), ("function", "g")]


def test_each_deleted_token_leaves_the_others_whole() -> None:
    """Whichever token is missing, most functions around it are found where they were."""
    whole = tree_of(SHOP)
    before = {(one.name, one.span) for one in definitions(whole) if one.kind != "class"}
    shares = []
    for start, end in tokens(whole, {"string"}):
        broken = SHOP[:start] + " " * (end - start) + SHOP[end:]
        after = {(one.name, one.span) for one in definitions(tree_of(broken))}
        line = SHOP.count("\n", 0, start)
        others = {(name, span) for name, span in before if not span.first <= line < span.end}
        shares.append(len(others & after) / len(others))
    assert sum(share >= 0.9 for share in shares) >= 0.95 * len(shares)
