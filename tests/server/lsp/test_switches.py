"""Where the settings want silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.completion.query import UnfinishedCode
from bowerbird.lsp.documents import Document, split_lines
from bowerbird.lsp.switches import switched_off
from bowerbird.settings import CompletionSettings


def silent(name: str = "shop/cart.py", language_id: str = "python", **settings: object) -> bool:
    """Is completion off in this document, whose language Bowerbird takes for the editor's?"""
    path = Path("/w") / name
    document = Document(path.as_uri(), language_id, 1, split_lines("x\n"))
    unfinished = UnfinishedCode(path, name, "w", language_id, "x", "\n")
    return switched_off(CompletionSettings(**settings), document, unfinished)  # type: ignore[arg-type]


def test_by_default_code_is_completed() -> None:
    """No language and no file is switched off."""
    assert not silent()
    assert not silent("notes.txt", "plaintext")


def test_a_language() -> None:
    """By the editor's id, and no other."""
    assert silent(disabled_languages=("markdown", "python"))
    assert not silent(disabled_languages=("markdown",))


def test_a_language_by_our_name() -> None:
    """A document that we know better than the editor: its own language counts too."""
    path = Path("/w/a.py")
    unfinished = UnfinishedCode(path, "a.py", "w", "python", "x", "")
    document = Document(path.as_uri(), "plaintext", 1, ("x",))
    for disabled, off in (("python", True), ("plaintext", True), ("ring", False)):
        assert switched_off(CompletionSettings(disabled_languages=(disabled,)), document, unfinished) is off


@pytest.mark.parametrize(
    ("patterns", "off"),
    [
        (("*.py",), True),
        (("cart.py",), True),
        (("/cart.py",), False),
        (("shop/",), True),
        (("shop/*.py",), True),
        (("/shop",), True),
        (("cart.py/",), False),
        (("*.js", "*.ts"), False),
        (("*.py", "!cart.py"), False),
        (("",), False),
        (("# *.py",), False),
        (("[",), False),
    ],
)
def test_files_are_named_as_in_gitignore(patterns: tuple[str, ...], off: bool) -> None:
    """Names, folders, globs, exceptions; what is no pattern names nothing."""
    assert silent(disabled_files=patterns) is off


@pytest.mark.parametrize(
    ("name", "language_id"),
    [
        (".git/COMMIT_EDITMSG", "git-commit"),
        (".git/COMMIT_EDITMSG", "plaintext"),
        (".git/rebase-merge/git-rebase-todo", "git-rebase"),
        ("message", "gitcommit"),
        (".git/MERGE_MSG", ""),
    ],
)
def test_commit_messages(name: str, language_id: str) -> None:
    """Prose about code is left to people, unless they ask for help."""
    assert silent(name, language_id)
    assert not silent(name, language_id, in_commit_messages=True)
    assert silent(name, language_id, in_commit_messages=True, disabled_files=("*",))
