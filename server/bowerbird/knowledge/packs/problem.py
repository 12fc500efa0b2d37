"""What is wrong in a pack, and where."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad it is."""

    ERROR = "error"
    """Something was skipped."""
    WARNING = "warning"
    """Everything was taken, but it may not be what the writer meant."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that a writer should look at."""

    page: str
    """Path in the pack's folder, with ``/``."""
    line: int
    """From 0."""
    sentence: str
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        """As compilers say it, so that editors can lead there."""
        return f"{self.page}:{self.line + 1}: {self.severity}: {self.sentence}"
