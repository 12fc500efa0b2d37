"""Which documents somebody writes code in, by the scheme of their URIs.

Every editor asks for a completion where somebody types, and what cannot be edited is never typed in. So a
scheme that is not known is written in: extensions bring file systems of their own every day, and silence
in one of them would be a fault that nobody understands. This table is for the rest: what an editor may ask
about though nobody writes there, and the boxes in which people write no code.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum


class Use(StrEnum):
    """What a document is for; the value is told where it gets no completion."""

    CODE = "Somebody writes code here."
    VIEW = "This document is a view that nobody writes in."
    BOX = "This is a box for words, not for code."


_ROWS: dict[Use, Sequence[str]] = {
    Use.CODE: (
        "file",
        "untitled",
        "inmemory",  # Monaco's models, which are playgrounds
        # Folders elsewhere: a hosted repository, another machine, the browser, the memory.
        *("vscode-vfs", "vscode-remote", "vscode-local", "memfs", "ssh", "sftp", "ftp"),
        "vscode-userdata",  # settings and snippets
        *("vscode-interactive", "vscode-interactive-input"),  # a Python prompt with cells above it
        "vscode-scm",  # the commit message: a setting of its own decides, as for git's own file
    ),
    Use.VIEW: (
        # Other versions of a file. They repeat what is being written: a completion there would be the very
        # line that was changed.
        *("git", "gitlens", "gitfs", "svn", "hg", "perforce", "review", "pr", "vscode-local-history"),
        *("merge-conflict.conflict-diff", "chat-editing-text-model", "fugitive", "diffview", "gitsigns"),
        # Members of archives, and what was decompiled or generated.
        *("zip", "zipfile", "tarfile", "jar", "jdt", "class", "deno", "csharp", "omnisharp-metadata"),
        *("roslyn-source-generated", "metalsdecode"),
        # What programs print, list and explain.
        *("output", "debug", "log", "term", "man", "oil", "http", "https", "data", "search-editor"),
        *("vscode", "vscode-settings", "vscode-terminal", "walkthrough", "walkthroughsnippet"),
    ),
    Use.BOX: (
        "comment",  # of a review
        *("chatsessioninput", "vscode-chat-code-block", "vscode-copilot-chat-code-block"),
    ),
}

SCHEMES = {scheme: use for use, schemes in _ROWS.items() for scheme in schemes}

CELL_SCHEME = "vscode-notebook-cell"
"""A cell is used as its notebook is; one whose notebook nobody has told us of may be of a difference."""


def use_of(scheme: str) -> Use:
    """What documents of this scheme, in lower case, are for."""
    return SCHEMES.get(scheme, Use.VIEW if scheme == CELL_SCHEME else Use.CODE)
