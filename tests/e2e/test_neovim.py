"""Neovim's own inline completion, configured as the README says, with the real server and model."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from bowerbird.lsp.power import on_battery
from e2e.liveness import LIVENESS_S
from e2e.neovim import Neovim
from parts import require_part

NEOVIM_DEBOUNCE_S = 0.22
"""Neovim waits 200 ms after a key; slower keys than that make it ask at each."""

SETTINGS = """
vim.lsp.config("bowerbird", {{ settings = {{ bowerbird = {{ completion = {{ {} }} }} }} }})
"""

PATIENCE = "timeBudgetMs = 60000"
"""A busy machine shall not turn a slow completion into an empty one."""

ONE_ROUND = f"{PATIENCE}, iterations = 1"
"""What is shown is the last word: no later iteration says something else while the test types."""

COMPLETES_HERE = "#vim.api.nvim_get_autocmds({ event = 'InsertEnter', buffer = 0 })"
"""Lua: not 0 once Neovim asks for inline completions in the current buffer."""


@pytest.fixture
def completion() -> str:
    """The settings of completion, in Lua."""
    return PATIENCE


@pytest.fixture
def neovim(
    shop: Path,
    tmp_path: Path,
    environment: dict[str, str],
    from_readme: Callable[[str], str],
    completion: str,
) -> Iterator[Neovim]:
    """Neovim in ``shop/price.py``, joined with the server."""
    executable = require_part("nvim")
    init = tmp_path / "init.lua"
    init.write_text(from_readme("lua") + SETTINGS.format(completion))
    with Neovim(executable, init, shop, "shop/price.py", environment) as editor:
        editor.wait_for(lambda: editor.lua(COMPLETES_HERE))
        log = Path(editor.lua("vim.lsp.log.get_filename()"))
        yield editor
    assert [line for line in log.read_text().splitlines() if not line.startswith("[START]")] == []


def ghost(editor: Neovim) -> dict[str, Any]:
    """The ghost text that stands at the cursor, once it does."""

    def at_cursor() -> dict[str, Any] | None:
        row, column = editor.lua("vim.api.nvim_win_get_cursor(0)")
        there = [g for g in editor.ghosts() if (g["line"], g["column"]) == (row - 1, column)]
        return there[0] if there and there[0]["text"] else None

    found: dict[str, Any] = editor.wait_for(at_cursor)
    return found


def test_ghost_text_arrives_and_is_accepted(neovim: Neovim) -> None:
    """What stands behind the cursor in grey stands there in the buffer after Tab."""
    neovim.send("Goself.cur")
    before = neovim.lines()

    shown = ghost(neovim)["text"]
    neovim.send("<Tab>")

    neovim.wait_for(lambda: neovim.lines() != before)
    assert "\n".join(neovim.lines()) == "\n".join(before) + shown


def ask(editor: Neovim, method: str, params: str = "vim.empty_dict()") -> Any:
    """The server's answer to a request."""
    return editor.lua(
        f"vim.lsp.get_clients({{ bufnr = 0 }})[1]:request_sync('{method}', {params}, 30000).result"
    )


def answer(editor: Neovim, *carried: str) -> dict[str, Any]:
    """The trace of the newest answer, once it is one for the cursor's place, and came from one of these."""

    def at_cursor() -> dict[str, Any] | None:
        trace = ask(editor, "bowerbird/explain")["trace"]
        here = editor.lua("vim.api.nvim_win_get_cursor(0)") == [trace["line"], trace["column"] - 1]
        return trace if here else None

    trace: dict[str, Any] = editor.wait_for(at_cursor)
    assert trace["carried"] in carried, f"answered by {trace['carried'] or 'the model'}: {trace['text']!r}"
    return trace


def test_the_server_learns_that_its_completion_was_taken(neovim: Neovim) -> None:
    """Accepting runs the completion's command, and the status counts it."""
    neovim.send("Goself.cur")
    ghost(neovim)
    assert ask(neovim, "bowerbird/status")["accepted"] == 0

    neovim.send("<Tab>")

    neovim.wait_for(lambda: ask(neovim, "bowerbird/status")["accepted"] == 1)


