"""Where completion is switched off: by language, by file, in commit messages."""

from __future__ import annotations

from functools import lru_cache

from bowerbird.completion.query import UnfinishedCode
from bowerbird.knowledge.exclusion import Exclusion
from bowerbird.knowledge.ignore import Rules, parse_patterns
from bowerbird.lsp.documents import Document
from bowerbird.settings import CompletionSettings

COMMIT_LANGUAGES = ("git-commit", "gitcommit", "git-rebase", "gitrebase", "scminput")
COMMIT_FILES = ("COMMIT_EDITMSG", "MERGE_MSG", "TAG_EDITMSG", "git-rebase-todo")


def switched_off(settings: CompletionSettings, document: Document, unfinished: UnfinishedCode) -> bool:
    """Do the settings want silence in this document?"""
    ids = {document.language_id, unfinished.language}
    if not ids.isdisjoint(settings.disabled_languages):
        return True
    is_message = document.language_id in COMMIT_LANGUAGES or unfinished.path.name in COMMIT_FILES
    if is_message and not settings.in_commit_messages:
        return True
    return _disabled(settings.disabled_files, unfinished.name)


@lru_cache(maxsize=8)
def _rules(patterns: tuple[str, ...]) -> Rules:
    return Rules("", parse_patterns("\n".join(patterns).encode()), Exclusion.IGNORED)


def _disabled(patterns: tuple[str, ...], name: str) -> bool:
    """Does one of `patterns`, as in .gitignore, speak of the file `name` or of a folder above it?"""
    if not patterns:
        return False
    rules, parts = _rules(patterns), name.split("/")
    paths = ["/" + "/".join(parts[: end + 1]) for end in range(len(parts))]
    return any(
        rules.verdict(path, part, is_directory=path != paths[-1])
        for path, part in zip(paths, parts, strict=True)
    )
