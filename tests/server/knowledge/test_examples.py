"""Examples: documented functions of the workspace with their tests, and what packs show."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.knowledge.examples import WorkspaceExamples, pack_examples, requirement_of
from bowerbird.knowledge.packs.store import load_packs
from bowerbird.knowledge.snippet import Source
from bowerbird.text import Span


def source(name: str, text: str, language: str = "python") -> Source:
    return Source(Path("/w") / name, name, text, language)


SHOP = source(
    "shop/cart.py",
    "class Cart:\n"
    "    def total(self, items: list[int]) -> int:\n"
    '        """The sum\n        of all prices.\n\n        More is said here.\n        """\n'
    "        return sum(items)\n\n\n"
    "# Split a text at commas.\n"
    "def split(text):\n"
    "    return text.split(',')\n\n\n"
    "def bare(text):\n"
    "    return text\n\n\n"
    "def one_word():\n"
    '    """Sums."""\n'
    "    return 1\n",
)
TESTS = source(
    "tests/test_cart.py",
    "def test_split():\n"
    "    assert split('a,b') == ['a', 'b']\n"
    "    assert split('') == [\n        ''\n    ]\n"
    "    split('not a claim')\n"
    "    for x in split('check'):\n        pass\n",
)


def test_documented_functions() -> None:
    """Each with its requirement, its code without margin, and where it stands."""
    found = WorkspaceExamples().of([SHOP, TESTS], "python")
    assert [one.requirement for one in found] == ["The sum of all prices.", "Split a text at commas."]
    total, split = found
    assert total.code.startswith("def total(self, items: list[int]) -> int:\n    ")
    assert total.signature == "def total(self, items: list[int]) -> int"
    assert (split.name, split.span) == ("shop/cart.py", Span(11, 13))


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [
        ("python", '# Sum of a list.\ndef f(a):\n    """Sum of a list."""\n    pass  # later\n', 0),
        ("python", "# Sum of a list.\ndef f(a):\n    return 1\n", 1),
        ("lua", "-- Sum of a list.\nfunction f(a)\nend\n", 0),
        ("lua", "-- Sum of a list.\nfunction f(a)\n  return 1\nend\n", 1),
        ("rust", "// Sum of a list.\nfn f() -> u8 {\n    todo!()\n}\n", 0),
        ("c", "// Sum of a list.\nint f(void) { return 1; }\n", 1),
    ],
)
def test_a_function_that_is_yet_to_be_written_is_no_example(language: str, text: str, count: int) -> None:
    """Such as the one whose body is asked for."""
    assert len(WorkspaceExamples().of([source("a", text, language)], language)) == count


def test_their_tests() -> None:
    """Whole lines of test files that claim something of a call; no others."""
    total, split = WorkspaceExamples().of([TESTS, SHOP], "python")
    assert split.tests == ("assert split('a,b') == ['a', 'b']",)
    assert total.tests == ()


def test_only_the_language() -> None:
    """Examples of other languages are of no use."""
    assert WorkspaceExamples().of([SHOP], "ring") == []


@pytest.mark.parametrize(
    ("language", "text", "requirement"),
    [
        ("ring", "# Adds two numbers.\nfunc add a, b\n\treturn a + b\n", "Adds two numbers."),
        ("powerquery", "let\n  // Adds a tax.\n  F = (p) =>\n    p * 1.2\nin F\n", "Adds a tax."),
        (
            "pony",
            'class A\n  fun f(x: U32): U32 =>\n    """\n    Twice a number.\n    """\n    x * 2\n',
            "Twice a number.",
        ),
        (
            "go",
            "package m\n\n// F doubles a number.\nfunc F(x int) int {\n\treturn 2 * x\n}\n",
            "F doubles a number.",
        ),
        (
            "javascript",
            "/**\n * Doubles a number.\n */\nfunction f(x) {\n  return 2 * x\n}\n",
            "Doubles a number.",
        ),
    ],
)
def test_languages(language: str, text: str, requirement: str) -> None:
    """Docstrings and leading comments are understood where a grammar tells what is a function."""
    (found,) = WorkspaceExamples().of([source("a", text, language)], language)
    assert found.requirement == requirement


def test_a_file_is_read_once_for_each_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time nothing is parsed; a new version is."""
    from bowerbird.knowledge import examples

    parsed: list[str] = []
    real = examples.parse
    monkeypatch.setattr(examples, "parse", lambda text, language: parsed.append(text) or real(text, language))
    bank = WorkspaceExamples()
    assert bank.of([SHOP], "python") == bank.of([SHOP], "python")
    assert len(parsed) == 1
    bank.of([source(SHOP.name, SHOP.text)], "python")
    assert len(parsed) == 2


@pytest.mark.parametrize("text", ["def", "def f(:\n  '''a b\n", "(((((", "\0", '"""a b"""'])
def test_broken_code(text: str) -> None:
    """Gives what it gives, and no error."""
    WorkspaceExamples().of([source("a.py", text), source("test_a.py", text)], "python")


def test_requirements() -> None:
    """The first paragraph on one line; a single word says too little."""
    assert requirement_of("Give it\n  back.\n\nArgs:\n  x: what") == "Give it back."
    assert requirement_of("Sums.") == requirement_of("") == ""


def test_packs() -> None:
    """Every example of a shipped pack that shows code which works, with its documented output."""
    pack = next(pack for pack in load_packs().packs if pack.name == "powerquery")
    found = pack_examples([pack])
    assert len(found) == sum(not one.counter_example and bool(one.code.strip()) for one in pack.examples)
    assert any(one.output for one in found)