def test_the_newest_text_wins(neovim: Neovim) -> None:
    """While keys come faster than answers, no old answer stays: the last key's ghost text is shown."""
    neovim.send("Goself.")
    ghost(neovim)
    for key in "currency":
        neovim.send(key)
        time.sleep(NEOVIM_DEBOUNCE_S)

    def settled() -> dict[str, Any] | None:
        shown, trace = ghost(neovim), ask(neovim, "bowerbird/explain")["trace"]
        place = (trace["line"] - 1, trace["column"] - 1, trace["text"])
        return shown if place == (shown["line"], shown["column"], shown["text"]) else None

    shown = neovim.wait_for(settled)

    time.sleep(1)  # for an old answer to arrive late
    assert ghost(neovim) == shown


@pytest.mark.parametrize("completion", [ONE_ROUND])
def test_typing_along_keeps_the_ghost_text(neovim: Neovim) -> None:
    """What is typed of it, and taken back, is answered from memory: the rest stands there, then all again."""
    neovim.send("Goself.cur")
    whole = ghost(neovim)["text"]
    answer(neovim, "")

    for typed in (1, 2):
        neovim.send(whole[typed - 1])
        assert answer(neovim, "cache", "running")["text"] == ghost(neovim)["text"] == whole[typed:]
    for left in (1, 0):
        neovim.send("<BS>")
        assert answer(neovim, "cache", "running")["text"] == ghost(neovim)["text"] == whole[left:]


@pytest.mark.parametrize("completion", [ONE_ROUND])
@pytest.mark.skipif(on_battery(), reason="nothing is foreseen on battery")
def test_going_on_behind_an_accepted_completion(neovim: Neovim) -> None:
    """What comes next was foreseen while the ghost text stood there."""
    neovim.send("Goself.cur")
    before = neovim.lines()
    ghost(neovim)

    neovim.send("<Tab>")

    neovim.wait_for(lambda: neovim.lines() != before)
    answer(neovim, "speculative", "running")


def test_silence_in_a_commit_message(neovim: Neovim, shop: Path) -> None:
    """In the file that git opens nothing is shown, and the server says that the settings want it so."""
    aborted = subprocess.run(
        ["git", "-c", "core.editor=true", "commit", "--allow-empty"],
        cwd=shop,
        check=False,
        capture_output=True,
    )
    assert aborted.returncode, "an empty message ends the commit"
    neovim.send(":edit .git/COMMIT_EDITMSG<CR>")
    neovim.wait_for(lambda: neovim.lua("vim.bo.filetype") == "gitcommit" and neovim.lua(COMPLETES_HERE))

    neovim.send("OFix the self.")

    neovim.wait_for(lambda: ask(neovim, "bowerbird/status")["reason"] == "switched-off")
    assert neovim.ghosts() == []


def test_pausing(neovim: Neovim) -> None:
    """Paused, the model's process is gone and no key brings ghost text; resumed, the next one does."""
    neovim.send("Goself.cur")
    ghost(neovim)
    (server,) = psutil.Process(neovim.process.pid).children()
    assert server.children()

    execute(neovim, "bowerbird.pause")
    neovim.send("r")
    neovim.wait_for(lambda: ask(neovim, "bowerbird/explain")["trace"]["reason"] == "paused")
    neovim.wait_for(lambda: neovim.ghosts() == [])
    assert server.children() == []

    execute(neovim, "bowerbird.resume")
    neovim.send("<BS>")
    ghost(neovim)


def execute(editor: Neovim, command: str) -> None:
    ask(editor, "workspace/executeCommand", f"{{ command = '{command}' }}")


def test_an_excluded_file_gets_no_ghost_text(neovim: Neovim) -> None:
    """A file of secrets is not completed, and the server says why."""
    neovim.send(":edit shop/.env<CR>")
    neovim.wait_for(lambda: neovim.lines() == ["PASSWORD=abc"] and neovim.lua(COMPLETES_HERE))

    neovim.send("oTOKEN=")

    neovim.wait_for(lambda: ask(neovim, "bowerbird/status")["reason"] == "excluded")
    assert neovim.ghosts() == []


def test_nothing_outlives_the_editor(neovim: Neovim) -> None:
    """When Neovim is quit, the server and the model's process end with it."""
    neovim.send("Goself.cur")
    ghost(neovim)
    children = psutil.Process(neovim.process.pid).children(recursive=True)
    assert len(children) >= 2, "the server and the model's process"

    neovim.send("<Esc>:qall!<CR>")

    _, alive = psutil.wait_procs(children, timeout=LIVENESS_S)
    assert alive == []
