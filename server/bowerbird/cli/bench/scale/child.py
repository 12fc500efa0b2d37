"""One measurement in a process of its own: run as a program by `bench scale`, which reads its JSON."""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil  # type: ignore[import-untyped]

from bowerbird.assembly import Assembly, assemble
from bowerbird.cli.bench.contest import PATIENCE_S, K
from bowerbird.cli.bench.corpus import PAPER
from bowerbird.cli.bench.peers import PEERS, Bowerbird, SetScan
from bowerbird.knowledge.snippet import Source, Window
from bowerbird.knowledge.window import slide_windows
from bowerbird.retrieval.retriever import Query
from bowerbird.settings import IndexSettings, Settings

POLL_S = 0.005
ROUNDS = 3
UPDATES = 30
UPDATED_LINES = 1000
ROOMY = {"max_files": 10_000_000, "max_memory_bytes": 1 << 40}
Answers = list[list[tuple[str, int]]]


@dataclass(frozen=True, slots=True)
class Start:
    """A server's index from its start on."""

    files: int
    lines: int
    windows: int
    first_hit_s: float
    """From the start of the process until a query had an answer of another file, the index still growing."""
    index_s: float
    """For the whole index, from the first look at the folder until all is there and kept on disk."""
    index_cpu_s: float
    """Of processor for it: on a busy machine the better measure."""
    rss_bytes: int
    """Of the whole process, when it was ready."""
    asked_rss_bytes: int
    """The same after all queries, which touched what lies in mapped files."""
    disk_bytes: int
    segments: int
    median_ms: float
    """Of one query, each asked in several rounds, of which the best counts."""
    p95_ms: float
    update_ms: float
    """Median of a changed file of 1,000 lines: read, judged, cut, indexed."""
    update_p95_ms: float
    answers: Answers
    """Path and first line of what each query found."""


@dataclass(frozen=True, slots=True)
class PeerRow:
    """Somebody else on the same windows."""

    name: str
    queries: int
    build_s: float
    median_ms: float
    p95_ms: float
    memory_bytes: int
    """By its own count, without texts."""
    answers: Answers


def measure_start(folder: Path, queries: int, seed: int, began: float, update: bool) -> Start:
    """Start as the server does, with one document open; then ask, and change files."""
    assembly = assemble(Settings(index=IndexSettings(**ROOMY)), [folder])  # type: ignore[arg-type]
    first_hit_s, index_s, index_cpu_s = _first_hit(assembly, _some_file(folder, seed), began)
    rss = psutil.Process().memory_info().rss
    sources = assembly.repository.sources()
    texts = choose_queries(sources, queries, seed)
    retriever = assembly.retriever
    answers = [_places(assembly, text) for text in texts]
    asked_rss = psutil.Process().memory_info().rss
    best = _best_of(lambda text: retriever.retrieve(Query(text), K), texts)
    updates = _update(assembly, sources) if update else [0.0]
    counts, kept = assembly.repository.counts, assembly.repository.archive
    assert kept is not None
    return Start(
        files=counts.files,
        lines=counts.lines,
        windows=len(retriever.index),
        first_hit_s=first_hit_s,
        index_s=index_s,
        index_cpu_s=index_cpu_s,
        rss_bytes=rss,
        asked_rss_bytes=asked_rss,
        disk_bytes=counts.disk_bytes,
        segments=kept.figures.segments,
        median_ms=float(np.percentile(best, 50)) * 1000,
        p95_ms=float(np.percentile(best, 95)) * 1000,
        update_ms=float(np.percentile(updates, 50)) * 1000,
        update_p95_ms=float(np.percentile(updates, 95)) * 1000,
        answers=answers,
    )


def measure_peer(name: str, folder: Path, queries: int, seed: int) -> PeerRow:
    """Build a peer's index over the same windows, and ask it the same."""
    assembly = assemble(Settings(index=IndexSettings(store=False, **ROOMY)), [folder])  # type: ignore[arg-type]
    assembly.repository.scan()
    sources = assembly.repository.sources()
    texts = choose_queries(sources, queries, seed)
    cut = (slide_windows(one, PAPER.window_lines, PAPER.slide_lines, snap=False) for one in sources)
    files = [windows for windows in cut if windows]
    peer = next(kind for kind in PEERS if kind.name == name)()
    began = time.perf_counter()
    peer.build(files)
    build_s = time.perf_counter() - began
    k = min(K, sum(map(len, files)))
    peer.nearest(texts[0], k)
    seconds = _best_of(lambda text: peer.nearest(text, k), texts)
    answers = [peer.nearest(text, k) for text in texts[: len(seconds)]] if peer.name == SetScan.name else []
    median, p95 = np.percentile(seconds, (50, 95)) * 1000
    return PeerRow(name, len(seconds), build_s, float(median), float(p95), peer.memory_bytes, answers)


