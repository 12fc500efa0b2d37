"""Local source trees -> files that may be trained on: language, licence, secrets, generated code."""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path

from bowerbird.knowledge.names import path_exclusion
from bowerbird.knowledge.reading import read_file
from bowerbird.knowledge.secrets import holds_secret
from bowerbird.syntax.languages import language_of
from nestling.corpus import File, Tally
from nestling.licences import head_forbids, is_permissive, licence_files, licence_of_file, licence_of_tree

SHARES = {
    "python": 0.40,
    "typescript": 0.08,
    "javascript": 0.07,
    "go": 0.08,
    "rust": 0.08,
    "java": 0.08,
    "c": 0.06,
    "cpp": 0.06,
    "lua": 0.04,
    "shell": 0.03,
    "pony": 0.02,
    "ring": 0.02,
    "powerquery": 0.02,
}
"""The languages, and the share of the corpus that each has at most; what one does not fill stays empty."""

MAX_BYTES = 300_000
MIN_CHARACTERS = 80

VENDORED = re.compile(
    r"(?:^|/)(?:third[-_]?party|3rdparty|vendor(?:ed)?|_vendor|externals?|contrib/libs|node_modules)/",
    re.IGNORECASE,
)
"""Other people's code, under licences that nobody looks up."""

_POWERQUERY = re.compile(r"^\s*(?:let|section|\(.*\)\s*(?:as \w+\s*)?=>)", re.MULTILINE)
_OBJECTIVE_C = re.compile(r"^\s*(?:#import|#include|@interface|@implementation|function|%)", re.MULTILINE)


def read_tree(folder: Path, tally: Tally, max_characters: float = math.inf) -> Iterator[File]:
    """The files of one tree that may be trained on, in an order drawn by lot, until there are enough.

    What is left out is counted in `tally`, but for what nobody looked at after `max_characters`.
    """
    licence = licence_of_tree(folder)
    if licence is None or not is_permissive(licence):
        tally.trees_left_out[folder.name] = f"licence: {licence or 'none found'}"
        return
    names = [path.relative_to(folder).as_posix() for path in _walk(folder, tally)]
    for name in sorted(names, key=lambda name: lot(folder.name, name)):
        if max_characters <= 0:
            tally.left_out["its tree has its share"] += 1
        elif (file := _read(folder, folder / name, name, licence, tally)) is not None:
            max_characters -= len(file.text)
            yield file


def lot(tree: str, name: str) -> bytes:
    """What decides by chance which files are taken; the same for ever."""
    return hashlib.blake2b(f"{tree}/{name}".encode(), digest_size=8).digest()


def _walk(folder: Path, tally: Tally) -> Iterator[Path]:
    """All files, by path; folders with a licence of their own that is not permissive are passed over."""
    for root, folders, names in os.walk(folder):
        here = Path(root)
        if here != folder and _forbidden(here):
            tally.left_out["folder under another licence"] += len(names)
            folders.clear()
            continue
        folders.sort()
        yield from (here / name for name in sorted(names))


def _forbidden(folder: Path) -> bool:
    found = [licence_of_file(path) for path in licence_files(folder) if path.suffix in ("", ".txt", ".md")]
    named = [name for name in found if name]
    return bool(named) and not any(is_permissive(name) for name in named)


def _read(folder: Path, path: Path, name: str, licence: str, tally: Tally) -> File | None:
    language = _language(path)
    if language is None:
        return None
    reason = "vendored" if VENDORED.search(name) else path_exclusion(name)
    if reason is None:
        reading = read_file(str(path), MAX_BYTES)
        reason, text = reading.exclusion, reading.text or ""
        if reason is None and len(text) < MIN_CHARACTERS:
            reason = "nearly empty"
        elif reason is None and head_forbids(text):
            reason = "its head names another licence"
        elif reason is None and holds_secret(text):
            reason = "secret"
        elif reason is None:
            return File(folder.name, name, language, licence, text)
    tally.left_out[str(reason)] += 1
    return None


def _language(path: Path) -> str | None:
    """As the server tells it; ``.m`` is Power Query where it reads like it."""
    if path.suffix.lower() == ".m":
        try:
            head = path.read_text(encoding="utf-8", errors="replace")[:4000]
        except OSError:
            return None
        return "powerquery" if _POWERQUERY.search(head) and not _OBJECTIVE_C.search(head) else None
    language = language_of(path)
    if language == "tsx":
        return "typescript"
    return language if language in SHARES else None
