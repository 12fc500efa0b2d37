"""The real parts that tests use, where each is found, and what to say when one is missing.

`make parts` and `make test` put them into the cache, outside the checkout. A test asks for a part by
name; without it the test is skipped with the command that brings it, and in CI that skip is a failure
(see `conftest.py`).
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

HOME = Path.home()
_CACHE_HOME = os.environ.get("XDG_CACHE_HOME") or HOME / ".cache"
CACHE = Path(os.environ.get("BOWERBIRD_CACHE") or Path(_CACHE_HOME, "bowerbird"))
"""Read, as HOME, when this module is imported, before `conftest` moves HOME away."""

PARTS = Path(os.environ.get("BOWERBIRD_PARTS") or CACHE / "parts")
VOCABULARIES = Path(
    os.environ.get("BOWERBIRD_VOCABS")
    or max(CACHE.glob("llama-cpp-python-*/vocabs"), default=CACHE / "none"),
)

_NODE = "vscode/node_modules/.bin"
EXECUTABLES = {
    "nvim": "bin",
    "llama-server": "bin",
    "hx": "bin",
    "tree-sitter": "bin",
    "code-server": _NODE,
    "node": _NODE,
    "npm": _NODE,
    "chromium": "",
    "luacheck": "",
}
"""What `make parts` brings, and the folder among the parts where it lies; empty for the system's own."""

FROM_PATH = ("node", "npm", "chromium", "luacheck")
"""Where the parts lack these, those on the user's PATH serve."""


def find_part(name: str) -> Path | None:
    """The executable of a real part, such as ``nvim``; None where it is missing."""
    if name not in EXECUTABLES:
        raise LookupError(f"{name} is none of {', '.join(EXECUTABLES)}")
    executable = PARTS / EXECUTABLES[name] / name
    if os.access(executable, os.X_OK):
        return executable
    found = shutil.which(name) if name in FROM_PATH else None
    return Path(found) if found else None


def require_part(name: str) -> Path:
    """The executable of a real part; without it the test is skipped."""
    executable = find_part(name)
    if executable is None:
        pytest.skip(f"needs {name}: make parts")
    return executable


def require_vocabulary(name: str) -> Path:
    """A GGUF with a real tokenizer and no weights, such as ``qwen2``; without it the test is skipped."""
    path = VOCABULARIES / f"ggml-vocab-{name}.gguf"
    if not path.is_file():
        pytest.skip(f"needs the {name} vocabulary: make test")
    return path
