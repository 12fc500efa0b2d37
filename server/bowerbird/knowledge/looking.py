"""Which files to look at: all of some folders, or those that reported changes may concern."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from itertools import takewhile
from operator import eq
from pathlib import Path

from bowerbird.knowledge.directory import RULE_ENTRIES
from bowerbird.knowledge.exclusion import Exclusion
from bowerbird.knowledge.gitfolder import GIT_FOLDER
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.shelf import Shelf
from bowerbird.knowledge.walking import Skip, walk

FOUND_FILES = 50
"""How often it is told how many files were found."""

MOST_BESIDE = 200
"""Files in one folder that are read before all others."""


def files_in(
    policy: Policy,
    folders: Iterable[str],
    skip: Skip = lambda *_: None,
    found_so_far: Callable[[int], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[str]:
    """The files in these folders that names and rules let in, up to the setting `max_files`."""
    found: list[str] = []
    visited: set[tuple[int, int]] = set()
    for folder in folders:
        for path in walk(policy.rules, folder, skip, visited):
            if cancelled():
                return found
            if len(found) >= policy.settings.max_files:
                skip(path, Exclusion.TOO_MANY)  # nobody wants to wait until the rest is counted
                return found
            found.append(path)
            if len(found) % FOUND_FILES == 0:
                found_so_far(len(found))
    return found


def beside(policy: Policy, documents: Sequence[str]) -> list[str]:
    """The files in the folders of open documents, which are most likely of use; each may be let in or not."""
    found: list[str] = []
    for folder in sorted(set(map(os.path.dirname, documents))):
        if policy.rules.folder_of(folder) is not None:
            with suppress(OSError), os.scandir(folder) as entries:
                names = sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))
                found += (f"{folder}{os.sep}{name}" for name in names[:MOST_BESIDE])
    return found


def nearest_first(paths: Sequence[str], documents: Sequence[str]) -> Sequence[str]:
    """The same paths, those first that have the most folders in common with an open document."""
    if not documents:
        return paths
    folders = [os.path.dirname(path).split(os.sep) for path in documents]

    @cache
    def shared(folder: str) -> int:
        names = folder.split(os.sep)
        return max(sum(1 for _ in takewhile(bool, map(eq, names, one))) for one in folders)

    return sorted(paths, key=lambda path: -shared(os.path.dirname(path)))


def files_concerned(
    policy: Policy, shelf: Shelf, documents: Iterable[str], changed: Iterable[Path]
) -> dict[str, bool]:
    """The files to look at after these files and folders appeared, changed or vanished.

    The value tells whether one that has the stamp of its last reading need not be read: true of those that
    only lie in a changed folder, or under a changed ignore file. Open documents are looked at, too: what the
    disk has counts for whether they may be read. The policy forgets what may have changed.
    """
    given = {os.path.abspath(path) for path in changed}
    ruled = set(filter(None, map(_ruled_by, given)))
    folders = ruled | {path for path in given if os.path.isdir(path) and not os.path.islink(path)}
    vanished = {path for path in given - folders if shelf.below(path)}
    if folders or vanished:
        policy.forget()
    outermost = {path for path in folders if not _lies_in_one_of(path, folders)}
    concerned = dict.fromkeys(files_in(policy, sorted(outermost)), True)
    for path in sorted(outermost | vanished):
        for known in shelf.below(path):
            concerned.setdefault(known, True)
    for document in documents:
        if _lies_in_one_of(document, given | folders):
            concerned.setdefault(document, True)
    concerned.update(dict.fromkeys(sorted(given), False))
    return concerned


def _ruled_by(path: str) -> str | None:
    """The folder whose rules are written at `path`, if any are."""
    folder, name = os.path.split(path)
    git = f"{os.sep}{GIT_FOLDER}{os.sep}"
    if git in path:
        return path[: path.index(git)] if name in ("exclude", "config") else None
    return folder if name in RULE_ENTRIES else None


def _lies_in_one_of(path: str, folders: set[str]) -> bool:
    while (parent := os.path.dirname(path)) != path:
        if parent in folders:
            return True
        path = parent
    return False
