"""What the tests of VS Code share: settings, folders, and what is typed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Protocol

from e2e.vscode.build import CLIENT
from e2e.vscode.editor import Editor

SCREENSHOTS = CLIENT / "dist" / "screenshots"
"""How each test's window looked at its end: build output, which git ignores."""

PICTURES = CLIENT / "media"
"""The README's, which `make pictures` takes anew."""

TITLE = ".editor-group-container.active > .title"
"""Above the code, for pictures."""

SERVER = Path(sys.executable).with_name("bowerbird")
PATIENT = {"bowerbird.server.path": str(SERVER), "bowerbird.completion.timeBudgetMs": 60000}
"""The machine's settings: the real server, which may take its time on a busy machine."""


class Open(Protocol):
    """Opens a window on a folder, or on none, with a file of it, and settings beside the usual ones."""

    def __call__(
        self,
        folder: Path | None,
        file: str = "",
        *,
        machine: dict[str, Any] | None = None,
        user: dict[str, Any] | None = None,
    ) -> Editor: ...


class Picture(Protocol):
    """Takes a picture of the test's window for the README: all of it, or what holds these parts."""

    def __call__(self, name: str, *parts: str, below_px: int = 0) -> None: ...


def type_unfinished(editor: Editor) -> str:
    """Write at the end a line whose rest stands elsewhere in the shop; the ghost text that comes."""
    editor.press("Control+End")
    editor.type("        self.cur")
    return editor.ghost()
