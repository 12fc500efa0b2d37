"""The table of languages, and how a file's language is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from bowerbird.syntax.grammars import grammar_of
from bowerbird.syntax.languages import LANGUAGES, Language, language_of

PROMISED = [
    *("python", "javascript", "typescript", "tsx", "go", "rust", "java", "c", "cpp", "csharp"),
    *("ruby", "php", "lua", "shell", "pony", "ring", "powerquery"),
]


@pytest.mark.parametrize("name", PROMISED)
def test_promised_languages_have_a_row(name: str) -> None:
    """Every language that the README promises is in the table, under its own name."""
    assert LANGUAGES[name].name == name


CLAIMS: dict[str, Callable[[Language], tuple[str, ...]]] = {
    "lsp_ids": lambda row: row.lsp_ids,
    "extensions": lambda row: row.extensions,
    "file_names": lambda row: row.file_names,
    "shebangs": lambda row: row.shebangs,
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_nothing_is_claimed_twice(claim: str) -> None:
    """An id, extension, file name or interpreter belongs to one language, and is written in lower case."""
    claimed = Counter(word for row in LANGUAGES.values() for word in CLAIMS[claim](row))
    assert [word for word, times in claimed.items() if times > 1] == []
    assert [word for word in claimed if word != word.lower()] == []


def test_extensions_are_what_a_path_calls_a_suffix() -> None:
    """Each extension could be found again in a file's name."""
    assert all(Path("x" + one).suffix == one for row in LANGUAGES.values() for one in row.extensions)


@pytest.mark.parametrize("name", [name for name, row in LANGUAGES.items() if row.grammar])
def test_every_grammar_loads(name: str) -> None:
    """A grammar that the table names is there, and has kinds of nodes."""
    assert grammar_of(name).node_kind_count > 0


@pytest.mark.parametrize(
    ("path", "lsp_id", "expected"),
    [
        ("shop.py", None, "python"),
        ("SHOP.PY", None, "python"),
        ("Makefile", None, "make"),
        ("src/Dockerfile", None, "dockerfile"),
        (".bashrc", None, "shell"),
        ("shop.tsx", None, "tsx"),
        ("shop.txt", None, None),
        ("README", None, None),
        ("shop.h", None, "c"),
        ("shop.h", "cpp", "cpp"),
        ("query.m", "powerquery", "powerquery"),
        ("query.m", "pq", "powerquery"),
        ("shop.query.pq", None, "powerquery"),
        ("shop.py", "plaintext", "python"),
        ("shop.jsx", "javascriptreact", "javascript"),
        (None, "typescriptreact", "tsx"),
        (None, None, None),
        (None, "unheard-of", None),
    ],
)
def test_language_of(path: str | None, lsp_id: str | None, expected: str | None) -> None:
    """An id that is known wins over the file's name, and that over nothing."""
    assert language_of(Path(path) if path else None, lsp_id) == expected


@pytest.mark.parametrize(
    ("first_line", "expected"),
    [
        ("#!/bin/sh", "shell"),
        ("#!/usr/bin/env python3.11", "python"),
        ("#! /usr/bin/env -S node --harmony", "javascript"),
        ("#!/usr/bin/env LANG=C ruby -w", "ruby"),
        ("#!/usr/bin/Rscript", "r"),
        ("#!/usr/bin/unheard-of", None),
        ("#!", None),
        ("python", None),
        ("#!" + "/" * 100_000, None),
    ],
)
def test_first_line_speaks_for_files_without_extension(first_line: str, expected: str | None) -> None:
    """A file without extension goes by the interpreter that its first line names."""
    assert language_of(Path("tool"), first_line=first_line) == expected


def test_an_extension_silences_the_first_line() -> None:
    """A file whose extension belongs to nobody is plain text, whatever its first line says."""
    assert language_of(Path("notes.txt"), first_line="#!/bin/sh") is None


def test_comment_markers() -> None:
    """What begins a comment is known where a language has such a thing, and empty where not."""
    assert [LANGUAGES[name].comment for name in ("python", "powerquery", "lua", "json")] == [
        "#",
        "//",
        "--",
        "",
    ]
