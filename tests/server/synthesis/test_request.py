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


EMPTY = {
    "python": "def add(a, b):\n|    A\n",
    "javascript": "const add = (a, b) => {\n|  A\n}\n",
    "typescript": "function add(a: number, b: number): number {\n|  A\n}\n",
    "tsx": "function Add(a: number) {\n|  A\n}\n",
    "go": "func Add(a int, b int) int {\n|\tA\n}\n",
    "rust": "fn add(a: i32, b: i32) -> i32 {\n|    A\n}\n",
    "java": "class A {\n    int add(int a, int b) {\n|        A\n    }\n}\n",
    "c": "int add(int a, int b) {\n|    A\n}\n",
    "cpp": "int add(int a, int b) {\n|    A\n}\n",
    "csharp": "class A {\n    int Add(int a, int b) {\n|        A\n    }\n}\n",
    "ruby": "def add(a, b)\n|  A\nend\n",
    "php": "<?php\nfunction add($a, $b) {\n|    A\n}\n",
    "lua": "local function add(a, b)\n|  A\nend\n",
    "shell": "add() {\n|    A\n}\n",
    "pony": "class A\n  fun add(a: U32, b: U32): U32 =>\n|    A\n",
    "swift": "func add(a: Int, b: Int) -> Int {\n|    A\n}\n",
    "scala": "def add(a: Int, b: Int): Int = {\n|  A\n}\n",
    "powerquery": "let\n    add = (a, b) =>\n|        A\nin\n    add\n",
    "ring": "func add a, b\n|\tA\n",
    "kotlin": "fun add(a: Int, b: Int): Int {\n|    A\n}\n",
    "objective-c": "- (int)add:(int)a to:(int)b {\n|    A\n}\n",
    "zig": "fn add(a: i32, b: i32) i32 {\n|    A\n}\n",
    "dart": "int add(int a, int b) {\n|  A\n}\n",
    "haskell": "add a b =\n|    A\n",
    "elixir": "defp add(a, b) do\n|  A\nend\n",
    "erlang": "add(A, B) ->\n|    A\n",
    "clojure": "(defn add [a b]\n|    A\n)\n",
    "ocaml": "let rec add a b =\n|    A\n",
    "fsharp": "let add a b =\n|    A\n",
    "julia": "function add(a, b)\n|    A\nend\n",
    "r": "add <- function(a, b) {\n|    A\n}\n",
    "perl": "sub add {\n|    A\n}\n",
    "groovy": "def add(a, b) {\n|    A\n}\n",
    "powershell": "function Add($a) {\n|    A\n}\n",
    "vim": "function! Add(a, b)\n|    A\nendfunction\n",
}
WITHOUT_FUNCTIONS = """
sql make cmake dockerfile terraform nix protobuf graphql markdown restructuredtext latex html vue svelte css
scss xml json jsonc yaml toml ini
"""
"""Or, as in CMake and Vue, with none that is told; a comment asks there all the same."""


@pytest.mark.parametrize("language", EMPTY)
@pytest.mark.parametrize("commented", [False, True])
def test_an_empty_function_in_every_language(language: str, commented: bool) -> None:
    """Its head asks for the body, by its name or by the comment above it."""
    before, _, rest = EMPTY[language].partition("|")
    code, _, after = rest.partition("\n")
    lines = before.split("\n")
    line = len(lines) - 2
    if commented:
        mark = LANGUAGES[language].comment or "(*"
        end = "" if LANGUAGES[language].comment else " *)"
        space = lines[line][: len(lines[line]) - len(lines[line].lstrip())]
        lines.insert(line, f"{space}{mark} sum of both numbers{end}")
        before = "\n".join(lines)
    request = request_at(before + after, language, line)
    assert request is not None
    assert request.requirement == ("sum of both numbers" if commented else "add")
    assert "dd" in request.signature
    assert request.program("A") == f"{before}{code}\n{after}"


@pytest.mark.parametrize("language", EMPTY)
def test_a_function_with_a_body_asks_for_nothing(language: str) -> None:
    """In no language is code put above what is there."""
    before, _, rest = EMPTY[language].partition("|")
    full = before + rest.replace("A", "return g(1);", 1)
    assert request_at(full, language, before.count("\n") - 1) is None


def test_no_language_is_forgotten() -> None:
    """Each has its empty function, or is known to have none."""
    assert set(LANGUAGES) - set(EMPTY) == set(WITHOUT_FUNCTIONS.split())


@pytest.mark.parametrize("language", EMPTY)
@pytest.mark.parametrize(
    "text",
    ["if (x) {\n}\n", "while (f(x)) {\n}\n", "for i in 1:2\nend\n", "let x = 1\n", "x = 1\n", "(f x)\n)\n"],
)
def test_no_function_no_body(language: str, text: str) -> None:
    """What looks a little like an empty function is none."""
    assert request_at(text, language, 0) is None


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
