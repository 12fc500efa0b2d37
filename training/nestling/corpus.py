"""What of the sources is trained on: files by tree, and what was left out and why; kept on disk."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class File:
    """One source file."""

    tree: str
    """Name of its source tree."""
    name: str
    """Path in the tree, with ``/``."""
    language: str
    """Key in `bowerbird.syntax.languages.LANGUAGES`."""
    licence: str
    """Of its tree: an SPDX expression."""
    text: str
    """With ``\\n`` line ends."""


@dataclass(slots=True)
class Tally:
    """What was read, kept and left out; becomes part of the model card."""

    left_out: Counter[str] = field(default_factory=Counter)
    """Reason -> files."""
    trees_left_out: dict[str, str] = field(default_factory=dict)
    """Tree -> reason."""
    kept: dict[str, dict[str, int]] = field(default_factory=dict)
    """Tree -> bytes by language, after everything was left out."""
    licences: dict[str, str] = field(default_factory=dict)
    """Tree -> SPDX expression."""

    def count(self, files: Iterable[File]) -> None:
        """Fill `kept` and `licences`."""
        for file in files:
            languages = self.kept.setdefault(file.tree, {})
            languages[file.language] = languages.get(file.language, 0) + len(file.text.encode())
            self.licences[file.tree] = file.licence

    def as_json(self) -> dict[str, Any]:
        """For the model card."""
        return {
            "left_out": dict(self.left_out),
            "trees_left_out": self.trees_left_out,
            "kept": self.kept,
            "licences": self.licences,
        }


def report_path(corpus: Path) -> Path:
    """Where the report of a corpus stands: beside it."""
    return corpus.with_name(corpus.name.removesuffix(".jsonl.gz") + "-sources.json")


def write_corpus(path: Path, files: Iterable[File]) -> None:
    """A line of JSON for each file, compressed."""
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=3) as out:
        for file in files:
            out.write(json.dumps(asdict(file)) + "\n")


def read_corpus(path: Path) -> Iterator[File]:
    """What `write_corpus` wrote."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield File(**json.loads(line))
