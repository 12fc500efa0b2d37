"""What `bowerbird doctor` finds: one thing, how well it is, and the command that brings it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

INSTALL_LLAMA = "pip install 'bowerbird[llama]'"
INSTALL_BOWERBIRD = "pip install --force-reinstall bowerbird"


class State(StrEnum):
    """How well a thing is."""

    OK = "ok"
    WARNING = "warning"
    """Something is lost without it."""
    MISSING = "missing"
    """Without it there are no completions."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    state: State
    detail: str
    remedy: str = ""
    """The command that brings it."""
