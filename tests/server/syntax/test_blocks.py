"""What is open at a cursor, what is closed behind it, and where a continuation leaves it."""

from __future__ import annotations

import pytest

from bowerbird.syntax.blocks import follow, missing_ends, string_end, surroundings
from bowerbird.syntax.leaving import block_left


def frames(text: str, language: str) -> list[tuple[str, bool]]:
    """How each block around the ``¦`` ends, and whether it does so behind the cursor."""
    prefix, _, suffix = text.partition("¦")
    found = surroundings(prefix, suffix, language).frames
    return [(frame.closes[0], frame.closed_at is not None) for frame in found]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("c", "int f() { if (x) { ¦ } }", [("}", True), ("}", True)]),
        ("c", "int f() { if (x) { ¦ }", [("}", True), ("}", False)]),
        ("c", "int f() { g(¦ }", [("}", True), (")", False)]),
        ("c", "int f() { g(¦); }", [("}", True), (")", True)]),
        ("c", "char c = '{'; // {\n¦", []),
        ("python", 'f("(", [¦])', [(")", True), ("]", True)]),
        ("lua", "if x then\n  for i = 1, 2 do\n  ¦\n  end\nend", [("end", True), ("end", True)]),
        ("lua", "repeat\n  ¦\nuntil x", [("until", True)]),
        ("ruby", "def f\n  while x do\n    y if z\n    ¦\n  end\nend", [("end", True), ("end", True)]),
        ("ruby", "items.each do |item|\n  ¦\n", [("end", False)]),
        ("shell", "if [ -f a ]; then\n  for x in a; do\n    ¦\n  done\nfi", [("fi", True), ("done", True)]),
        ("shell", "case $1 in\n  a) ¦\nesac", [("esac", True)]),
        ("pony", "match x\n| let y: U8 if y > 1 => ¦\nend", [("end", True)]),
        ("pony", "match x\n| let y: U8 if y > 1 => ¦", [("end", False)]),
        ("ring", "If a\n For x in y\n  ¦\n Next\nOk", [("ok", True), ("next", True)]),
        ("ring", "switch a\n on 1\n¦end", [("off", True)]),
        ("powerquery", "let a = [b = 1, ¦", [("in", False), ("]", False)]),
        ("powerquery", 'let #"in" = "in", ¦\nin a', [("in", True)]),
    ],
)
def test_surroundings(language: str, text: str, expected: list[tuple[str, bool]]) -> None:
    """Outermost first; where ends are missing, what was begun last is taken for unfinished."""
    assert frames(text, language) == expected


@pytest.mark.parametrize(
    ("language", "prefix", "text", "suffix", "kept"),
    [
        ("lua", "if x then\n  ", "y()\nend\nz()\n", "", "y()\nend"),
        ("lua", "if x then\n  ", "y()\nelse\n  z()\nend\nw()", "", "y()\nelse\n  z()\nend"),
        ("ruby", "def f\n  ", "g if h\nend\n\ndef i\n", "", "g if h\nend"),
        ("shell", "for x in a b; do\n  ", 'echo "done"\ndone\necho', "", 'echo "done"\ndone'),
        (
            "java",
            "class A {\n    void f() {\n        ",
            "g();\n    }\n\n    void h() {",
            "\n}\n",
            "g();\n    }",
        ),
        ("php", "<?php\nfunction f() {\n    ", "return 1;\n}\n\nfunction g() {", "", "return 1;\n}"),
        ("haskell", "f x = (", "x)\ng y = y", "", "x)\ng y = y"),
        ("markdown", "(", ")\n\n}", "", ")\n\n}"),
        (None, "{", "}\n\n}", "", "}\n\n}"),
        ("python", "", "def f():\n    pass\nx = f()", "", "def f():\n    pass\nx = f()"),
    ],
)
def test_block_left(language: str | None, prefix: str, text: str, suffix: str, kept: str) -> None:
    """A continuation ends with the block; at the margin, and in prose, there is nothing to leave."""
    assert text[: block_left(prefix, text, suffix, language)].rstrip() == kept


def test_missing_ends_come_innermost_first() -> None:
    """What the continuation opened is closed before what stood open, and what is closed behind not at all."""
    around = surroundings("if x then\n  f({", "\nend", "lua")
    assert missing_ends(follow("g(function() ", around, "lua"), around) == ("end", ")", "}", ")")


def test_a_string_ends_where_its_quote_stands() -> None:
    """The quote that ends the string around the cursor is found, with its width."""
    for prefix, text, expected in [
        ('f("a', 'b") + "c"', (1, 2)),
        ('"""a', 'b"""', (1, 4)),
        ('f("a', "b", None),
        ("f(a", '"b"', None),
        ('f("', '")', (0, 1)),
    ]:
        assert string_end(text, surroundings(prefix, "", "python"), "python") == expected
