"""What a document asks for, and where the code goes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.syntax.languages import LANGUAGES
from bowerbird.synthesis.request import Kind, request_at, request_for

CURSOR = "<cursor>"

PLACES = {
    "python comment": (
        "python",
        "import os\n\n# Remove every file <cursor>in a folder.\n\nx = 1\n",
        Kind.COMMENT,
        "Remove every file in a folder.",
        "import os\n\n# Remove every file in a folder.\nA\n    B\n\nx = 1\n",
    ),
    "python run of comments, indented": (
        "python",
        "def f(items):\n    # Sort the items<cursor>\n    # by their second field.\n",
        Kind.COMMENT,
        "Sort the items\nby their second field.",
        "def f(items):\n    # Sort the items\n    # by their second field.\n    A\n        B\n",
    ),
    "python comment at the end, without a line end": (
        "python",
        "# Print a table<cursor>",
        Kind.COMMENT,
        "Print a table",
        "# Print a table\nA\n    B",
    ),
    "python comment above an empty function": (
        "python",
        "# Greatest common divisor.<cursor>\ndef gcd(a, b):\n    pass\n",
        Kind.COMMENT,
        "Greatest common divisor.",
        "# Greatest common divisor.\ndef gcd(a, b):\n    A\n        B\n",
    ),
    "python docstring": (
        "python",
        'def gcd(a, b):\n    """Greatest common divisor.<cursor>"""\n\n\nx = 1\n',
        Kind.DOCSTRING,
        "Greatest common divisor.",
        'def gcd(a, b):\n    """Greatest common divisor."""\n    A\n        B\n\n\nx = 1\n',
    ),
    "python docstring of several lines over an ellipsis": (
        "python",
        'def gcd(\n    a, b\n):\n    """\n    Greatest common<cursor> divisor.\n    """\n    ...\n',
        Kind.DOCSTRING,
        "Greatest common divisor.",
        'def gcd(\n    a, b\n):\n    """\n    Greatest common divisor.\n    """\n    A\n        B\n',
    ),
    "python signature": (
        "python",
        "def parse_date(text):<cursor>\n",
        Kind.SIGNATURE,
        "parse date",
        "def parse_date(text):\n    A\n        B\n",
    ),
    "python signature with its body on the line": (
        "python",
        "def parse_date(text): ...<cursor>\n",
        Kind.SIGNATURE,
        "parse date",
        "def parse_date(text):\n    A\n        B\n",
    ),
    "javascript block comment": (
        "javascript",
        "/**\n * Debounce a <cursor>function.\n */\nfunction debounce(f, ms) {\n}\n",
        Kind.COMMENT,
        "Debounce a function.",
        "/**\n * Debounce a function.\n */\nfunction debounce(f, ms) {\n  A\n    B\n}\n",
    ),
    "javascript braces on one line": (
        "javascript",
        "function debounce(f, ms) {}<cursor>\n",
        Kind.SIGNATURE,
        "debounce",
        "function debounce(f, ms) {\n  A\n    B\n}\n",
    ),
    "go signature, tabs": (
        "go",
        "package m\n\nfunc ReadAll(path string) ([]string, error) {<cursor>\n}\n",
        Kind.SIGNATURE,
        "read all",
        "package m\n\nfunc ReadAll(path string) ([]string, error) {\n\tA\n\t\tB\n}\n",
    ),
    "pony signature": (
        "pony",
        "class A\n  fun double(x: U32): U32 =><cursor>\n\n  fun other(): U32 => 1\n",
        Kind.SIGNATURE,
        "double",
        "class A\n  fun double(x: U32): U32 =>\n    A\n      B\n\n  fun other(): U32 => 1\n",
    ),
    "pony docstring": (
        "pony",
        'class A\n  fun double(x: U32): U32 =>\n    """\n    Twice<cursor> the number.\n    """\n',
        Kind.DOCSTRING,
        "Twice the number.",
        'class A\n  fun double(x: U32): U32 =>\n    """\n    Twice the number.\n    """\n    A\n      B\n',
    ),
    "ring comment": (
        "ring",
        "# Print all even numbers<cursor>\n\nsee 1\n",
        Kind.COMMENT,
        "Print all even numbers",
        "# Print all even numbers\nA\n\tB\n\nsee 1\n",
    ),
    "ring function": (
        "ring",
        "func total list<cursor>\n",
        Kind.SIGNATURE,
        "total",
        "func total list\n\tA\n\t\tB\n",
    ),
    "powerquery comment before the end of let": (
        "powerquery",
        "let\n    Source = 1,\n    // Add a total<cursor> column\nin\n    Source\n",
        Kind.COMMENT,
        "Add a total column",
        "let\n    Source = 1,\n    // Add a total column\n    A\n        B\nin\n    Source\n",
    ),
    "lua signature": (
        "lua",
        "function reverse(list)<cursor>\nend\n",
        Kind.SIGNATURE,
        "reverse",
        "function reverse(list)\n  A\n    B\nend\n",
    ),
    "white space below gives way": (
        "python",
        "def f():\n    # Read the file<cursor>\n    \n",
        Kind.COMMENT,
        "Read the file",
        "def f():\n    # Read the file\n    A\n        B\n",
    ),
}


@pytest.mark.parametrize("case", PLACES)
def test_request_and_place(case: str) -> None:
    """Each way to ask is understood, the code lands where it belongs and the request stays as it was."""
    language, marked, kind, requirement, expected = PLACES[case]
    line = marked[: marked.index(CURSOR)].count("\n")
    request = request_at(marked.replace(CURSOR, ""), language, line)
    assert request is not None
    assert (request.kind, request.requirement) == (kind, requirement)
    assert request.program("A\n    B\n") == expected
    assert request.before + request.edit("A\n    B\n") + request.after == expected


NOTHING = {
    "code": ("python", "x = 1<cursor>\n"),
    "a full function": ("python", "def f(x):<cursor>\n    return x\n"),
    "a comment behind code": ("python", "x = 1  # add one to it<cursor>\n"),
    "a comment above a full function": ("python", "# Give it<cursor> back.\ndef f(x):\n    return x\n"),
    "a comment above a class": (
        "go",
        "package m\n\n// Cart is a cart.<cursor>\ntype Cart struct {\n\tA int\n}\n",
    ),
    "a docstring of a full function": (
        "python",
        'def f(x):\n    """Give it<cursor> back."""\n    return x\n',
    ),
    "a text": ("python", 'x = "# not a comment<cursor>"\n'),
    "a text of several lines": ("python", "x = '''\n# not a comment<cursor>\n'''\n"),
    "a directive": ("python", "#!/usr/bin/env python<cursor>\n"),
    "one word": ("python", "# TODO<cursor>\n"),
    "a line above a function": ("python", "x = 1<cursor>\n\ndef f():\n"),
    "a class": ("javascript", "class A {<cursor>\n}\n"),
    "no language": ("klingon", "# do something here<cursor>\n"),
    "nothing": ("python", "<cursor>"),
}


@pytest.mark.parametrize("case", NOTHING)
def test_no_request(case: str) -> None:
    """Code that is there, texts, directives and unknown languages ask for nothing."""
    language, marked = NOTHING[case]
    line = marked[: marked.index(CURSOR)].count("\n")
    assert request_at(marked.replace(CURSOR, ""), language, line) is None


@pytest.mark.parametrize("language", [name for name, row in LANGUAGES.items() if row.comment])
def test_every_language_with_comments(language: str) -> None:
    """A comment is a request in every indexed language that has comments to the end of the line."""
    mark = LANGUAGES[language].comment
    lead = "<?php\n" if language == "php" else ""
    request = request_at(f"{lead}{mark} sort the list\n", language, lead.count("\n"))
    assert request is not None
    assert request.requirement == "sort the list"
    assert request.program("A") == f"{lead}{mark} sort the list\nA\n"


@pytest.mark.parametrize(
    ("language", "comment"),
    [
        ("ocaml", "(* sort the list *)"),
        ("css", "/* centre the box */"),
        ("html", "<!-- a table of prices -->"),
    ],
)
def test_comments_with_an_end(language: str, comment: str) -> None:
    """So it is in languages whose comments must be closed."""
    request = request_at(f"{comment}\n", language, 0)
    assert request is not None
    assert request.requirement == comment.strip("(*/<!->) ")


def test_broken_code_is_ordinary() -> None:
    """Whatever the document and the line, there is an answer."""
    for language in LANGUAGES:
        for text in ("", "\n", "# a b", "def f(", "((((", '"""', "/*", "// a b\nfunction f( {", "func"):
            for line in range(-1, 4):
                request_at(text, language, line)


