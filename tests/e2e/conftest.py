"""A small real project, and the environment in which an editor is started."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"

MONEY = '''"""Money, and what can be done with it."""


class Money:
    def __init__(self, amount, currency, owner):
        self.amount = amount
        self.currency = currency
        self.owner = owner

    def as_text(self):
        return f"{self.amount} {self.currency}"
'''

PRICE = '''"""Prices."""


class Price:
    def __init__(self, amount, currency, owner):
        self.amount = amount
'''


@pytest.fixture
def shop(workspace: Callable[[Mapping[str, str | bytes]], Path]) -> Path:
    """A project whose ``price.py`` goes on as ``money.py`` does."""
    folder = workspace({"shop/money.py": MONEY, "shop/price.py": PRICE, "shop/.env": "PASSWORD=abc\n"})
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Everything that an editor writes goes to a folder of this test; `bowerbird` is on the PATH."""
    home = tmp_path / "home"
    folders = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA", "STATE")}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, **folders, "HOME": str(home), "PATH": path}


@pytest.fixture
def from_readme() -> Callable[[str], str]:
    """`from_readme("lua")`: the configuration that the README tells users of an editor to write."""

    def read(language: str) -> str:
        (block,) = re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)
        return block

    return read
