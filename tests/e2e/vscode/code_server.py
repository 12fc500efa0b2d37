"""Runs a real VS Code whose workbench is a web page, with folders of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil

from e2e.liveness import LIVENESS_S, wait_for

QUIET = {
    "security.workspace.trust.enabled": False,
    "workbench.startupEditor": "none",
    "workbench.reduceMotion": "on",
    "editor.minimap.enabled": False,
    "workbench.colorTheme": "Default Dark Modern",
    "editor.wordBasedSuggestions": "off",
    "files.autoSave": "off",  # which in a browser is on: what tests write shall be gone with the tab
    "extensions.autoCheckUpdates": False,
    "git.openRepositoryInParentFolders": "never",
    "telemetry.telemetryLevel": "off",
}
"""What a user would have clicked away once: the settings of the browser's side."""


class CodeServer:
    """One code-server; as a context it ends with its block, and all that it started ends with it."""

    def __init__(self, parts: Path, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.environment = {**environment, "HOME": str(folder / "home")}
        self._log = folder / "log"
        self._program = [
            parts / "node_modules" / ".bin" / "node",
            parts / "node_modules" / "code-server",
            "--user-data-dir",
            self.data,
            "--extensions-dir",
            folder / "extensions",
        ]
        (folder / "home").mkdir(parents=True)
        self.configure({})

    def configure(self, machine: Mapping[str, Any], user: Mapping[str, Any] | None = None) -> None:
        """Write the settings of this machine, and those of the user beside `QUIET`."""
        for name, settings in (("Machine", machine), ("User", {**QUIET, **(user or {})})):
            path = self.data / name / "settings.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(settings))

    def install(self, vsix: Path) -> None:
        """Install an extension from a file; no marketplace is asked."""
        command = [*self._program, "--install-extension", vsix]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True)
        assert "successfully installed" in done.stdout, done.stdout + done.stderr

    def __enter__(self) -> CodeServer:
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [
                    *self._program,
                    "--auth=none",
                    "--bind-addr=127.0.0.1:0",
                    "--disable-telemetry",
                    "--disable-update-check",
                ],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.address = wait_for(self._announced, self.process)
        return self

    def __exit__(self, *_: object) -> None:
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(LIVENESS_S)

    def _announced(self) -> str | None:
        found = re.search(r"listening on (http://[\d.]+:\d+)", self._log.read_text())
        return found and found[1]

    def processes(self, *words: str) -> list[psutil.Process]:
        """What was started within its windows by a command that holds these words."""
        children = psutil.Process(self.process.pid).children(recursive=True)
        return [child for child in children if set(words) <= set(_command(child))]

    def page_of(self, folder: Path | None, file: str = "") -> str:
        """The address of a window on `folder`, or on none, with one of its files open."""
        query = f"folder={quote(str(folder))}" if folder else "ew=true"
        if file:
            assert folder
            host = self.address.removeprefix("http://")
            opened = [["openFile", f"vscode-remote://{host}{folder / file}"]]
            query += f"&payload={quote(json.dumps(opened))}"
        return f"{self.address}/?{query}"


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []
