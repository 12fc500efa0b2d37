"""Strings and comments around a cursor, told from the text before it alone."""

from __future__ import annotations

import pytest

from bowerbird.syntax.lexes import LEXES
from bowerbird.syntax.lexis import inside_comment_or_string, place_of, tokens


@pytest.mark.parametrize(
    ("language", "prefix", "expected"),
    [
        ("python", 'x = "abc', "string"),
        ("python", 'x = "abc"', None),
        ("python", "x = 'it\\'s", "string"),
        ("python", 'def f():\n    """Docs\n    and more', "string"),
        ("python", 'def f():\n    """Docs."""\n    ', None),
        ("python", "x = 1  # why", "comment"),
        ("python", "x = 1  # why\n", None),
        ("python", 'x = f"{a.', None),
        ("python", 'x = f"{a.b} ', "string"),
        ("python", 'x = "{a.', "string"),
        ("python", 'x = "unfinished\ny = ', None),
        ("typescript", "const a = `x ${b.", None),
        ("typescript", "const a = `x ${b.c} ", "string"),
        ("typescript", "/** @param a", "comment"),
        ("go", "s := `raw\n", "string"),
        ("go", "r := '\"'\ns := ", None),
        ("rust", "fn f<'a>(x: &'a str) { ", None),
        ("rust", 'let s = r#"a " b', "string"),
        ("rust", 'let s = r#"a " b"#; ', None),
        ("c", "/* a */ int x = '\"'; int ", None),
        ("c", "int x; // y", "comment"),
        ("lua", "x = [==[ a ]] ", "string"),
        ("lua", "--[[ a\nb", "comment"),
        ("ruby", 'puts "#{a.', None),
        ("ruby", "x = <<~TEXT\n  some", "string"),
        ("shell", "echo ${#x} ", None),
        ("shell", "echo $# # count", "comment"),
        ("pony", 'let s = """a "b" ', "string"),
        ("pony", "let x' = y' + ", None),
        ("ring", "see 'a\n", "string"),
        ("ring", "see 1 # a", "comment"),
        ("powerquery", 'a = "say ""', "string"),
        ("powerquery", 'a = #"Changed ', None),
        ("powerquery", "// x", "comment"),
        ("haskell", "x = 1 -- y", "comment"),
        ("markdown", "don't `do", None),
        (None, '"', None),
    ],
)
def test_inside_comment_or_string(language: str | None, prefix: str, expected: str | None) -> None:
    """Unfinished strings and comments are told from code, and so is code within strings."""
    assert inside_comment_or_string(prefix, '")\nmore', language) == expected


def test_code_in_a_string_is_told_apart() -> None:
    """Who asks more exactly learns that the code is in a string."""
    assert place_of('f"{', "python") == "code in string"
    assert place_of("x", "python") == "code"


@pytest.mark.parametrize("language", LEXES)
def test_every_row_reads_anything(language: str) -> None:
    """Each row's expressions are sound, and brackets are found in every language that has them."""
    found = [
        token.text for token in tokens('x = { "y", [ 1 ] }\n\0\ud800"', language) if token.kind == "open"
    ]
    assert found[0] == "{"


def test_words_of_blocks_count_as_whole_words() -> None:
    """``ending`` ends nothing, nor does a word in a string or comment."""
    text = 'do_it(ending, "end") -- end\nif x then y() end\n'
    assert [(one.kind, one.text) for one in tokens(text, "lua") if one.kind in ("open", "close")] == [
        ("open", "("),
        ("close", ")"),
        ("open", "if"),
        ("open", "("),
        ("close", ")"),
        ("close", "end"),
    ]
