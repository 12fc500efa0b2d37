"""The files in a store's folder: what they are called, and which of them nothing needs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from bowerbird.knowledge.store import lock, manifest
from bowerbird.knowledge.store.manifest import Entry

FileStamp = tuple[int, int, int]
"""Inode, time of the last change in nanoseconds, size in bytes: another one, another file."""


def text_path(folder: Path, id_: str) -> Path:
    """Where a segment's texts and records lie."""
    return folder / f"{id_}.text"


def index_path(folder: Path, id_: str, key: str) -> Path:
    """Where the index of this key beside a segment lies."""
    return folder / f"{id_}-{key}.index"


def first_free_id(folder: Path) -> int:
    """For a folder without a manifest: an id that no file left behind has."""
    heads = (name.partition(".")[0].partition("-")[0] for name in _names_in(folder))
    return 1 + max((int(head, 16) for head in heads if _is_hexadecimal(head)), default=-1)


def sweep(folder: Path, entries: Iterable[Entry]) -> None:
    """Remove files that belong to none of these segments; one that cannot be removed yet is left."""
    named = {lock.NAME, manifest.NAME}
    for entry in entries:
        named.add(text_path(folder, entry.id).name)
        named.update(index_path(folder, entry.id, key).name for key in entry.indexes)
    for name in _names_in(folder) - named:
        with suppress(OSError):
            os.unlink(folder / name)


def stamp_of(path: Path) -> FileStamp | None:
    """None where there is no file."""
    with suppress(OSError):
        status = path.stat()
        return status.st_ino, status.st_mtime_ns, status.st_size
    return None


def _names_in(folder: Path) -> set[str]:
    with suppress(OSError):
        return set(os.listdir(folder))
    return set()


def _is_hexadecimal(text: str) -> bool:
    with suppress(ValueError):
        return int(text, 16) >= 0
    return False
