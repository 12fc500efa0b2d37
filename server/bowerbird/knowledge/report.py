"""What reading a workspace brought: how far it is, what was read, what was left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bowerbird.knowledge.exclusion import Exclusion
from bowerbird.knowledge.reading import Reading
from bowerbird.knowledge.snippet import Source

MAX_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a scan is."""

    files_done: int
    files_found: int
    """Grows while folders are walked; nothing is done before they all are."""


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What a scan brought."""

    files: int
    lines: int
    bytes: int
    """As on disk."""
    seconds: float
    skipped: Mapping[str, int]
    """For each `Exclusion` how many entries were left out; a folder counts once for all that is in it."""
    examples: Mapping[str, tuple[Path, ...]]
    """Some of them."""
    cancelled: bool = False
    """It was ended early, and the figures are of what was done till then."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What an index is at a moment."""

    files: int = 0
    lines: int = 0
    memory_bytes: int = 0
    """About what texts and postings take, those in mapped files included."""
    disk_bytes: int = 0
    """Of what is kept of them."""
    index_message: str = ""
    """Why not all of the workspace is in the index, or nothing can be kept; empty where all is well."""


@dataclass(slots=True)
class Tally:
    """Counts while a scan goes on."""

    files: int = 0
    lines: int = 0
    bytes: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[Path]] = field(default_factory=dict)

    def read(self, lines: int, size: int) -> None:
        """A file was read."""
        self.files += 1
        self.lines += lines
        self.bytes += size

    def count(self, path: str, source: Source | None, reading: Reading, is_full: bool) -> None:
        """A file was looked at: it is a source, or was left out, perhaps as the index `is_full`."""
        if source is not None:
            self.read(source.line_count, reading.bytes)
        elif reading.exclusion is not None:
            self.skip(path, reading.exclusion)
        elif reading.text is not None or reading.stamp is not None:
            self.skip(path, Exclusion.NO_MEMORY if is_full else Exclusion.TOO_MANY)

    def skip(self, path: str, exclusion: Exclusion) -> None:
        """A file or a folder was left out."""
        self.skipped[exclusion] += 1
        examples = self.examples.setdefault(exclusion, [])
        if len(examples) < MAX_EXAMPLES:
            examples.append(Path(path))

    def report(self, seconds: float, cancelled: bool) -> ScanReport:
        """What there is till now."""
        return ScanReport(
            files=self.files,
            lines=self.lines,
            bytes=self.bytes,
            seconds=seconds,
            skipped=dict(self.skipped.most_common()),
            examples={reason: tuple(paths) for reason, paths in self.examples.items()},
            cancelled=cancelled,
        )
