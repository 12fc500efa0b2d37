"""Where a whole function may be written: its body is still empty and the cursor stands in it."""

from __future__ import annotations

import pytest

from bowerbird.syntax import bodies
from bowerbird.syntax.bodies import in_empty_body

EMPTY = [
    ("python", "def f(a):\n    |\n"),
    ("python", "def f(a):\n    |"),
    ("python", "def f(a):\n    |\n\n\ndef g():\n    pass\n"),
    ("python", 'def f(a):\n    """Says what."""\n    |\n'),
    ("python", "def f(a):\n    # later\n    |\n"),
    ("python", "class A:\n    def f(self):\n        |\n\n    def g(self):\n        pass\n"),
    ("python", "async def f():\n    |\n"),
    ("javascript", "function f(a) {\n  |\n}\n"),
    ("typescript", "class A {\n  f(a: number): void {\n    |\n  }\n}\n"),
    ("typescript", "const f = (a: number) => {\n  |\n};\n"),
    ("go", "package a\n\nfunc f() {\n\t|\n}\n"),
    ("go", "package a\n\nfunc (s *S) f() {\n\t|\n}\n"),
    ("rust", "fn f() -> u8 {\n    |\n}\n"),
    ("c", "int f(void)\n{\n    |\n}\n"),
    ("java", "class A {\n    int f() {\n        |\n    }\n}\n"),
    ("lua", "function f(a)\n  |\nend\n"),
    ("pony", "actor Main\n  fun f(): U8 =>\n    |\n"),
    ("ring", "func f a\n    |\n"),
]
OTHER = [
    ("python", "def f(a):\n    b = a\n    |\n"),
    ("python", "def f(a):\n    |\n    return a\n"),
    ("python", "def f(a):\n    x|\n"),
    ("python", "def f(a):\n    |x\n"),
    ("python", "def f(a): |"),
    ("python", "class A:\n    |\n"),
    ("python", "if a:\n    |\n"),
    ("python", "def f(a):\n    if a:\n        |\n"),
    ("python", "\n|\n"),
    ("python", "|"),
    ("go", "package a\n\nfunc f() {\n\tif a {\n\t\t|\n\t}\n}\n"),
    ("go", "package a\n\ntype S struct {\n\t|\n}\n"),
    ("typescript", "class A {\n  |\n}\n"),
    ("rust", "impl A {\n    |\n}\n"),
    ("c", "int f(void)\n{\n    int a;\n    |\n}\n"),
    ("c", "struct a {\n    |\n};\n"),
    (None, "def f(a):\n    |\n"),
    ("no language", "def f(a):\n    |\n"),
]


@pytest.mark.parametrize(("language", "text"), EMPTY)
def test_an_empty_body(language: str, text: str) -> None:
    """Functions, methods and closures; a docstring or a comment is no code."""
    assert in_empty_body(*_split(text), language)


@pytest.mark.parametrize(("language", "text"), OTHER)
def test_anything_else(language: str | None, text: str) -> None:
    """Bodies with code, blocks within them, classes, text on the cursor's line, files without grammar."""
    assert not in_empty_body(*_split(text), language)


@pytest.mark.parametrize(
    "text",
    [
        "def f(a:\n    |\n",
        "def f(\n    |\n",
        ")))\ndef f(a):\n    |\n",
        "def f(a):\n    |\n((((",
        "def\n    |",
    ],
)
def test_broken_code_is_ordinary(text: str) -> None:
    """There is an answer for what has no sense."""
    assert in_empty_body(*_split(text), "python") in (True, False)


def test_a_huge_file_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parsing it at each key would cost more than it tells."""
    monkeypatch.setattr(bodies, "parse", lambda *_: pytest.fail("parsed"))
    monkeypatch.setattr(bodies, "MAX_CHARACTERS", 10)
    assert not in_empty_body("def f(a):\n    ", "\n", "python")


def _split(text: str) -> tuple[str, str]:
    before, _, behind = text.partition("|")
    return before, behind
