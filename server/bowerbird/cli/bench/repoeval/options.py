"""What a RepoEval run is made of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from bowerbird.cli.bench.own import OWN
from bowerbird.retrieval.nearness import PRIORS
from bowerbird.settings import CompletionSettings, IndexSettings, Settings

IN_FILE = "in-file"
ORACLE = "oracle"
MODES = (IN_FILE, "1", "2", "3", ORACLE)
"""Columns of the paper's table 2; a number is RepoCoder with that many iterations."""
PAPER = "paper's order"
EPOCHS = "epochs"
SINGLE_PRIORS = (
    "file",
    "folder",
    "path",
    "imports",
    "imported",
    "name",
)  # no file is open here, so `open` cannot be measured
NEW_TOKENS = 100  # section 4.2, line and API completion


class Table(StrEnum):
    """What each task is given."""

    MAIN = "main"
    """Nothing behind the line, as in the paper."""
    SUFFIX = "suffix"
    """The rest of the file behind the line, as an editor has it."""
    REPLAY = "replay"
    """Nothing behind the line, but the code before it is typed key by key."""


class Comparison(StrEnum):
    """A setting whose values are measured on the same tasks."""

    SNAP = "snap"
    SHIFT = "shift"
    DENSE = "dense"
    """Words, vectors, and both (appendix B)."""
    PRIORS = "priors"
    """Where windows lie (section 6.2): some priors by themselves, and all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """All that decides the outcome of a run, but for the sources, the model and Bowerbird itself."""

    repositories: tuple[str, ...] = ()
    """Names as in the tables; empty takes all that are found."""
    per_repository: int = 200
    """Lines drawn from each (section 3)."""
    seed: int = 0
    modes: tuple[str, ...] = MODES
    tables: tuple[Table, ...] = (Table.MAIN,)
    compare: Comparison | None = None
    beside: str = ""
    """Path of a second model, which gets the same tasks."""
    replay_keys: int = 40
    """Keys typed before each line in `Table.REPLAY`."""
    traces: bool = False
    """Keep what each prompt held, and why."""
    completion: CompletionSettings = field(default_factory=CompletionSettings)
    """Model, windows, snippets, budget: as in the paper where nothing else was asked for."""

    def variants(self) -> dict[str, CompletionSettings]:
        """The settings to measure, by a name for the tables; several where they are compared,
        and the first is what the others are compared with."""
        base = self.completion
        if self.beside:
            return {Path(model).stem: replace(base, model=model) for model in (base.model, self.beside)}
        match self.compare:
            case Comparison.SNAP:
                return {"lines": replace(base, snap=False), "snap": replace(base, snap=True)}
            case Comparison.SHIFT:
                shifted = replace(base, shift_lines=base.slide_lines)
                return {"shift 0": replace(base, shift_lines=0), f"shift {base.slide_lines}": shifted}
            case Comparison.DENSE:
                ways = {"Jaccard": "words", "dense": "vectors", "fused": "both"}
                return {name: replace(base, find_by=way) for name, way in ways.items()}
            case Comparison.PRIORS:
                places = {"no prior": (), **{name: (name,) for name in SINGLE_PRIORS}, "all": tuple(PRIORS)}
                return {name: replace(base, priors=priors) for name, priors in places.items()}
        return {"": base}

    def columns(self, table: Table) -> tuple[str, ...]:
        """What is compared in `table`."""
        return (PAPER, EPOCHS) if table is Table.REPLAY else self.modes

    @property
    def iterations(self) -> int:
        """The most that a mode asks for; 0 where none retrieves more than once by its own prediction."""
        return max((int(mode) for mode in self.modes if mode.isdigit()), default=0)


def settings_of(completion: CompletionSettings) -> Settings:
    """For an index of all Python files of a repository and of nothing else."""
    index = IndexSettings(exclude=("*", "!*/", "!*.py"), watch=False, store=False)
    return Settings(completion=completion, index=index, inference=OWN)


def run_key(options: Options, task_digest: str, model_digests: Sequence[str], version: str) -> str:
    """Names a run: two with the same key give the same table, so one may go on where the other ended."""
    parts = [asdict(options), task_digest, *model_digests, version]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
