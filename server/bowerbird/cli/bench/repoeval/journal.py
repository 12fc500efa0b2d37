"""Finished tasks on disk, a line each, so that an interrupted run goes on where it ended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from bowerbird.cli.bench.repoeval.outcome import Outcome, outcome_from_json


class Journal:
    """Written while the bench runs. A journal of another run (another key) is begun anew."""

    def __init__(self, path: Path | None, key: str) -> None:
        self.path = path
        """None keeps nothing."""
        self.key = key
        self.finished: dict[tuple[str, str, str], Outcome] = {}
        """What earlier runs and this one have done."""
        self._file: IO[str] | None = None

    def __enter__(self) -> Self:
        if self.path is not None:
            self.finished = {outcome.key: outcome for outcome in self._read(self.path)}
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Written anew, because the last line of a killed run may be torn.
            self._file = self.path.open("w", encoding="utf-8")
            self._write({"key": self.key})
            for outcome in self.finished.values():
                self._write(outcome.as_json())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, outcome: Outcome) -> None:
        """Keep what was just measured."""
        self.finished[outcome.key] = outcome
        self._write(outcome.as_json())

    def _write(self, value: object) -> None:
        if self._file is not None:
            self._file.write(json.dumps(value) + "\n")
            self._file.flush()

    def _read(self, path: Path) -> Iterator[Outcome]:
        """What stands whole in the file, if it is of the same run."""
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return
        try:
            if not lines or json.loads(lines[0])["key"] != self.key:
                return
            for line in lines[1:]:
                yield outcome_from_json(json.loads(line))
        except (ValueError, KeyError, TypeError):
            return
