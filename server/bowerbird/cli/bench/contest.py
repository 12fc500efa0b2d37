"""Peers on the same windows, asked the same queries in turns."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import eq

import numpy as np

from bowerbird.cli.bench.corpus import PAPER, long_sources
from bowerbird.cli.bench.peers import Bowerbird, Peer, Place, SetScan
from bowerbird.knowledge.snippet import Window
from bowerbird.knowledge.window import slide_windows

K = PAPER.max_snippets
PATIENCE_S = 10.0  # a peer that has taken this long over its queries sits the rest out
TURN = 10  # queries; enough that what a peer finds in the processor's caches is mostly its own
REPLACED_LINES = 1000
REPLACEMENTS = 50


@dataclass(frozen=True, slots=True)
class Row:
    """One peer on one size."""

    name: str
    queries: int
    """How many it answered: slow ones are let off early."""
    median_ms: float
    p95_ms: float
    build_s: float
    """From windows to an index that answers; each finds the tokens itself."""
    replace_ms: float
    """Median over files of 1,000 lines; for those that cannot replace a file, the time to build anew."""
    replace_p95_ms: float
    rebuilds: bool
    """Whether a changed file means to build anew."""
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Size:
    """All peers on one number of windows."""

    files: int
    lines: int
    windows: int
    rows: tuple[Row, ...]
    same_as_scan: int
    """Queries that our index answered with just the windows of the scan, in its order."""


def measure(
    files: list[list[Window]],
    kinds: Sequence[type[Peer]],
    queries: int,
    rng: random.Random,
    tell: Callable[[str], None],
) -> Size:
    """Let each kind of peer index the windows of `files` (one list a file) and answer the same queries.

    A query is `window_lines` consecutive lines from anywhere. Peers take turns every few queries, so that
    all meet the same noise of the machine.
    """
    count = sum(map(len, files))
    peers = [kind() for kind in kinds]
    build_s = {}
    for peer in peers:
        tell(f"{count:,} windows: {peer.name} builds")
        began = time.perf_counter()
        peer.build(files)
        build_s[peer.name] = time.perf_counter() - began
    tell(f"{count:,} windows: {queries} queries")
    times, same = _ask(peers, list(_queries(files, queries, rng)), min(K, count))
    rows = tuple(_row(peer, files, times[peer.name], build_s[peer.name]) for peer in peers)
    return Size(len(files), sum(file[0].source.line_count for file in files), count, rows, same)


def _row(peer: Peer, files: list[list[Window]], asked: Sequence[float], build_s: float) -> Row:
    memory_bytes = peer.memory_bytes  # before files change
    replaced = _replace(peer, files) if isinstance(peer, Bowerbird) else [build_s]
    median_ms, p95_ms = _median_and_p95_ms(asked)
    replace_ms, replace_p95_ms = _median_and_p95_ms(replaced)
    return Row(
        name=peer.name,
        queries=len(asked),
        median_ms=median_ms,
        p95_ms=p95_ms,
        build_s=build_s,
        replace_ms=replace_ms,
        replace_p95_ms=replace_p95_ms,
        rebuilds=not isinstance(peer, Bowerbird),
        memory_bytes=memory_bytes,
    )


def _queries(files: list[list[Window]], count: int, rng: random.Random) -> Iterator[str]:
    """Lines as a cursor would have them before it; longer files are asked about more often."""
    weights = [file[0].source.line_count for file in files]
    for file in rng.choices(files, weights, k=count):
        lines = file[0].source.lines
        cursor = rng.randrange(len(lines)) + 1
        yield "\n".join(lines[max(0, cursor - PAPER.window_lines) : cursor])


def _ask(peers: Sequence[Peer], texts: Sequence[str], k: int) -> tuple[dict[str, list[float]], int]:
    """Seconds of each query by peer, and how many answers of ours and of the scan were the same."""
    times: dict[str, list[float]] = {peer.name: [] for peer in peers}
    same = 0
    for peer in peers:
        peer.nearest(texts[0], k)  # the first is slower for all
    gc.collect()
    gc.freeze()  # the collector shall not walk millions of our peers' objects meanwhile
    for start in range(0, len(texts), TURN):
        answers: dict[str, list[list[Place]]] = {}
        for at in range(len(peers)):
            peer = peers[(at + start // TURN) % len(peers)]
            answers[peer.name] = []
            for text in texts[start : start + TURN]:
                if sum(times[peer.name]) > PATIENCE_S:
                    break
                began = time.perf_counter()
                answers[peer.name].append(peer.nearest(text, k))
                times[peer.name].append(time.perf_counter() - began)
        same += sum(map(eq, answers[Bowerbird.name], answers[SetScan.name]))
    gc.unfreeze()
    return times, same


def _replace(peer: Bowerbird, files: list[list[Window]]) -> list[float]:
    """Seconds to replace files by others of 1,000 lines each, tokens included."""
    seconds = []
    for source in long_sources(files, REPLACED_LINES, REPLACEMENTS):
        windows = slide_windows(source, PAPER.window_lines, PAPER.slide_lines, snap=False)
        began = time.perf_counter()
        peer.index.replace(source.path, windows)
        seconds.append(time.perf_counter() - began)
    return seconds


def _median_and_p95_ms(seconds: Sequence[float]) -> tuple[float, float]:
    median, p95 = np.percentile(seconds, (50, 95)) * 1000
    return float(median), float(p95)
