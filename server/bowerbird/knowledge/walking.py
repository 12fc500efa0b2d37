"""Every directory and file that names and rules let in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bowerbird.knowledge.bare import whole
from bowerbird.knowledge.directory import Directory
from bowerbird.knowledge.exclusion import Exclusion
from bowerbird.knowledge.rulebook import RuleBook
from bowerbird.knowledge.watching import Identity

Skip = Callable[[str, Exclusion], None]
"""Is told each path that is left out, a directory once for all that is in it."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A directory that was entered."""

    directory: Directory
    identity: Identity
    entries: list[os.DirEntry[str]]
    """By name."""


def walk(rules: RuleBook, start: str, skip: Skip, visited: set[Identity] | None = None) -> Iterator[str]:
    """The files below the directory `start`, in the order of their names, none opened."""
    for listing in walk_directories(rules, start, skip, visited):
        for entry in listing.entries:
            if entry.is_dir(follow_symlinks=False):
                continue
            path = f"{listing.directory.path}{os.sep}{entry.name}"
            exclusion = rules.file_in(listing.directory, entry.name).exclusion or _kind(entry)
            if exclusion is None:
                yield path
            else:
                skip(path, exclusion)


def walk_directories(
    rules: RuleBook, start: str, skip: Skip, visited: set[Identity] | None = None
) -> Iterator[Listing]:
    """The directory `start` and those below it.

    Links are not followed: what they lead to is met where it stands, or lies outside. A directory that was
    met before, and so is in `visited`, is passed by: a workspace folder within another one, two that are
    one, a directory that is mounted twice.
    """
    visited = set() if visited is None else visited
    pending = [start]
    while pending:
        path = pending.pop()
        directory = rules.directory(path)
        if directory.exclusion is not None:
            skip(path, directory.exclusion)
            continue
        try:
            status = os.stat(whole(path))
            identity = (status.st_dev, status.st_ino)
            if identity in visited:
                continue
            visited.add(identity)
            with os.scandir(whole(path)) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            skip(path, Exclusion.UNREADABLE)
            continue
        yield Listing(directory, identity, entries)
        pending.extend(
            f"{directory.path}{os.sep}{entry.name}"
            for entry in reversed(entries)
            if entry.is_dir(follow_symlinks=False)
        )


def _kind(entry: os.DirEntry[str]) -> Exclusion | None:
    if entry.is_symlink():
        return Exclusion.LINK
    return None if entry.is_file(follow_symlinks=False) else Exclusion.SPECIAL
