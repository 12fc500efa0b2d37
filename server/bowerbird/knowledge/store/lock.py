"""One writer for each store: a lock that the system takes back when its process ends, however it ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path

NAME = "lock"


class WriterLock:
    """Held or not; asking never waits."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        return self._descriptor is not None

    def acquire(self) -> bool:
        """Become the writer, if nobody is. Raises `OSError` where the folder cannot be written.

        A lock whose file was removed between opening and locking is none: the next one would not see it.
        """
        if self._descriptor is not None:
            return True
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            if _lock(descriptor) and self._is_there(descriptor):
                self._descriptor = descriptor
                return True
        except OSError:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return False

    def _is_there(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self._path.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Let others write."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
