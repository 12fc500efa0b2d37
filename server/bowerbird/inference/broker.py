"""A process between one model and several editors, which ends with the last of them or with the model.

Started as ``python -P -m bowerbird.inference.broker FOLDER COMMAND...`` by the first editor that needs the
model. It holds the folder's lock as long as it runs, so there is one for each folder, and removes the folder
at its end.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from bowerbird.inference.broker_door import listen
from bowerbird.inference.broker_place import NOTE, Note, private_folder, remove_note, write_note
from bowerbird.inference.broker_service import Broker
from bowerbird.inference.broker_sweep import remove_place, sweep
from bowerbird.knowledge.store.lock import WriterLock

FIRST_CLIENT_SECONDS = 10.0  # for the one who started us
LOCK_SECONDS = 5.0  # for one before us that is just ending


async def serve(folder: Path, command: Sequence[str]) -> None:
    """Listen in `folder`, whose lock is ours, until the last client has gone."""
    token = secrets.token_urlsafe(24)
    broker = Broker(command, token)
    loop = asyncio.get_running_loop()
    if sys.platform != "win32":
        loop.add_signal_handler(signal.SIGTERM, broker.over.set)
    server, port = await listen(folder, broker.admit)
    write_note(folder, Note(os.getpid(), port, token))
    loop.call_later(FIRST_CLIENT_SECONDS, broker.end_if_alone)
    try:
        await broker.over.wait()
    finally:
        remove_note(folder)
        server.close()
        await broker.close()


async def take_lock(folder: Path) -> WriterLock | None:
    """The lock of `folder`; None where another broker serves there, or is about to."""
    lock = WriterLock(folder)
    waited = 0.0
    while waited < LOCK_SECONDS:
        with contextlib.suppress(FileNotFoundError, FileExistsError):  # somebody removes it just now
            private_folder(folder)
            if lock.acquire():
                return lock
            if (folder / NOTE).exists():
                return None
        await asyncio.sleep(0.1)
        waited += 0.1
    return None


async def run(folder: Path, command: Sequence[str]) -> None:
    """Serve, unless another does."""
    os.umask(0o077)
    lock = await take_lock(folder)
    if lock is None:
        return
    try:
        remove_note(folder)
        await serve(folder, command)
    finally:
        remove_place(folder, lock)
        sweep(folder.parent)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(run(Path(sys.argv[1]), sys.argv[2:]))
