"""Any text has a tree or none; nothing raises, hangs or crosses threads."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.syntax import parser
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.syntax.parser import LARGEST_BYTES, parse

WITH_GRAMMAR = sorted(name for name, language in LANGUAGES.items() if language.grammar)


def test_rows_are_lines_and_columns_bytes() -> None:
    """The tree of a text has a row for each line; characters beyond ASCII count by their bytes."""
    tree = parse('x = "ü"; y = 1\nz = 2\n', "python")
    assert tree is not None
    assert tree.language == "python"
    starts = [node.start_point for node in tree.root.named_children]
    assert starts == [(0, 0), (0, 10), (1, 0)]


@pytest.mark.parametrize("language", [None, "unheard-of", "kotlin", "markdown", ""])
def test_no_grammar_no_tree(language: str | None) -> None:
    """Where no grammar exists there is no tree."""
    assert parse("x = 1\n", language) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "\0",
        "def f(:\n\0\0\n  return",
        "\ud800\udfff lone",
        "\ufeffx = 1",
        'x = """never closed',
        "\x0c\x0b\u2028\u2029\x85",
        ")" * 1000,
        "\t" * 5000 + "x",
    ],
)
@pytest.mark.parametrize("language", WITH_GRAMMAR)
def test_broken_text_has_a_tree(language: str, text: str) -> None:
    """Code that is not finished, or is no code, has a tree all the same."""
    tree = parse(text, language)
    assert tree is not None
    assert tree.root.end_byte <= len(tree.data)


@pytest.mark.parametrize("language", WITH_GRAMMAR)
@given(text=st.text(st.characters(codec=None), max_size=400))
def test_parse_takes_any_text(language: str, text: str) -> None:
    """No text makes the parser raise; a second parse gives the same tree, character for character."""
    tree, again = parse(text, language), parse(text, language)
    assert (tree is None) == (again is None)
    if tree is not None and again is not None:
        assert str(tree.root) == str(again.root)


def test_size_is_capped() -> None:
    """Text above the cap has no tree, be it one line of 10 MB, or within it only by characters."""
    assert parse("x" * 10_000_000, "python") is None
    assert parse("#" + "ü" * (LARGEST_BYTES // 2), "python") is None
    assert parse("#" + "u" * (LARGEST_BYTES - 1), "python") is not None


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("c", "a=>" * 30_000),
        ("c", "a=>" * 2_500),
        ("java", "a<" * 60_000),
        ("java", "a<\n" * 60_000),
        ("rust", "%w(" * 30_000),
        ("lua", "[" * 60_000),
        ("powerquery", "/*\n" * 100_000),
    ],
)
def test_garbage_is_given_up(language: str, text: str) -> None:
    """Text on which the parser would work for minutes, or until its stack ends, soon has no tree."""
    assert parse(text, language) is None


@pytest.mark.parametrize("language", WITH_GRAMMAR)
def test_bytes_that_are_no_text_do_not_hold_up(language: str) -> None:
    """A long run of NULs, at which some grammars start over and over, is soon through."""
    tree = parse("x = 1\n" + "\0" * 300_000, language)
    assert tree is None or b"\0" not in tree.data


def test_shell_text_beyond_ascii_keeps_its_lines() -> None:
    """The shell's grammar, which cannot take other characters, is given as many of its own."""
    tree = parse("größe() {\n  echo \U0010fffd\n}\n", "shell")
    assert tree is not None
    assert tree.data == b"gr__e() {\n  echo _\n}\n"
    assert not tree.root.has_error


def test_short_statements_are_no_garbage() -> None:
    """A thousand lines of next to nothing have a tree, and so has a long file."""
    assert parse("x = 1\n" * 1_000, "python") is not None
    assert parse("def function(argument):\n    return argument + 1\n" * 15_000 + "x =", "python") is not None
    assert parse("x = [\n" + "    1, 2, 3, 4, 5, 6, 7, 8,\n" * 1_000 + "]\n", "python") is not None


def test_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that takes longer than the parser's patience has no tree; with more patience it has."""
    text = "def function(argument):\n    return argument + 1\n" * 3_000
    with monkeypatch.context() as hurried:
        hurried.setattr(parser, "PATIENCE_S", -1.0)
        assert parse(text, "python") is None
    assert parse(text, "python") is not None


def test_a_parser_serves_on_after_garbage() -> None:
    """What was given up leaves nothing behind in the next tree."""
    clean = parse("int a;\n", "c")
    assert parse("a=>" * 30_000, "c") is None
    after = parse("int a;\n", "c")
    assert clean is not None
    assert after is not None
    assert str(after.root) == str(clean.root)
    assert not after.root.has_error


def test_deep_nesting_is_survived() -> None:
    """Brackets a hundred thousand deep have a tree or none, and the process goes on."""
    for bracket in "([{":
        parse("x = " + bracket * 100_000, "python")


def test_threads_parse_side_by_side() -> None:
    """Threads that take turns within their parses get the trees that one alone would get."""
    texts = [
        f"def function_{number}(argument):\n    return argument + {number}\n" * 3_000 for number in range(8)
    ]

    def parsed(text: str) -> str:
        tree = parse(text, "python")
        assert tree is not None
        return str(tree.root)

    alone = [parsed(text) for text in texts]
    usual = sys.getswitchinterval()
    try:
        sys.setswitchinterval(1e-6)
        with ThreadPoolExecutor(len(texts)) as threads:
            side_by_side = list(threads.map(parsed, texts))
    finally:
        sys.setswitchinterval(usual)
    assert side_by_side == alone
