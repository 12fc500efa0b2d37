"""The Neovim plugin's Lua is checked by luacheck."""

from __future__ import annotations

import subprocess
from pathlib import Path

from parts import require_part

PLUGIN = Path(__file__).parents[2] / "clients" / "neovim"
RULES = Path(__file__).with_name("luacheckrc")


def checked(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [require_part("luacheck"), "--config", RULES, "--no-cache", "--no-color", "."]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_the_plugin_is_clean() -> None:
    """No unknown or unused names, nothing shadowed, no line over 120 characters."""
    done = checked(PLUGIN)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("OK\n") == len([*PLUGIN.rglob("*.lua")])


def test_a_mistake_is_seen(tmp_path: Path) -> None:
    """The same rules do find something where there is something."""
    (tmp_path / "wrong.lua").write_text("local unused = vim\nreturn unknown\n")
    assert checked(tmp_path).returncode == 1
