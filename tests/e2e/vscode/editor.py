"""Drives one window of VS Code as a user would: by keys, and by what can be seen."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from playwright.sync_api import FrameLocator, Locator, Page

PATIENCE_S = 150.0
"""How long anything may take before a test gives up: a browser and an editor on a busy machine need long."""

STATUS = "[id='bowerbird.bowerbird.bowerbird.status'] a"
GHOST = "[class*=ghost-text]"

LINES = """
() => [...document.querySelectorAll(".editor-group-container.active .view-lines > .view-line")]
  .filter((line) => !line.closest("[class*=ghost-text], .suggest-preview-text"))
  .sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))
  .map((line) => {
    const copy = line.cloneNode(true);
    copy.querySelectorAll("[class*=ghost-text]").forEach((ghost) => ghost.remove());
    return copy.textContent.replaceAll("\\u00a0", " ");
  })
"""
"""The lines of the active document that are in sight, without ghost text."""

IDLE = "() => new Promise((idle) => requestIdleCallback(() => idle()))"
"""VS Code listens to what is typed once a new editor is idle; idle callbacks run in their order."""

GHOSTS = """
() => {
  const inline = [...document.querySelectorAll("[class*=ghost-text-decoration]")].map((e) => e.textContent);
  const below = [...document.querySelectorAll(".suggest-preview-text .view-line")].map((e) => e.textContent);
  return [inline.join(""), ...below].join("\\n").replaceAll("\\u00a0", " ");
}
"""


class Editor:
    """A window; what it does not show within `PATIENCE_S` fails the test."""

    def __init__(self, page: Page, folder: Path | None = None) -> None:
        self.page = page
        self._folder = folder
        page.set_default_timeout(PATIENCE_S * 1000)
        page.on("dialog", lambda dialog: dialog.accept())  # leaves the page, whatever is not saved

    @property
    def folder(self) -> Path:
        """The folder that is open."""
        assert self._folder, "the window is on no folder"
        return self._folder

    def press(self, *keys: str) -> None:
        """Press keys one after the other: ``Control+End``, ``Tab``."""
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        """Type, once VS Code listens to what is typed."""
        self.page.evaluate(IDLE)
        self.page.keyboard.type(text)

    def run(self, title: str) -> None:
        """Choose a command from the palette."""
        self.press("F1")
        self.page.locator(".quick-input-widget input[type=text]").fill(f">{title}")
        self.choose(title)

    def choose(self, label: str) -> None:
        """Take the entry of the open list that reads so."""
        self.entry(label).click()
        self.page.mouse.move(0, 0)

    def entry(self, label: str) -> Locator:
        """The entry of the open list that reads so."""
        whole = re.compile(rf"^\s*{re.escape(label)}\s*$")
        return self.page.locator(".quick-input-list .label-name", has_text=whole)

    def answer(self, question: str, words: str) -> None:
        """Fill the box that asks this, once it is open."""
        self.page.locator(f'.quick-input-widget input[aria-label*="{question}"]').fill(words)

    def open(self, file: str) -> None:
        """Open a file of the workspace by its path, for one that is new is not found by its name yet."""
        self.press("Control+p")
        self.page.locator(".quick-input-widget input[type=text]").fill(str(self.folder / file))
        self.choose(Path(file).name)
        self.wait_for_file(file)

    def wait_for_file(self, file: str) -> None:
        """The file is the one that is being written."""
        self.page.locator(f'.tab.active[data-resource-name="{Path(file).name}"]').wait_for()
        self.page.locator(".editor-group-container.active .view-line").first.wait_for()
        self.page.locator(".editor-group-container.active .monaco-editor.focused").wait_for()

    def lines(self) -> list[str]:
        """The lines in sight, without ghost text."""
        return self.page.evaluate(LINES)

    def ghost(self) -> str:
        """The ghost text, once there is any."""
        self.wait_for(self.has_ghost)
        return self.page.evaluate(GHOSTS)

    def has_ghost(self) -> bool:
        return self.page.locator(GHOST).count() > 0

    def status(self) -> str:
        """What the status item tells a screen reader: ``Bowerbird. ready. Model: ...``; empty without one."""
        item = self.page.locator(STATUS)
        return (item.first.get_attribute("aria-label") or "") if item.count() else ""

    def wait_for_status(self, *words: str) -> str:
        """The status, once it holds all these words."""

        def said() -> str | None:
            status = self.status()
            return status if all(word in status for word in words) else None

        return self.wait_for(said)

    def messages(self) -> list[str]:
        """What stands in the messages at the lower right."""
        return self.page.locator(".notification-list-item-message").all_inner_texts()

    def wait_for_message(self, *words: str) -> str:
        """The first message that holds all these words."""

        def told() -> str | None:
            return next((m for m in self.messages() if all(word in m for word in words)), None)

        return self.wait_for(told)

    def button(self, label: str) -> Locator:
        """A button of a message."""
        return self.page.locator(".notification-list-item .monaco-button", has_text=label)

    def webview(self) -> FrameLocator:
        """The page in the editor's page."""
        return self.page.frame_locator("iframe.webview").frame_locator("iframe#active-frame")

    def wait_for(self, arrived: Callable[[], Any]) -> Any:
        """What `arrived` gives, once it gives something."""
        end = time.monotonic() + PATIENCE_S
        while not (value := arrived()):
            assert time.monotonic() < end, f"waited {PATIENCE_S:.0f} s in vain; the status: {self.status()}"
            self.page.wait_for_timeout(50)
        return value

    def picture(self, path: Path, parts: Iterable[str] = (), below_px: int = 0) -> None:
        """Keep what is seen, or the smallest picture that holds these parts (CSS) and a margin below."""
        boxes = [self.page.locator(part).last.bounding_box() for part in parts]
        path.parent.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=path, clip=_around([box for box in boxes if box], below_px))  # type: ignore[arg-type]

    def clear(self) -> None:
        """Take back all that was not saved, and close files and messages, as if the window were new."""
        self.press("Escape", "Escape")
        self.run("Notifications: Clear All Notifications")
        while self.page.locator(".editor-group-container .tab").count():
            tabs = self.page.locator(".editor-group-container .tab").count()
            self.run("View: Revert and Close Editor")
            self.wait_for(lambda tabs=tabs: self.page.locator(".editor-group-container .tab").count() < tabs)

    def close(self) -> None:
        """Leave the page, so that VS Code ends what runs for it, and close it."""
        self.page.goto("about:blank")
        self.page.close()


def _around(boxes: list[Any], below_px: int) -> dict[str, float] | None:
    if not boxes:
        return None
    x, y = (min(box[side] for box in boxes) for side in ("x", "y"))
    right = max(box["x"] + box["width"] for box in boxes)
    bottom = max(box["y"] + box["height"] for box in boxes) + below_px
    return {"x": x, "y": y, "width": right - x, "height": bottom - y}
