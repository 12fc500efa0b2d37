"""Watches directories on disk. Blocks, so it belongs in a thread of its own."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Mapping

from watchfiles._rust_notify import RustNotify

from bowerbird.knowledge.gitfolder import GIT_FOLDER

WATCHES_TREES = sys.platform in ("darwin", "win32")
"""There a directory is watched with all that is in it, at no further cost."""

WAIT_MS = 2000
"""So long nothing may happen before it is told that nothing did."""

QUIET_MS = 50
"""Changes that follow one another within this are one batch..."""
BATCH_MS = 1600
"""... which is not let grow for longer than this."""

POLL_MS = 3000
"""Between two looks at everything, where the system does not tell of changes."""

ATTEMPTS = 5
"""Directories may vanish while they are put under watch."""

Identity = tuple[int, int]
"""Device and inode."""

Identities = Mapping[str, Identity]
"""Directories by path; one that was deleted and made again is another."""

logger = logging.getLogger(__name__)


class Watch:
    """Watches some directories, which can be exchanged without missing a change."""

    def __init__(self) -> None:
        self.directories: Identities = {}
        self._moved = False
        self._polls: bool = bool(os.environ.get("WATCHFILES_FORCE_POLLING"))
        self._notify: RustNotify | None = None

    def close(self) -> None:
        """Watch nothing any more."""
        if self._notify is not None:
            self._notify.close()
            self._notify = None

    def wait(self, stop: threading.Event) -> set[str]:
        """Paths that changed, as soon as there are any; none when it took too long or `stop` was set."""
        if self._notify is None:
            stop.wait(WAIT_MS / 1000)
            return set()
        try:
            return _paths(self._notify.watch(BATCH_MS, QUIET_MS, WAIT_MS, stop))
        except RuntimeError as error:  # such as a name that is not UTF-8
            logger.warning("A change on disk could not be told (%s); everything is looked at.", error)
            return set(self.directories)

    def move(self, directories: Identities) -> set[str]:
        """Watch these from now on; answers with what may have changed unwatched. Raises `OSError`.

        That is what changed last, and directories that are new or gone. At first it is nothing: whoever
        reads the directories begins after this.
        """
        newer = self._open(directories)  # before the older one ends
        unwatched: set[str] = set()
        if self._notify is not None:
            unwatched = _paths(self._notify.watch(1, 1, 1, None))
        if self._moved:
            unwatched.update(path for path, _ in self.directories.items() ^ directories.items())
        self.close()
        self._notify, self.directories, self._moved = newer, directories, True
        return unwatched

    def _open(self, directories: Identities) -> RustNotify | None:
        for attempt in range(ATTEMPTS):
            present = [path for path in directories if os.path.isdir(path) and _is_utf8(path)]
            if not present:
                return None
            try:
                return RustNotify(present, False, self._polls, POLL_MS, WATCHES_TREES, False)
            except FileNotFoundError:
                continue
            except (OSError, RuntimeError) as error:
                if self._polls or attempt == ATTEMPTS - 1:
                    raise
                logger.warning(
                    "The system cannot tell of changes (%s); the folders are looked through.", error
                )
                self._polls = True
        return None


def _paths(answer: set[tuple[int, str]] | str) -> set[str]:
    """What changed, without what git does within itself."""
    if isinstance(answer, str):  # why there is nothing
        return set()
    inside = f"{os.sep}{GIT_FOLDER}{os.sep}"
    return {
        path
        for _, path in answer
        if inside not in path or path.endswith((f"{inside}info{os.sep}exclude", f"{inside}config"))
    }


def _is_utf8(path: str) -> bool:
    """Can the watching library be told this path?"""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
