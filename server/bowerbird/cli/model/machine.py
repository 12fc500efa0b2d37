"""This machine's memory, and what a model's size means on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psutil  # type: ignore[import-untyped]

from bowerbird.inference.advice import Fit, Need, Speed, fit, memory_bytes, needs, remembered

PROMPT_TOKENS = 2048
"""Of a whole prompt (`completion.promptTokens`)."""
GB = 1e9


@dataclass(frozen=True, slots=True)
class Machine:
    """What advice stands on."""

    total_bytes: int
    available_bytes: int
    speed: Speed | None
    """The last measurement by `bowerbird model bench`."""

    def fit(self, size_bytes: int) -> Fit:
        return fit(size_bytes, self.total_bytes, self.available_bytes)

    def ratio(self, size_bytes: int) -> float | None:
        """Time over budget of a completion while typing on, scaled from the measurement; None without one."""
        if self.speed is None or not size_bytes:
            return None
        typing_on: Need = needs(PROMPT_TOKENS)[0]
        return typing_on.ratio(self.speed.scaled(size_bytes))

    def as_json(self, size_bytes: int) -> dict[str, Any]:
        """The advice for a file of this size."""
        return {
            "memoryBytes": memory_bytes(size_bytes),
            "fit": self.fit(size_bytes).value,
            "timeOverBudget": self.ratio(size_bytes),
        }


def look() -> Machine:
    """Asks the system now."""
    memory = psutil.virtual_memory()
    return Machine(int(memory.total), int(memory.available), remembered())


def gb(count: int) -> str:
    """``1.65 GB``"""
    return f"{count / GB:.2f} GB"


def quickness(ratio: float | None) -> str:
    """For a table: a completion's time as a multiple of what the editor gives it."""
    return "?" if ratio is None else f"{ratio:.1f} x" if ratio >= 0.1 else "< 0.1 x"
