"""What a model asks of a machine, and how long it would take there: estimates from its size."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import platformdirs

from bowerbird.settings import CompletionSettings

WORKING_SHARE = 0.15  # of a file's size, for the context of 4,096 tokens and its calculations
WORKING_BYTES = 200_000_000
ROOMY_SHARE = 0.6  # of all memory; a model that takes more leaves too little for editor and browser
WARM_TOKENS = 256
"""Of a prompt, which the model must read anew while somebody types on: a changed window and the line."""


class Fit(StrEnum):
    """Does a model's memory fit into this machine's?"""

    FITS = "fits"
    TIGHT = "tight"
    """Other programs would have to make room."""
    TOO_BIG = "too big"


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast a model reads and writes on this machine, in tokens a second."""

    model: str
    bytes: int
    """The file's size."""
    read_tps: float
    write_tps: float

    def scaled(self, size_bytes: int) -> Speed:
        """The same machine with a file of `size_bytes`: a token moves all of a model's bytes."""
        factor = self.bytes / max(1, size_bytes)
        return Speed(self.model, size_bytes, self.read_tps * factor, self.write_tps * factor)

    def completion_ms(self, read_tokens: int, written_tokens: int) -> float:
        """What one completion takes."""
        return 1000 * (read_tokens / self.read_tps + written_tokens / self.write_tps)


@dataclass(frozen=True, slots=True)
class Need:
    """What the editor asks of a model."""

    name: str
    read_tokens: int
    written_tokens: int
    budget_ms: int

    def ratio(self, speed: Speed) -> float:
        """Time taken over time there is; quick enough where it is at most 1."""
        return speed.completion_ms(self.read_tokens, self.written_tokens) / self.budget_ms


def needs(prompt_tokens: int) -> tuple[Need, Need]:
    """A completion while somebody types on, and the first at a new place."""
    settings = CompletionSettings()
    new, budget = settings.max_new_tokens, settings.time_budget_ms
    return (
        Need("typing on", min(WARM_TOKENS, prompt_tokens), new, budget),
        Need("a new place", prompt_tokens, new, budget),
    )


def memory_bytes(size_bytes: int) -> int:
    """What a GGUF of this size takes in memory, about."""
    return int(size_bytes * (1 + WORKING_SHARE)) + WORKING_BYTES


def fit(size_bytes: int, total_bytes: int, available_bytes: int) -> Fit:
    """Whether such a model has room."""
    needed = memory_bytes(size_bytes)
    if needed > total_bytes * ROOMY_SHARE:
        return Fit.TOO_BIG
    return Fit.FITS if needed <= available_bytes else Fit.TIGHT


def speed_file() -> Path:
    """Where the last measurement is kept. It need not exist."""
    return Path(platformdirs.user_state_dir("bowerbird", appauthor=False)) / "model-speed.json"


def remember(speed: Speed) -> None:
    """Keep a measurement; raises `OSError`."""
    speed_file().parent.mkdir(parents=True, exist_ok=True)
    speed_file().write_text(json.dumps(asdict(speed)) + "\n", encoding="utf-8")


def remembered() -> Speed | None:
    """The last measurement on this machine, None where there is none that can be read."""
    try:
        told: Any = json.loads(speed_file().read_text(encoding="utf-8"))
        speed = Speed(
            str(told["model"]), int(told["bytes"]), float(told["read_tps"]), float(told["write_tps"])
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return speed if min(speed.bytes, speed.read_tps, speed.write_tps) > 0 else None


def as_json(speed: Speed, prompt_tokens: int) -> Mapping[str, Any]:
    """A measurement with its ratios to what the editor needs."""
    return {
        **asdict(speed),
        "needs": [
            {
                **asdict(need),
                "ms": speed.completion_ms(need.read_tokens, need.written_tokens),
                "ratio": need.ratio(speed),
            }
            for need in needs(prompt_tokens)
        ],
    }
