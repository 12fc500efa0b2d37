"""The same measurements at each size, each in a fresh process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from operator import eq
from pathlib import Path
from typing import Any

from bowerbird.cli.bench.peers import PEERS, Bowerbird, SetScan
from bowerbird.cli.bench.scale.workspace import lay_out
from bowerbird.cli.errors import InputNotFound

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000, 4_000_000)


@dataclass(frozen=True, slots=True)
class Step:
    """One size."""

    lines: int
    files: int
    windows: int
    cold: dict[str, Any]
    """As `child.Start`, without answers: the first start on the folder."""
    warm: dict[str, Any]
    """The same for the second."""
    peers: tuple[dict[str, Any], ...]
    """As `child.PeerRow`, without answers."""
    same_as_scan: int
    """Queries that our index answered with just the windows of the set scan, in its order."""
    compared: int
    """Queries that the scan answered."""
    same_warm: bool
    """Did the warm index answer all as the cold one?"""


def grow(
    sources: Sequence[Path],
    sizes: Sequence[int],
    queries: int,
    seed: int,
    peers_up_to: int,
    tell: Callable[[str], None],
) -> list[Step]:
    """Measure each of the `sizes` (lines), peers up to a size. Raises `InputNotFound` without sources."""
    steps: list[Step] = []
    with tempfile.TemporaryDirectory(prefix="bowerbird-scale-") as scratch:
        folder, laid = Path(scratch, "workspace"), 0
        folder.mkdir()
        for size in sorted(sizes):
            tell(f"{size:,} lines: laying out files")
            before, laid = laid, lay_out(sources, folder, size, laid, seed)
            if not laid:
                raise InputNotFound("There is no file of a known language below these folders.")
            if laid == before:
                tell(f"There are no more files than for {steps[-1].lines:,} lines.")
                break
            steps.append(_step(folder, Path(scratch, f"cache{size}"), size, queries, seed, peers_up_to, tell))
    return steps


def _step(
    folder: Path,
    cache: Path,
    size: int,
    queries: int,
    seed: int,
    peers_up_to: int,
    tell: Callable[[str], None],
) -> Step:
    asked = {"folder": str(folder), "queries": queries, "seed": seed}
    tell(f"{size:,} lines: cold start")
    cold = _child({**asked, "what": Bowerbird.name, "update": False}, cache)
    tell(f"{size:,} lines: warm start")
    warm = _child({**asked, "what": Bowerbird.name, "update": True}, cache)
    peers = []
    for peer in PEERS:
        if peer is not Bowerbird and size <= peers_up_to and (not peer.package or find_spec(peer.package)):
            tell(f"{size:,} lines: {peer.name}")
            peers.append(_child({**asked, "what": peer.name}, cache))
    answers, again = cold.pop("answers"), warm.pop("answers")
    scanned: list[Any] = next((one["answers"] for one in peers if one["name"] == SetScan.name), [])
    for one in peers:
        del one["answers"]
    return Step(
        lines=cold["lines"],
        files=cold["files"],
        windows=cold["windows"],
        cold=cold,
        warm=warm,
        peers=tuple(peers),
        same_as_scan=sum(map(eq, scanned, answers)),
        compared=len(scanned),
        same_warm=answers == again,
    )


def _child(asked: dict[str, Any], cache: Path) -> dict[str, Any]:
    """What a process of its own measures, which has `cache` for the user's cache folder."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    told = json.dumps({**asked, "began": time.time()})
    program = [sys.executable, "-P", "-m", "bowerbird.cli.bench.scale.child", told]
    done = subprocess.run(program, env=environment, stdout=subprocess.PIPE, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
