"""The cold index, whole and stage by stage."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil  # type: ignore[import-untyped]

from bowerbird.assembly import Assembly, assemble
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.reading import decode
from bowerbird.knowledge.repository import Repository
from bowerbird.knowledge.snippet import Source
from bowerbird.knowledge.window import slide_windows
from bowerbird.retrieval.jaccard import JaccardIndex
from bowerbird.retrieval.tokens import token_ids
from bowerbird.settings import IndexSettings, Settings
from bowerbird.syntax.parser import parse

T = TypeVar("T")

FIND, READ, PARSE = "finding the files, ignore rules", "reading the files", "parsing"


@dataclass(frozen=True, slots=True)
class Indexing:
    """What a cold index takes."""

    files: int
    lines: int
    windows: int
    bytes: int
    """Of text, as on disk."""
    stages: dict[str, float]
    """Seconds, by what was done, in its order; together about `total_s`."""
    total_s: float
    """The server's way, all stages file by file."""
    ratio: float
    """`total_s` to what no index with syntax can do without: finding, reading and parsing the files."""
    bare_ratio: float
    """`total_s` to reading and parsing files that somebody else has found."""
    index_bytes: int
    text_bytes: int
    """The files' text, as it is kept."""
    grown_bytes: int
    """By how much the process grew in the first round, caches and all."""


class _Deaf:
    """A listener that does nothing."""

    def replaced(self, source: Source) -> None: ...

    def removed(self, path: Path) -> None: ...


def measure(folders: Sequence[Path], repeats: int, tell: Callable[[str], None]) -> Indexing | None:
    """Index `folders` `repeats` times; None where there is nothing to index."""
    tell("the first round")
    before = psutil.Process().memory_info().rss
    assembly, _ = _index(folders)
    grown = psutil.Process().memory_info().rss - before
    sources = assembly.repository.sources()
    lines = sum(source.line_count for source in sources)
    if not lines:
        return None
    totals = []
    rounds = []
    for at in range(repeats):
        tell(f"round {at + 1} of {repeats}")
        totals.append(_index(folders)[1])
        rounds.append(_stages(folders, sources, Settings()))
    stages = {name: min(one[name] for one in rounds) for name in rounds[0]}
    total_s = min(totals)
    return Indexing(
        files=len(sources),
        lines=lines,
        windows=len(assembly.retriever.index),
        bytes=sum(source.path.stat().st_size for source in sources),
        stages=stages,
        total_s=total_s,
        ratio=total_s / (stages[FIND] + stages[READ] + stages[PARSE]),
        bare_ratio=total_s / (stages[READ] + stages[PARSE]),
        index_bytes=assembly.retriever.index.memory_bytes,
        text_bytes=sum(len(source.body) for source in sources),
        grown_bytes=grown,
    )


def _index(folders: Sequence[Path]) -> tuple[Assembly, float]:
    assembly = assemble(Settings(index=IndexSettings(store=False)), folders)
    seconds, _ = _timed(assembly.repository.scan)
    return assembly, seconds


def _stages(folders: Sequence[Path], sources: Sequence[Source], settings: Settings) -> dict[str, float]:
    """Seconds of each stage, done for all files at once."""
    shape = settings.completion
    repository = Repository(folders, settings.index, Policy(folders, settings.index), _Deaf())
    scan_s, _ = _timed(repository.scan)
    read_s, _ = _timed(lambda: [decode(source.path.read_bytes()) for source in sources])
    fresh = [Source(source.path, source.name, source.text, source.language) for source in sources]
    parse_s, _ = _timed(lambda: _each(fresh, lambda one: parse(one.text, one.language)))
    cut_s, files = _timed(
        lambda: [slide_windows(one, shape.window_lines, shape.slide_lines, shape.snap) for one in fresh]
    )
    tokens_s, _ = _timed(lambda: _each(fresh, lambda one: token_ids(one.text)))
    index = JaccardIndex()
    file_s, _ = _timed(lambda: _each(files, lambda one: index.replace(one[0].path, one) if one else None))
    return {
        FIND: max(0.0, scan_s - read_s),
        READ: read_s,
        PARSE: parse_s,
        "windows": max(0.0, cut_s - parse_s),
        "tokens": tokens_s,
        "postings": max(0.0, file_s - tokens_s),
    }


def _each(items: Iterable[T], action: Callable[[T], object]) -> None:
    """Do it for each and keep nothing: a thousand trees at once would be another matter."""
    for item in items:
        action(item)


def _timed(action: Callable[[], T]) -> tuple[float, T]:
    gc.collect()
    began = time.perf_counter()
    result = action()
    return time.perf_counter() - began, result
