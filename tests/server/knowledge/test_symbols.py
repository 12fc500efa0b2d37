"""Is every library name real?"""

from __future__ import annotations

import pytest

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.packs.store import load_pack, shipped_folder
from bowerbird.knowledge.symbols import ARGUMENT_COUNT, UNKNOWN_NAME, SymbolCheck

LANGUAGES = ("powerquery", "ring", "pony")


@pytest.fixture(scope="module")
def packs() -> tuple[Pack, ...]:
    """The shipped documentation."""
    found = [load_pack(shipped_folder() / name) for name in LANGUAGES]
    return tuple(pack for pack in found if isinstance(pack, Pack))


@pytest.mark.parametrize("language", LANGUAGES)
def test_shipped_examples_have_only_real_names(packs: tuple[Pack, ...], language: str) -> None:
    """Over 1,000 sound examples: the check is silent where all is well."""
    check = SymbolCheck(language, packs)
    wrong = [
        (example.purpose, problem.text)
        for pack in packs
        for example in pack.examples
        if example.language == language and not example.counter_example
        for problem in check.problems(example.code)
    ]
    # FIXME: Ring's `nothing()` takes any number of arguments, which its page in the pack does not say.
    assert [one for one in wrong if "`nothing`" not in one[1]] == []


PROBLEMS = {
    "powerquery": [
        ('Table.AddColum(a, "x")', UNKNOWN_NAME, "did you mean `Table.AddColumn`"),
        ("each table.addcolumn([a])", UNKNOWN_NAME, "`Table.AddColumn`"),
        ("List.Sum(Lst.Numbers(1, 2))", UNKNOWN_NAME, "`List.Numbers`"),
        ("Text.Upper(a, b, c)", ARGUMENT_COUNT, "is called with 3 arguments, but it is `Text.Upper(text"),
        ("Zzzz.Qqqq(1)", UNKNOWN_NAME, "there is no `Zzzz.Qqqq`"),
    ],
    "ring": [
        ('see lefft("pear", 2)', UNKNOWN_NAME, "`left`"),
        ('see LEFT("pear", 1, 2)', ARGUMENT_COUNT, "3 arguments, but it is `left(string, count)`"),
        ('o = new Strng("a")', UNKNOWN_NAME, "`String`"),
    ],
    "pony": [
        ("class C\n  fun f(a: Array[U32]) => a.psh(1)\n", UNKNOWN_NAME, "`push`"),
        ("class C\n  fun f(a: Arry[U32]) => None\n", UNKNOWN_NAME, "`Array`"),
        (
            "class C\n  fun ref f(a: Array[U32] ref) => a.push(1, 2)\n",
            ARGUMENT_COUNT,
            "`fun ref push(value: A)",
        ),
    ],
}


@pytest.mark.parametrize(
    ("language", "code", "kind", "words"),
    [(name, *case) for name, cases in PROBLEMS.items() for case in cases],
)
def test_problems_are_told(packs: tuple[Pack, ...], language: str, code: str, kind: str, words: str) -> None:
    """One problem each, with what may be meant."""
    (problem,) = SymbolCheck(language, packs).problems(code)
    assert problem.code == kind
    assert words in problem.text


SILENT = {
    "powerquery": [
        "let My.Function = (x) => x in My.Function(1, 2)",
        "section S; shared A.B = 1; c = A.B;",
        "let f = (x) => x in f(1, 2, 3)",
        '[A.B = 1][A.B] & Record.Field(r, "Text.Uper")',
        "// Text.Uper(1)\nText.Upper(...)",
    ],
    "ring": [
        "hello(1)\nfunc hello(x)\n\tsee x",
        'addmethod(o, "jump", func { })\no.jump()',
        "call cAction(1)",
        "new Shop { open() }\nclass Shop\n\tfunc open\n",
    ],
    "pony": [
        "class C\n  fun own() => None\n  fun f() => own()\n",
        "class Own[A]\n  fun f(a: A): Own[A] => this\n",
        "use @puts[I32](s: Pointer[U8] tag)\nclass C\n  fun f() => @puts[I32](p)\n",
    ],
    "python": ["nobody.knows(1)"],
}


@pytest.mark.parametrize(
    ("language", "code"), [(name, code) for name, codes in SILENT.items() for code in codes]
)
def test_what_may_be_right_is_not_told(packs: tuple[Pack, ...], language: str, code: str) -> None:
    """Names of the program's own, names in texts and comments, languages without a pack."""
    assert SymbolCheck(language, packs).problems(code) == []


def test_files_beside_declare_names(packs: tuple[Pack, ...]) -> None:
    """What an admitted file defines is real."""
    check = SymbolCheck("ring", packs)
    assert check.problems("ourOwnThing(1)")
    assert check.problems("ourOwnThing(1)", ["func OurOwnThing x\n\treturn x\n"]) == []


@pytest.mark.parametrize("code", ["", "(((", "let x = Text.Upper(", "\0\ud800", "x" * 2_000_000])
@pytest.mark.parametrize("language", [*LANGUAGES, "nonsense"])
def test_broken_code_is_ordinary(packs: tuple[Pack, ...], language: str, code: str) -> None:
    """No input raises."""
    assert SymbolCheck(language, packs).problems(code) is not None


def test_without_packs_nothing_is_wrong() -> None:
    """And it says that it does not know."""
    check = SymbolCheck("powerquery", ())
    assert not check.knows
    assert check.problems("Text.Uper(1)") == []
