"""What a sandbox is asked to do, and how that ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

SCRATCH = PurePosixPath("/scratch")
"""The folder in the sandbox in which a program's files lie and its steps run."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one job may use."""

    wall_s: float = 20.0
    """0: as long as the server runs."""
    cpu_s: int = 20
    """Of each process; 0: any."""
    memory_bytes: int = 2 << 30
    """Of each process, and of all together."""
    file_bytes: int = 64 << 20
    scratch_bytes: int = 256 << 20
    """All files together; they lie in memory."""
    processes: int = 128
    """And threads."""
    open_files: int = 256
    output_bytes: int = 256 << 10
    """Of stdout and stderr, each. A program that prints more is ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Commands that run one after another in a sandbox of their own, as long as they succeed."""

    steps: tuple[tuple[str, ...], ...]
    files: Mapping[str, str] = field(default_factory=dict)
    """Path relative to `SCRATCH` -> text."""
    readable: tuple[Path, ...] = ()
    """What else may be read, at its own place: toolchains."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Nothing is inherited."""
    stdin: str = ""
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a job ended."""

    code: int | None = None
    """Of the last step that ran; None where it did not end by itself."""
    ended: str = ""
    """Why it did not: a signal's name, or the limit that was reached; as the end of a sentence."""
    stdout: str = ""
    stderr: str = ""
    milliseconds: float = 0.0

    @property
    def succeeded(self) -> bool:
        return self.code == 0


class SandboxError(Exception):
    """There is no sandbox, or it could not be made; says why in a sentence."""


def how_it_ended(report: Mapping[str, Any], limits: Limits) -> str:
    if "signal" in report:
        return f"was ended by {report['signal']}"
    return {
        "": "",
        "time": f"ran for longer than {limits.wall_s:g} seconds",
        "cpu": f"kept the processor busy for longer than {limits.cpu_s} seconds",
        "processes": f"started more than {limits.processes} processes",
        "memory": f"took more than {limits.memory_bytes >> 20} MiB of memory",
        "disk": f"wrote more than {limits.scratch_bytes >> 20} MiB",
        "output": f"printed more than {limits.output_bytes >> 10} KiB",
    }.get(report.get("exceeded", ""), "was ended")
