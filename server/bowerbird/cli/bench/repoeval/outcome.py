"""What a task showed, as it is kept in files and summed up in tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from bowerbird.cli.bench.repoeval.options import Table


@dataclass(frozen=True, slots=True)
class Measured:
    """One task, completed in one way."""

    prediction: str
    exact_match: float
    """0 or 1."""
    edit_similarity: float
    """0 to 1."""
    log_likelihood: float | None
    """Of the true line after the same prompt, in nats a character; None where the engine cannot tell."""
    prompt_tokens: int
    tokens_reused: int
    """Prompt tokens that the KV cache held, over all requests of this measurement."""
    tokens_evaluated: int
    """Prompt tokens that had to be evaluated, over all requests of this measurement."""
    tokens_generated: int
    milliseconds: float
    """Of the completion that was compared with the truth, all its iterations."""
    requests: int = 1
    """Completions over which the tokens were counted."""
    trace: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One task under one setting, in all columns of one table."""

    variant: str
    table: Table
    repository: str
    task: str
    truth: str
    columns: Mapping[str, Measured]

    @property
    def key(self) -> tuple[str, str, str]:
        """Names the unit of work."""
        return self.variant, self.table.value, self.task

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def outcome_from_json(value: Mapping[str, Any]) -> Outcome:
    """The inverse of `Outcome.as_json`; raises `KeyError`, `TypeError` or `ValueError` on anything else."""
    columns = {name: Measured(**measured) for name, measured in value["columns"].items()}
    return Outcome(
        value["variant"], Table(value["table"]), value["repository"], value["task"], value["truth"], columns
    )
