"""What files of a library declare, and what documents it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.syntax.declarations import Declaration, declarations
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.syntax.parser import parse


def declared(code: str, language: str) -> list[Declaration]:
    tree = parse(code, language)
    assert tree is not None
    return declarations(tree)


def test_a_text_inside_documents_a_definition_of_python() -> None:
    """Decorators are no part of a signature, and a definition on one line counts, too."""
    found = declared(
        '"""M."""\n@d\nclass A(B):\n  """C."""\n  def f(self, *, a=1): "F."\n  x = "no"\n', "python"
    )
    assert [(one.name, one.signature, one.docstring, one.line) for one in found] == [
        ("", "", "M.", 0),
        ("A", "class A(B)", "C.", 1),
        ("A.f", "def f(self, *, a=1)", "F.", 4),
    ]


@pytest.mark.parametrize(
    ("code", "docstring"),
    [
        ('  fun f(): String => "given"\n', ""),
        ('  fun f(): String =>\n    """\n    Said.\n      More.\n    """\n    "given"\n', "Said.\n  More."),
        ('  fun f(): String\n    """\n    Without a body.\n    """\n', "Without a body."),
        ('  fun f(): String =>\n    // a comment\n    "given"\n', ""),
        ('  let f: String = "given"\n', ""),
        ('  let f: String = "given"\n    """\n    Said.\n    """\n', "Said."),
    ],
)
def test_a_text_that_a_method_of_pony_gives_is_no_docstring(code: str, docstring: str) -> None:
    """Only one that something follows, or that stands where no body is."""
    assert [one.docstring for one in declared(f"class A\n{code}", "pony")] == ["", docstring]


@pytest.mark.parametrize(
    ("language", "code", "signature", "docstring"),
    [
        (
            "rust",
            "x();\n\n/// One.\n/// Two.\n#[inline]\npub fn f<T>(a: T) -> u8 { 1 }\n",
            "pub fn f<T>(a: T) -> u8",
            "One.\nTwo.",
        ),
        ("go", "package a\n// Not of f.\n\n// Of f.\nfunc f(a int) {\n}\n", "func f(a int)", "Of f."),
        ("c", "int x; // of x\nint f(int a)\n{\n}\n", "int f(int a)", ""),
        (
            "typescript",
            "/** Of f.\n * @param a x\n */\nexport function f(a: A): B {\n}\n",
            "export function f(a: A): B",
            "Of f.\n@param a x",
        ),
        ("lua", "-- Of f.\nfunction f(a)\n  return a\nend\n", "function f(a)", "Of f."),
    ],
)
def test_the_comment_above_documents_a_definition(
    language: str, code: str, signature: str, docstring: str
) -> None:
    """It ends on the line before, and has lines of its own."""
    found = declared(code, language)[-1]
    assert (found.signature, found.docstring) == (signature, docstring)


def test_what_is_declared_in_a_function_is_local() -> None:
    """Nobody else can use it."""
    assert [one.name for one in declared("def f():\n  def g(): pass\n  class H: pass\n", "python")] == ["f"]


@given(
    st.sampled_from(sorted(name for name, row in LANGUAGES.items() if row.grammar)),
    st.text(alphabet="abfn (){}:=>\"'\n/#*", max_size=80),
)
def test_no_source_is_too_broken(language: str, code: str) -> None:
    """Whatever a file holds, its declarations have names and lines."""
    tree = parse(code, language)
    for one in declarations(tree) if tree else ():
        assert one.name or one.kind == "module"
        assert 0 <= one.line <= code.count("\n")
