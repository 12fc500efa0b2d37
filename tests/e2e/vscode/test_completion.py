"""Completions in a real VS Code, with the real server and model."""

from __future__ import annotations

import re

import pytest

from e2e.vscode.editor import GHOST, Editor
from e2e.vscode.windows import TITLE, Picture, type_unfinished


def test_tab_takes_all_that_is_shown(editor: Editor, picture: Picture) -> None:
    """What stands behind the cursor in grey is in the document after Tab; the server counts it."""
    shown = type_unfinished(editor)
    picture("completion", TITLE, GHOST, below_px=12)
    before = editor.lines()

    editor.press("Tab")

    editor.wait_for(lambda: editor.lines() != before)
    assert "\n".join(editor.lines()) == "\n".join(before) + shown
    editor.wait_for_status(" 1 accepted")


def test_a_word_is_taken(editor: Editor) -> None:
    """Control and the right arrow take what is shown word by word; the rest stays on show."""
    shown = type_unfinished(editor)
    before = editor.lines()
    word = re.match(r"\s*(\w+|[^\w\s]+)", shown)
    assert word

    editor.press("Control+ArrowRight")

    editor.wait_for(lambda: editor.lines()[-1] == before[-1] + word[0])
    assert editor.ghost() == shown.removeprefix(word[0])


def test_paused_nothing_comes(editor: Editor) -> None:
    """Paused, nothing is shown, the status item says so and explain says why; resumed, ghost text comes."""
    editor.run("Bowerbird: Pause")
    editor.wait_for_status("paused", "nothing runs until it is resumed")
    editor.press("Control+End")
    editor.type("        self.cur")
    editor.run("Trigger Inline Suggestion")
    editor.run("Bowerbird: Explain Last Completion")
    editor.webview().get_by_text("nothing runs until it is resumed").first.wait_for()
    assert not editor.has_ghost()

    editor.run("Bowerbird: Resume")
    editor.wait_for_status("ready")
    editor.type("r")
    assert editor.ghost()


@pytest.mark.usefixtures("editor")
def test_activation_is_quick(activation_ms: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    """The extension's own time, as it tells it; far below what would be felt."""
    with capsys.disabled():
        print(f" activated in {min(activation_ms):.0f} to {max(activation_ms):.0f} ms")
    assert min(activation_ms) < 2000
