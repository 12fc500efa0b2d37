"""Models that are known to work well: a small table, and what it says of each."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Listed:
    """A row of ``catalog.toml``."""

    name: str
    """What the user says to have it."""
    title: str
    repo: str
    """Owner and name on the hub."""
    file: str
    """The GGUF file in that repository, and later in the user's model folder."""
    licence: str
    """The hub's name for it."""
    parameters: int
    bytes: int
    """Its size, rounded as the hub shows it."""
    context_tokens: int
    """What it was trained for."""
    good_for: tuple[str, ...]
    """``completion`` (it fills in the middle), ``generation`` (it follows instructions)."""
    note: str


@cache
def catalog() -> tuple[Listed, ...]:
    """All rows, smallest first."""
    text = (resources.files("bowerbird") / "inference" / "catalog.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["model"]
    return tuple(Listed(**{**row, "good_for": tuple(row["good_for"])}) for row in rows)


def listed(name: str) -> Listed | None:
    """The row called `name`, or whose file is called so, with or without ``.gguf``."""
    wanted = name.lower().removesuffix(".gguf")
    for row in catalog():
        if wanted in (row.name, row.file.lower().removesuffix(".gguf")):
            return row
    return None
