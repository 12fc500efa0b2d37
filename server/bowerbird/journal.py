"""Lines of JSON in the user's state folder, for what people may want to look at later.

Only their owner can read the files. Whoever writes here is a server that must never suffer from it: `Writer`
works in a thread of its own, and a full disk or a folder that cannot be written costs the lines and nothing
else. Whoever reads takes what is whole and skips the rest.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import platformdirs

SUFFIX = ".jsonl"
TRACES, FIGURES = "traces", "figures"
"""Folders in the state folder."""
MAX_WAITING = 256  # lines; a disk that hangs must not fill the memory

logger = logging.getLogger(__name__)


def state_folder() -> Path:
    """Where this user's programs keep what they know about themselves."""
    return Path(platformdirs.user_state_dir("bowerbird", appauthor=False))


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects in a file, oldest first; nothing where it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for line in text.split("\n"):
        if line.strip():
            with suppress(ValueError, RecursionError):
                data = json.loads(line)
                if isinstance(data, dict):
                    yield data


def append_line(path: Path, data: dict[str, Any], max_bytes: int) -> None:
    """Add a line in one write, so that several servers can share a file; none beyond `max_bytes`.

    The line end leads: whatever another process left unfinished does not spoil this line.
    """
    _append(path, b"\n" + _encoded(data), max_bytes)


class LastLines:
    """A file with the last lines that one process wrote. It grows, and is written anew now and then."""

    def __init__(self, path: Path, keep: int, max_bytes: int) -> None:
        self.path = path
        self.max_bytes = max_bytes
        """Of the lines that are kept; the file may be twice as long for a while."""
        self._lines: deque[bytes] = deque(maxlen=keep)
        self._in_file: tuple[int, int] | None = None
        """Lines and bytes in the file; None when it has to be written anew."""

    def append(self, data: dict[str, Any]) -> None:
        """Add a line; raises `OSError`."""
        line = b"\n" + _encoded(data)
        if self._in_file is not None and not self.path.exists():
            self._lines.clear()  # the user has removed what was there
            self._in_file = None
        self._lines.append(line)
        while sum(map(len, self._lines)) > self.max_bytes:
            self._lines.popleft()
        lines, size = self._in_file or (0, 0)
        grown = (lines + 1, size + len(line))
        room = grown[0] <= 2 * (self._lines.maxlen or 0) and grown[1] <= 2 * self.max_bytes
        if self._in_file is not None and room:
            self._in_file = None  # until it has gone well
            _append(self.path, line, 2 * self.max_bytes)
            self._in_file = grown
        else:
            self._rewrite()

    def _rewrite(self) -> None:
        self._in_file = None
        fresh, lines = self.path.with_suffix(f"{SUFFIX}.new"), b"".join(self._lines)
        try:
            with suppress(FileNotFoundError):
                fresh.unlink()
            _append(fresh, lines, 2 * self.max_bytes)
            fresh.replace(self.path)
        except OSError:
            with suppress(OSError):
                fresh.unlink()
            raise
        self._in_file = (len(self._lines), len(lines))


class Writer:
    """Does what it is told in a thread of its own, one thing after the other."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[Callable[[], object] | None] = queue.Queue(MAX_WAITING)
        self._thread: threading.Thread | None = None
        self._complained = False

    def run(self, work: Callable[[], object]) -> None:
        """Have `work` done soon, or never; does not wait and does not fail."""
        if self._thread is None:
            # A daemon: a disk that hangs must not keep the server from ending.
            self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
            self._thread.start()
        with suppress(queue.Full):
            self._waiting.put_nowait(work)

    def close(self, timeout_s: float) -> None:
        """Wait until all is written, for so long at most."""
        thread, self._thread = self._thread, None
        if thread is not None:
            with suppress(queue.Full):
                self._waiting.put_nowait(None)
                thread.join(timeout_s)

    def _work(self) -> None:
        while (work := self._waiting.get()) is not None:
            try:
                work()
            except Exception as error:
                if not self._complained:
                    logger.warning("Traces and figures are not kept: %s", error)
                self._complained = True


def prune(folder: Path, keep: int, not_before: float = 0) -> None:
    """Remove all files of lines but the newest `keep`, and what was last written before a time."""
    written = []
    for path in _all_files(folder):
        with suppress(OSError):
            written.append((path.stat().st_mtime, path))
    for number, (at, path) in enumerate(sorted(written, reverse=True)):
        if number >= keep or at < not_before:
            with suppress(OSError):
                path.unlink()


def files_in(folder: Path) -> list[Path]:
    """The files of lines in `folder`, by name."""
    return [path for path in _all_files(folder) if path.suffix == SUFFIX]


def clear(folder: Path) -> int:
    """Remove all files of lines; how many there were. Raises `OSError` where one cannot be removed."""
    paths = _all_files(folder)
    for path in paths:
        path.unlink(missing_ok=True)
    return len(paths)


def _all_files(folder: Path) -> list[Path]:
    """Those included that a process was writing anew when it ended."""
    try:
        return sorted(folder.glob(f"*{SUFFIX}*"))
    except OSError:
        return []


def _encoded(data: dict[str, Any]) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode()


def _append(path: Path, line: bytes, max_bytes: int) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        if os.fstat(file).st_size + len(line) > max_bytes:
            raise OSError(errno.EFBIG, f"{path} has reached {max_bytes:,} bytes")
        if os.write(file, line) < len(line):
            raise OSError(errno.ENOSPC, "The disk is full")
    finally:
        os.close(file)
