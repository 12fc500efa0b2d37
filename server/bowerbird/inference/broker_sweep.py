"""Remove the folders in which nobody shares a model any more: each file's time and each build has its own.

Whoever removes one holds its lock, and the lock's file goes last. Who opened that file before, and locks it
afterwards, sees that it is gone (`WriterLock.acquire`), and begins anew with a new folder (`take_lock`).
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from bowerbird.inference.broker_place import KEY_LETTERS, NOTE, SOCKET, check_private
from bowerbird.knowledge.store.lock import NAME, WriterLock

KEY = re.compile(rf"[0-9a-f]{{{KEY_LETTERS}}}")


def sweep(meeting: Path) -> None:
    """Remove those of which no broker runs, as one that was killed leaves; blocking, and silent."""
    with suppress(OSError):
        for folder in sorted(meeting.iterdir()):
            if KEY.fullmatch(folder.name):
                _sweep(folder)


def _sweep(folder: Path) -> None:
    with suppress(OSError):
        check_private(folder)
        held = WriterLock(folder)
        if held.acquire():
            remove_place(folder, held)


def remove_place(folder: Path, held: WriterLock) -> None:
    """Remove `folder`, whose lock we hold, and let go of it; it stays where something stands in it."""
    with suppress(OSError):
        for left in (folder / SOCKET, folder / NOTE, *folder.glob(f"{NOTE}.*")):
            left.unlink(missing_ok=True)
        if os.name == "nt":
            held.release()  # an open file cannot be removed there, so whoever opens it first keeps it
        (folder / NAME).unlink(missing_ok=True)
        folder.rmdir()
    held.release()
