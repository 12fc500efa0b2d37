"""One VS Code and one browser for all tests of the client, and a window of its own for each test."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, sync_playwright

from e2e.vscode.build import packaged
from e2e.vscode.code_server import CodeServer
from e2e.vscode.editor import STATUS, Editor
from e2e.vscode.windows import PATIENT, PICTURES, SCREENSHOTS, SERVER, Open, Picture
from parts import require_part

WORKSPACES = Path(__file__).parents[2] / "workspaces"

QUIET_BROWSER = (
    "--no-sandbox",  # or it does not start as root, as in CI
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="package")
def scale(request: pytest.FixtureRequest) -> float:
    """Pixels of a picture for each of the page: more for the README's."""
    return 1.5 if request.config.getoption("--update-pictures") else 1


@pytest.fixture(scope="package")
def browser(scale: float) -> Iterator[BrowserContext]:
    """A Chromium without a screen; its windows share a cache, so that only the first one loads VS Code."""
    executable = require_part("chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=QUIET_BROWSER)
        yield chromium.new_context(viewport={"width": 1100, "height": 700}, device_scale_factor=scale)


@pytest.fixture(scope="package")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeServer]:
    """A VS Code in which the extension has been installed from its .vsix, and whose PATH has no server."""
    parts = require_part("code-server").parents[2]
    vsix = packaged()
    folders = os.environ["PATH"].split(os.pathsep)
    without = os.pathsep.join(folder for folder in folders if not Path(folder, SERVER.name).exists())
    environment = {**os.environ, "PATH": without}
    server = CodeServer(parts, tmp_path_factory.mktemp("vscode"), environment)
    server.install(vsix)
    with server:
        yield server


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A copy of the workspace of the README's example."""
    return Path(shutil.copytree(WORKSPACES / "shop", tmp_path / "shop"))


@pytest.fixture(scope="package")
def new_window(studio: CodeServer, browser: BrowserContext) -> Open:
    """See `Open`; the caller closes the window."""

    def open_editor(
        folder: Path | None,
        file: str = "",
        *,
        machine: dict[str, Any] | None = None,
        user: dict[str, Any] | None = None,
    ) -> Editor:
        studio.configure({**PATIENT, **(machine or {})}, user)
        editor = Editor(browser.new_page(), folder)
        editor.page.goto(studio.page_of(folder, file))
        editor.page.locator(STATUS).wait_for()
        if file:
            editor.wait_for_file(file)
        return editor

    return open_editor


@pytest.fixture(scope="package")
def shared_windows() -> Iterator[list[Editor]]:
    """The window on the shop that tests take in turn: none before the first, or after one that failed."""
    windows: list[Editor] = []
    yield windows
    for editor in windows:
        editor.close()


@pytest.fixture
def open_window(
    new_window: Open, shared_windows: list[Editor], request: pytest.FixtureRequest
) -> Iterator[Open]:
    """See `Open`; a window of this test's own, and no other, for all windows obey the machine's settings."""
    while shared_windows:
        shared_windows.pop().close()
    editors: list[Editor] = []

    def open_editor(*arguments: Any, **settings: Any) -> Editor:
        editors.append(new_window(*arguments, **settings))
        return editors[-1]

    yield open_editor
    for number, editor in enumerate(editors):
        name = request.node.name + f"-{number + 1}" * (len(editors) > 1)
        editor.picture(SCREENSHOTS / f"{name}.png")
        editor.close()


@pytest.fixture
def editor(
    new_window: Open, shared_windows: list[Editor], shop: Path, request: pytest.FixtureRequest
) -> Iterator[Editor]:
    """A window on the shop, as good as new, with ``wishlist.py`` open and the server ready."""
    failed_before = request.session.testsfailed
    if not shared_windows:
        shared_windows.append(new_window(shop))
    editor = shared_windows[0]
    editor.wait_for_status("ready")
    editor.open("shop/wishlist.py")
    yield editor
    editor.picture(SCREENSHOTS / f"{request.node.name}.png")
    if request.session.testsfailed > failed_before:
        shared_windows.pop().close()
    else:
        editor.clear()


@pytest.fixture
def picture(editor: Editor, request: pytest.FixtureRequest) -> Picture:
    """See `Picture`; the README's only change where that was asked for."""
    folder = PICTURES if request.config.getoption("--update-pictures") else SCREENSHOTS

    def take(name: str, *parts: str, below_px: int = 0) -> None:
        editor.picture(folder / f"{name}.png", parts, below_px)

    return take


@pytest.fixture
def activation_ms(studio: CodeServer, editor: Editor) -> list[float]:
    """What each window's extension said of its own activation."""

    def said() -> list[float]:
        logs = studio.data.glob("logs/*/exthost*/bowerbird.bowerbird/*.log")
        found = [re.search(r"Activated in ([\d.]+) ms", log.read_text()) for log in logs]
        return [float(one[1]) for one in found if one]

    return editor.wait_for(said)