def choose_queries(sources: Sequence[Source], count: int, seed: int) -> list[str]:
    """Lines as a cursor would have them before it; longer files are asked about more often."""
    chance = random.Random(seed)
    texts = []
    for source in chance.choices(sources, [source.line_count for source in sources], k=count):
        cursor = chance.randrange(source.line_count) + 1
        texts.append(source.body.cut(max(0, cursor - PAPER.window_lines), cursor))
    return texts


def _first_hit(assembly: Assembly, document: Path, began: float) -> tuple[float, float, float]:
    """Scan in a thread, as the server does, and ask until there is an answer; returns when all is read."""
    text = document.read_text(encoding="utf-8", errors="replace")
    assembly.repository.open_document(document, text, None)
    lines = text.split("\n")
    query = Query("\n".join(lines[: PAPER.window_lines]), document)
    hit_s, indexing, working = 0.0, time.perf_counter(), time.process_time()
    scan = threading.Thread(target=assembly.repository.scan)
    scan.start()
    while scan.is_alive():
        if not hit_s and any(window.path != document for window in _windows(assembly, query)):
            hit_s = time.time() - began
        time.sleep(POLL_S)
    scan.join()
    index_s, index_cpu_s = time.perf_counter() - indexing, time.process_time() - working
    assembly.repository.close_document(document)
    assembly.repository.save()
    return hit_s or time.time() - began, index_s, index_cpu_s


def _windows(assembly: Assembly, query: Query) -> list[Window]:
    hits = assembly.retriever.retrieve(query, K)
    return [hit.snippet for hit in hits if isinstance(hit.snippet, Window)]


def _places(assembly: Assembly, text: str) -> list[tuple[str, int]]:
    return [(window.path.as_posix(), window.span.first) for window in _windows(assembly, Query(text))]


def _best_of(action: Callable[[str], object], texts: Sequence[str]) -> list[float]:
    """Seconds for each text, the best of up to `ROUNDS` rounds; fewer texts where patience ends."""
    best: list[float] = []
    spent = 0.0
    for round_ in range(ROUNDS):
        for at, text in enumerate(texts):
            if spent > PATIENCE_S or (round_ and at >= len(best)):
                break
            began = time.perf_counter()
            action(text)
            seconds = time.perf_counter() - began
            spent += seconds
            if round_ == 0:
                best.append(seconds)
            else:
                best[at] = min(best[at], seconds)
    return best


def _update(assembly: Assembly, sources: Sequence[Source]) -> list[float]:
    """Seconds from a file's change being told to its windows being findable."""
    long = [source for source in sources if source.line_count >= UPDATED_LINES] or list(sources)
    seconds = []
    for number in range(UPDATES):
        source = long[number % len(long)]
        lines = source.lines[:UPDATED_LINES]
        path, before, stamps = source.path, source.path.read_bytes(), source.path.stat()
        path.write_text("\n".join([*lines, f"changed = {number}", ""]), encoding="utf-8", errors="replace")
        began = time.perf_counter()
        assembly.repository.refresh([path])
        seconds.append(time.perf_counter() - began)
        path.write_bytes(before)
        os.utime(path, ns=(stamps.st_atime_ns, stamps.st_mtime_ns))
        assembly.repository.refresh([path])
    return seconds


def _some_file(folder: Path, seed: int) -> Path:
    """A file to be open in the editor, found without walking over all."""
    chance = random.Random(seed)
    while True:
        with os.scandir(folder) as entries:
            inside = sorted(entries, key=lambda entry: entry.name)
        files = [entry for entry in inside if entry.is_file()]
        if files:
            return Path(chance.choice(files).path)
        folder = Path(chance.choice(inside).path)


def main(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Do what `command.py` asks for."""
    folder, queries, seed = Path(asked["folder"]), asked["queries"], asked["seed"]
    if asked["what"] == Bowerbird.name:
        return asdict(measure_start(folder, queries, seed, asked["began"], asked["update"]))
    return asdict(measure_peer(asked["what"], folder, queries, seed))


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
