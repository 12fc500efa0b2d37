"""What the model writes into holes, kept on disk: filters may then be judged again without the model."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bowerbird.assembly import Assembly
from bowerbird.cli.bench.filters.holes import FEWEST_LINES, Hole
from bowerbird.cli.bench.repoeval.measure import checked
from bowerbird.completion.finish import Draft
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Request


@dataclass(frozen=True, slots=True)
class Written:
    """A hole and what the model wrote into it."""

    hole: Hole
    prediction: str
    stopped: str

    @property
    def draft(self) -> Draft:
        """For the filters."""
        hole = self.hole
        return Draft(hole.prefix, hole.suffix, self.stopped, hole.source.language, may_replace=True)


async def write_into(
    holes: Sequence[Hole],
    wanted: int,
    assembly: Assembly,
    request: Request,
    kept: Path | None,
    key: str,
    advance: Callable[[int], None],
) -> list[Written]:
    """Predictions of several lines for the first of `holes` that give such, until there are `wanted`.

    What `kept` holds of a run with this `key` is taken from there, and what is new is added.
    """
    known = _read(kept, key)
    written: list[Written] = []
    with kept.open("w", encoding="utf-8") if kept else nullcontext() as file:
        _add(file, {"key": key})  # written anew, because the last row of a killed run may be torn
        for one, told in known.items():
            _add(file, {"hole": one, "prediction": told})
        for hole in holes:
            if len(written) >= wanted:
                break
            if hole.id not in known:
                known[hole.id] = await _predict(hole, assembly, request)
                _add(file, {"hole": hole.id, "prediction": known[hole.id]})
            prediction, stopped = known[hole.id]
            if sum(bool(line.strip()) for line in prediction.split("\n")) >= FEWEST_LINES:
                written.append(Written(hole, prediction, stopped))
                advance(1)
    return written


async def _predict(hole: Hole, assembly: Assembly, request: Request) -> tuple[str, str]:
    """What the model writes, and why it stopped."""
    source, repository = hole.source, assembly.repository
    prefix, suffix = hole.prefix, hole.suffix
    folder = repository.folder_of(source.path) or source.path.parent
    repository.open_document(source.path, prefix + suffix, source.language)  # or the hole's text is found
    try:
        unfinished = UnfinishedCode(source.path, source.name, folder.name, source.language, prefix, suffix)
        completion = checked(await assembly.completion.complete(unfinished, request))
    finally:
        repository.close_document(source.path)
    return completion.prediction, completion.trace.iterations[-1].stopped


def _add(file: IO[str] | None, row: object) -> None:
    if file is not None:
        file.write(json.dumps(row) + "\n")
        file.flush()


def _read(path: Path | None, key: str) -> dict[str, tuple[str, str]]:
    """Predictions and why they stopped, by hole; none of another run."""
    known: dict[str, tuple[str, str]] = {}
    try:
        rows = path.read_text(encoding="utf-8").splitlines() if path else []
        if rows and json.loads(rows[0])["key"] == key:
            for row in map(json.loads, rows[1:]):
                prediction, stopped = row["prediction"]
                known[row["hole"]] = prediction, stopped
    except (OSError, ValueError, KeyError, TypeError):
        pass  # what stands before the row that cannot be read is kept
    return known
