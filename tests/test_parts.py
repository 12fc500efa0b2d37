"""A missing real part skips a test on a user's machine, and fails it in CI."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from parts import find_part, require_part

TESTS = Path(__file__).parent

SUITE = """
import sys
import pytest
from parts import require_part, require_vocabulary

def test_passes(): pass

def test_needs_an_editor(): require_part("nvim")

def test_needs_a_vocabulary(): require_vocabulary("qwen2")

def test_needs_a_library(): pytest.importorskip("no_such_library")

@pytest.mark.xfail(reason="known to be wrong")
def test_known(): assert False
"""


def run_suite(folder: Path, suite: str, **environment: str) -> str:
    """The closing line of a pytest run over `suite`, where no real part exists."""
    for name in ("conftest.py", "parts.py"):
        shutil.copy(TESTS / name, folder)
    (folder / "test_suite.py").write_text(suite)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BOWERBIRD_")}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-o",
        f"pythonpath={folder}",
        "-q",
        folder,
    ]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**kept, "BOWERBIRD_CACHE": str(folder / "empty"), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout.splitlines()[-1]


def test_a_missing_part_skips(tmp_path: Path) -> None:
    """Without its parts a suite passes, and what it could not test is counted as skipped."""
    assert run_suite(tmp_path, SUITE).startswith("1 passed, 3 skipped, 1 xfailed")


def test_in_ci_a_missing_part_fails(tmp_path: Path) -> None:
    """In CI a skip is a failure; what is known to be wrong may fail."""
    assert run_suite(tmp_path, SUITE, BOWERBIRD_CI="1").startswith("3 failed, 1 passed, 1 xfailed")


def test_in_ci_a_module_that_skips_itself_fails(tmp_path: Path) -> None:
    """A whole module cannot slip through CI either."""
    suite = 'import pytest\npytest.skip("needs hx: make parts", allow_module_level=True)\n'
    assert run_suite(tmp_path, suite, BOWERBIRD_CI="1").startswith("1 error")


def test_an_unknown_part_is_an_error() -> None:
    """A misspelt part is told at once rather than skipped for ever."""
    with pytest.raises(LookupError, match="neovim"):
        find_part("neovim")


def test_the_reason_names_the_part_and_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The reason of a skip says what is missing and which command brings it."""
    monkeypatch.setattr("parts.PARTS", tmp_path)
    with pytest.raises(pytest.skip.Exception, match="needs hx: make parts"):
        require_part("hx")


def test_some_parts_may_come_from_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Node of the parts goes before the user's own; an editor is never taken from the PATH."""
    for name in ("node", "nvim"):
        (tmp_path / name).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("parts.PARTS", tmp_path / "parts")
    assert find_part("node") == tmp_path / "node"
    assert find_part("nvim") is None

    brought = tmp_path / "parts" / "vscode" / "node_modules" / ".bin" / "node"
    brought.parent.mkdir(parents=True)
    brought.touch(0o755)
    assert find_part("node") == brought
