"""Follows the workspace's folders on disk, and tells which paths to look at again.

Where the system watches single directories (inotify), only those are watched that are let in: what a
dependency folder holds would use up the watches that a user may have, of which the editor needs some, too.
"""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from bowerbird.knowledge.bare import whole
from bowerbird.knowledge.directory import RULE_ENTRIES
from bowerbird.knowledge.gitfolder import GIT_FOLDER
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.walking import walk_directories
from bowerbird.knowledge.watching import WATCHES_TREES, Identities, Identity, Watch

FLOOD = 5000
"""Of so many changes at once the system may have lost some: everything is looked at."""


def follow(policy: Policy, changed: Callable[[Iterable[Path]], object], stop: threading.Event) -> None:
    """Call `changed` with every batch of changed paths until `stop` is set. Blocks; raises `OSError`.

    Folders of the workspace may vanish, come back, and be exchanged for others.
    """
    watch = Watch()
    try:
        roots = _roots(policy)
        _move(watch, policy, stop)
        while not stop.is_set():
            paths = watch.wait(stop)
            before, roots = roots, _roots(policy)
            if roots != before or any(_concerns_directories(path, policy, watch) for path in paths):
                policy.forget()
                paths |= _move(watch, policy, stop)
            if len(paths) >= FLOOD:
                paths.update(roots)
            if paths and not stop.is_set():
                changed(map(Path, paths))
    finally:
        watch.close()


async def follow_until_cancelled(
    policy: Policy, refresh: Callable[[Iterable[Path], Callable[[], bool]], object]
) -> None:
    """Have `refresh` look at what changes, in a thread, which can be told to stop. Raises `OSError`."""
    stop = threading.Event()
    thread = asyncio.ensure_future(
        asyncio.to_thread(follow, policy, lambda paths: refresh(paths, stop.is_set), stop)
    )
    try:
        await asyncio.shield(thread)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait([thread])
        raise


def _move(watch: Watch, policy: Policy, stop: threading.Event) -> set[str]:
    """Watch what there is to watch; answers with what may have changed unwatched."""
    unwatched = watch.move(_directories(policy))
    # What was made in a directory just before it was watched is not told, so one looks again.
    while not stop.is_set() and (directories := _directories(policy)) != watch.directories:
        unwatched |= watch.move(directories)
    return unwatched


def _roots(policy: Policy) -> Identities:
    """The workspace's folders that are there."""
    found = ((whole(folder), _identity(whole(folder))) for folder in policy.rules.folders)
    return {folder: identity for folder, identity in found if identity is not None}


def _directories(policy: Policy) -> Identities:
    """What to watch."""
    if WATCHES_TREES:
        return _roots(policy)
    directories: dict[str, Identity] = {}
    visited: set[Identity] = set()
    for folder in policy.rules.folders:
        for listing in walk_directories(policy.rules, folder, lambda *_: None, visited):
            path = whole(listing.directory.path)
            directories[path] = listing.identity
            excludes = os.path.join(path, GIT_FOLDER, "info")
            if any(entry.name == GIT_FOLDER for entry in listing.entries) and (
                identity := _identity(excludes)
            ):
                directories[excludes] = identity
    return directories


def _concerns_directories(path: str, policy: Policy, watch: Watch) -> bool:
    """May other directories be watched now that this path changed?"""
    if WATCHES_TREES:
        return False
    if os.path.basename(path) in RULE_ENTRIES or f"{os.sep}{GIT_FOLDER}{os.sep}" in path:
        return True
    identity = _identity(path)
    if path in watch.directories:
        return identity != watch.directories[path]
    return identity is not None and policy.rules.directory(path).exclusion is None


def _identity(path: str) -> Identity | None:
    """Of a directory; None where there is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None
