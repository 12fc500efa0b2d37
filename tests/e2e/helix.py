"""Drives a real Helix in a terminal of its own; its log tells what it and the server said to one another."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from e2e.liveness import LIVENESS_S, wait_for

ROWS, COLUMNS = 40, 120

KEYS = {"<Esc>": "\x1b", "<Enter>": "\r", "<Next>": "\x0e"}


class Helix:
    """One Helix, started in `folder`; as a context it ends with its block."""

    def __init__(
        self, executable: Path, folder: Path, file: str, log: Path, environment: dict[str, str]
    ) -> None:
        self.log = log
        self.terminal, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            [executable, "-v", "--log", log, file],
            cwd=folder,
            env={**environment, "TERM": "xterm-256color"},
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
        )
        os.close(inside)
        self.drawn = b""
        """Everything that was ever written to the screen."""
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Helix:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(LIVENESS_S)
        os.close(self.terminal)

    def send(self, keys: str) -> None:
        """Press keys, one after the other: ``ge``, ``return <Esc>``."""
        for key in re.findall(r"<\w+>|.", keys, re.DOTALL):
            os.write(self.terminal, KEYS.get(key, key).encode())
            time.sleep(0.02)  # an escape and a letter in one breath would be Alt and that letter

    def messages(self, direction: str) -> list[dict[str, Any]]:
        """What was said over the protocol: ``->`` to the server, ``<-`` from it."""
        if not self.log.exists():
            return []
        said = re.findall(
            rf"transport \[INFO\] \w+ {direction} (\{{.*\}})$", self.log.read_text(), re.MULTILINE
        )
        return [json.loads(message) for message in said]

    def wait_for(self, arrived: Callable[[], Any]) -> Any:
        """What `arrived` gives, once it gives something."""
        return wait_for(arrived, self.process)

    def _read(self) -> None:
        while True:
            try:
                self.drawn += os.read(self.terminal, 65_536)
            except OSError:  # the program ended
                return
