"""Where stores lie in the user's cache folder, and how old ones make room."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import platformdirs

from bowerbird.knowledge.bare import whole
from bowerbird.knowledge.store import manifest
from bowerbird.knowledge.store.lock import WriterLock

MAX_AGE_S = 60 * 86_400.0  # a workspace that nobody opened for so long is read anew
MAX_ORPHANED_S = 86_400.0  # one whose folder is gone is forgotten sooner


def stores_folder() -> Path:
    """Where the stores of all workspaces lie. It need not exist."""
    return Path(platformdirs.user_cache_dir("bowerbird", appauthor=False)) / "index"


def store_folder(root: str, stores: Path | None = None) -> Path:
    """The store of one workspace folder; its name tells which one only to who knows the workspace."""
    key = sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:16]
    return (stores or stores_folder()) / key


def mark_used(folder: Path) -> None:
    """A store that is opened does not grow old."""
    with suppress(OSError):
        os.utime(folder / manifest.NAME)


def size_of(folder: Path) -> int:
    """Bytes of a store's files."""
    total = 0
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                total += entry.stat(follow_symlinks=False).st_size
    return total


def make_room(own: Path, max_bytes: int, now: float | None = None) -> int:
    """Remove other workspaces' stores: those too old or orphaned, then the oldest until all have room.

    One that somebody writes is left alone. How many were removed; raises nothing.
    """
    now = time.time() if now is None else now
    others: list[tuple[float, Path]] = []
    with suppress(OSError), os.scandir(own.parent) as entries:
        folders = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
        others = [(_used_at(folder), folder) for folder in folders if folder.name != own.name]
    others.sort()
    total = size_of(own) + sum(size_of(folder) for _, folder in others)
    removed = 0
    for used_at, folder in others:
        age_s = now - used_at
        is_old = age_s > MAX_AGE_S or (age_s > MAX_ORPHANED_S and _is_orphan(folder))
        if not is_old and total <= max_bytes:
            continue
        size = size_of(folder)
        if _remove(folder):
            total -= size
            removed += 1
    return removed


def room_for(own: Path, growth: int, max_bytes: int) -> int:
    """Bytes left for a store, once others have made room for its `growth`, where that can be enough."""
    if size_of(own) + growth <= max_bytes:
        make_room(own, max_bytes - growth)
    taken = 0
    with suppress(OSError), os.scandir(own.parent) as entries:
        taken = sum(size_of(Path(entry.path)) for entry in entries if entry.is_dir(follow_symlinks=False))
    return max_bytes - taken


def _is_orphan(folder: Path) -> bool:
    """Is the workspace's folder gone, or nothing known of it?"""
    try:
        told = manifest.read_manifest(folder)
    except manifest.UNREADABLE:
        return True
    return told is None or not os.path.isdir(whole(told.root))


def _used_at(folder: Path) -> float:
    for path in (folder / manifest.NAME, folder):
        with suppress(OSError):
            return path.stat().st_mtime
    return 0.0


def _remove(folder: Path) -> bool:
    lock = WriterLock(folder)
    try:
        if not lock.acquire():
            return False
        (folder / manifest.NAME).unlink(missing_ok=True)  # first: without it nobody trusts the rest
        if os.name == "nt":
            lock.release()  # an open file cannot be removed there
        shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        return False
    finally:
        lock.release()
    return not folder.exists()
