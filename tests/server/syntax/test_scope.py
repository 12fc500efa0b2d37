"""How much of a continuation the parser takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.syntax import scope
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.syntax.parser import parse
from bowerbird.syntax.scope import count_errors, sound_prefix

GO = "package a\n\nfunc f() int {\n\t"


@pytest.mark.parametrize(
    ("language", "prefix", "text", "suffix", "expected"),
    [
        ("python", "def f():\n    ", "a = 1\n    b = = 2\n    c = 3", "\n", "a = 1"),
        ("python", "def f():\n    ", "return a] + b", "\n", "return a"),
        ("python", "def f():\n    ", "g(\n        a,", "\n", "g(\n        a,"),
        ("python", "x = ", "[1, {2: (3,", "\ny = 1\n", "[1, {2: (3,"),
        ("python", "class A:\n    ", "@property", "\n    def f(self):\n        pass\n", "@property"),
        ("python", "def broken(:\n\n\ndef f():\n    ", "return 1", "\n", "return 1"),
        ("python", "if x", ":\n    y = )", "\n", ":"),
        ("c", "int f(void)\n{\n    ", "a = 1;\n    b = c", "\n}\n", "a = 1;\n    b = c"),
        ("c", "int f(void)\n{\n    ", "for (;;", "\n}\n", "for (;;"),
        ("c", "int f(void)\n{\n    ", "a = 1;\n    b = * / 2;", "\n}\n", "a = 1;"),
        ("go", GO, "if a {\n\t\treturn 1", "\n}\n", "if a {\n\t\treturn 1"),
        ("go", GO, "return 1\n\treturn := 2", "\n}\n", "return 1"),
        ("rust", "fn f() {\n    ", "// a }\n    let b = [1, 2", "\n}\n", "// a }\n    let b = [1, 2"),
        (
            "typescript",
            "class A {\n  f() {\n    ",
            "if (a) {\n      b();",
            "\n  }\n}\n",
            "if (a) {\n      b();",
        ),
        ("lua", "function f()\n  ", "if a then\n    b()", "\nend\n", "if a then\n    b()"),
        ("lua", "function f()\n  ", "a()\n  b = = 1", "\nend\n", "a()"),
        (
            "pony",
            "actor Main\n  new create(env: Env) =>\n    ",
            "if a then\n      b",
            "\n",
            "if a then\n      b",
        ),
        ("php", "<?php\nfunction f() {\n  ", "$a = 1;\n  $b = = 2;", "\n}\n", "$a = 1;"),
        ("haskell", "f = ", ")))", "\n", ")))"),
        (None, "f = ", ")))", "\n", ")))"),
        ("python", "x = 1\n", "   \n", "\n", "   \n"),
    ],
)
def test_sound_prefix(language: str | None, prefix: str, text: str, suffix: str, expected: str) -> None:
    """Whole lines first, then within the first; what is merely unfinished is no error."""
    assert sound_prefix(prefix, text, suffix, language) == expected


def test_errors_elsewhere_do_not_count() -> None:
    """Each attempt is compared with the document as it was."""
    broken = "def a(:\n    pass\n\ndef b():\n    return (\n\ndef c():\n    "
    assert sound_prefix(broken, "x = 1\n    y = 2", "\n\ndef d(:\n", "python") == "x = 1\n    y = 2"


def test_a_huge_document_is_not_parsed() -> None:
    """What would take too long is left to the other filters."""
    huge = "x = (" + "1,\n" * scope.MOST_PARSED_CHARACTERS
    assert sound_prefix(huge, "y = = 1", "\n", "python") == "y = = 1"


def test_only_the_outermost_block_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a long file of short functions an attempt takes no longer than in a short one."""
    parsed: list[int] = []
    monkeypatch.setattr(
        scope, "parse", lambda text, language: parsed.append(len(text)) or parse(text, language)
    )
    functions = "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(500))

    sound_prefix(functions + "def g():\n    ", "return 1", "\n\n\n" + functions, "python")

    assert len(parsed) == 1
    assert parsed[0] < 100


def test_count_errors() -> None:
    """Both what the parser skipped and what it made up."""
    trees = [parse(text, "c") for text in ("int a;", "int a", "int f() { a = ; b = ) }")]
    assert [count_errors(tree) for tree in trees if tree] == [0, 1, 2]


@given(
    st.text("abif(){}[]\"'\n :=;#", max_size=40),
    st.text("abif(){}[]\"'\n :=;#", max_size=40),
    st.text("abif(){}[]\"'\n :=;#", max_size=40),
    st.sampled_from(sorted(LANGUAGES)),
)
def test_a_prefix_of_anything(prefix: str, text: str, suffix: str, language: str) -> None:
    """Whatever the code, a beginning of the text comes back, and not nothing of something."""
    kept = sound_prefix(prefix, text, suffix, language)
    assert text.startswith(kept)
    assert bool(kept.strip()) == bool(text.strip())
