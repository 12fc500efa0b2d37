"""The editor's side of a model that several editors share: start its broker if there is none, and join in."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from bowerbird.inference.broker_door import Refused, connect
from bowerbird.inference.broker_place import key_of, meeting_folder, private_folder, read_note
from bowerbird.inference.loading import check_file, load_message
from bowerbird.inference.pipe import Message, PipeError, pack, receive_async
from bowerbird.inference.process import CHILD_COMMAND, ModelProcess, Patience, ProcessEnded
from bowerbird.settings import InferenceSettings

logger = logging.getLogger(__name__)

BROKER = "bowerbird.inference.broker"
JOIN_SECONDS = 30.0  # for the broker to come up; a busy machine takes seconds to start Python
MOST_STARTS = 4
POLL_SECONDS = 0.05
LOST = "was lost, as the process between it and the editors ended"


class NotShared(OSError):  # noqa: N818 - there is another way
    """There is no broker, and none can be started; `str()` says why, as a sentence."""


class Connection:
    """A broker as `process.Peer`. Ending it ends the connection only."""

    returncode: int | None = None

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pid: int) -> None:
        self.stdin: asyncio.StreamWriter | None = writer
        self.stdout: asyncio.StreamReader | None = reader
        self.stderr: asyncio.StreamReader | None = asyncio.StreamReader()
        self.stderr.feed_eof()  # the broker sends what the model printed
        self.pid = pid
        self._writer = writer

    async def wait(self) -> int:
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()
        return 0

    def kill(self) -> None:
        self._writer.transport.abort()


async def join(
    path: Path,
    settings: InferenceSettings,
    command: Sequence[str] = CHILD_COMMAND,
    patience: Patience | None = None,
) -> ModelProcess:
    """The shared model for the file `path`, which may have to be loaded still.

    `command` starts the model's process where there is none. Raises `NotShared`, and `InferenceError` where
    the file cannot be a model.
    """
    mark = await asyncio.to_thread(check_file, path)
    folder = meeting_folder() / key_of(load_message(path, settings), mark)
    try:
        private_folder(folder.parent)
        connection = await _join_in(folder, command)
    except OSError as error:
        raise NotShared(str(error)) from error
    # The broker watches over the model, and answers while others have their turns.
    patient = replace(patience or Patience(), stall_seconds=float("inf"))
    return ModelProcess(connection, patient, ProcessEnded(LOST))


async def _join_in(folder: Path, command: Sequence[str]) -> Connection:
    deadline = time.monotonic() + JOIN_SECONDS
    started: subprocess.Popen[bytes] | None = None
    starts = 0
    while (connection := await enter(folder)) is None:
        if started is None or started.poll() is not None:
            if starts == MOST_STARTS:
                raise NotShared(f"The process for a shared model ended {starts} times.")
            started = start_broker(folder, command)
            starts += 1
        if time.monotonic() > deadline:
            raise NotShared(f"The process for a shared model did not come up in {JOIN_SECONDS:g} seconds.")
        await asyncio.sleep(POLL_SECONDS)
    return connection


async def enter(folder: Path) -> Connection | None:
    """A place at the broker that serves there, None if none does; raises `UnsafePlace`."""
    note = read_note(folder)
    if note is None:
        return None
    try:
        return Connection(*await connect(folder, note), note.pid)
    except TimeoutError:
        _end_stuck(note.pid, folder)
    except (OSError, Refused) as why:
        logger.debug("No broker in %s: %s", folder, why)
    return None


def start_broker(folder: Path, command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a broker that outlives us. One that finds another in its place ends at once."""
    flags = 0
    if sys.platform == "win32":
        # Detached, the model's process would open a window; a hidden one it inherits.
        flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", BROKER, str(folder), *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder.parent,  # the folder itself comes and goes with brokers
        creationflags=flags,
        start_new_session=os.name == "posix",
    )
    threading.Thread(target=process.wait, daemon=True).start()  # else it stays as a zombie while we run
    return process


def _end_stuck(pid: int, folder: Path) -> None:
    """A broker that is stopped or hangs keeps everybody out."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        command = process.cmdline()
        if BROKER in command and str(folder) in command:
            logger.warning("The process for a shared model (%d) does not answer and is ended.", pid)
            process.kill()


async def ask_state(folder: Path) -> Message | None:
    """What the broker there tells of itself, as `pipe.py` has it; None if there is none or it is silent."""
    try:
        note = read_note(folder)
        if note is None:
            return None
        reader, writer = await connect(folder, note)
        try:
            writer.write(pack({"type": "state", "id": 1}))
            async with asyncio.timeout(JOIN_SECONDS):
                told = await receive_async(reader)
        finally:
            writer.close()
        return None if told is None else {**told, "pid": note.pid}
    except (OSError, Refused, PipeError):
        return None