def test_a_request_without_a_document() -> None:
    """From the shell a comment alone makes a file of its own."""
    request = request_for("ring", " print hello \n")
    assert request.requirement == "print hello"
    assert request.program('see "hello"') == 'see "hello"\n'


@pytest.mark.parametrize(
    ("language", "text", "signature"),
    [
        ("python", "def total(items):\n    # sum of the items|\n", "def total(items):"),
        ("python", "def total(\n    items,\n):\n    # sum of the items|\n", "def total( items, ):"),
        ("python", "def total(items):\n    x = 1\n    # sum of the items|\n", ""),
        ("python", "class A:\n    # sum of the items|\n", ""),
        ("go", "package m\nfunc Total(a []int) int {\n\t// sum of a\n}\n", "func Total(a []int) int"),
        ("pony", "class A\n  fun f(x: U32): U32 =>\n    // twice the number|\n", "fun f(x: U32): U32 =>"),
    ],
)
def test_a_comment_in_an_empty_body(language: str, text: str, signature: str) -> None:
    """It asks for the body, so the function's head is known."""
    line = (
        text.replace("|", "")
        .split("\n")
        .index(next(row for row in text.replace("|", "").split("\n") if row.strip().startswith(("#", "//"))))
    )
    request = request_at(text.replace("|", ""), language, line)
    assert request is not None
    assert request.signature == signature
    assert request.place.start.line == line + 1


ROWS = [
    "# sum of a list",
    "// sum of a list",
    "def f(x):",
    "  func f(x) {",
    "}",
    "  }",
    "/*",
    "*/",
    "",
    "   ",
    "pass",
    "\tx = 1",
    "fun f() =>",
    "let",
    "in",
    "end",
    "f = (x) =>",
    "'",
    '"""',
    "é😀\u2028",
    "({[",
    ")]}",
]


@given(st.lists(st.sampled_from(ROWS), max_size=8), st.sampled_from(sorted(LANGUAGES)), st.integers(0, 8))
def test_whatever_the_document(lines: list[str], language: str, line: int) -> None:
    """There is an answer, the request stays, and nothing but white space or a placeholder gives way."""
    text = "\n".join(lines)
    request = request_at(text, language, line)
    if request is None:
        return
    gone = text[len(request.before) : len(text) - len(request.after)]
    assert request.before + gone + request.after == text
    assert not gone.strip() or gone.strip() == "pass"
    assert (
        text.split("\n")[request.lines.first : request.lines.end]
        == request.program("x").split("\n")[request.lines.first : request.lines.end]
    )
