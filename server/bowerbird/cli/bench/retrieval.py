"""`bowerbird bench retrieval`: our index beside RepoCoder's scan, `rank-bm25` and `bm25s`, in one run."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bowerbird.cli.errors import InputNotFound

if TYPE_CHECKING:
    from bowerbird.cli.bench.contest import Size


@dataclass(frozen=True, slots=True)
class Report:
    """What a run measured."""

    sources: str
    seed: int
    k: int
    sizes: tuple[Size, ...]
    missing: tuple[str, ...]
    """Packages of peers that were left out."""


def run(
    sources: Path | None = None,
    windows: Sequence[int] = (10_000, 100_000),
    queries: int = 200,
    seed: int = 0,
    tell: Callable[[str], None] = lambda _: None,
) -> Report:
    """Measure every peer that is installed on each number of windows, or on as many as `sources` gives.

    Without `sources` code is made up. `tell` hears what is being done. Raises `InputNotFound` where there
    is nothing to index.
    """
    from bowerbird.cli.bench.contest import K, measure
    from bowerbird.cli.bench.corpus import made_up_sources, real_sources, windows_of
    from bowerbird.cli.bench.peers import PEERS

    peers = [peer for peer in PEERS if not peer.package or find_spec(peer.package)]
    sizes = []
    for count in windows:
        stream = real_sources(sources) if sources else made_up_sources(seed)
        files = windows_of(stream, count)
        if not files:
            raise InputNotFound(f"There is no file of a known language below {sources}.")
        sizes.append(measure(files, peers, queries, random.Random(seed), tell))
    missing = tuple(peer.package for peer in PEERS if peer not in peers)
    return Report(str(sources or "made up"), seed, K, tuple(sizes), missing)


def retrieval_command(
    sources: Annotated[
        Path | None, typer.Option(help="Folder whose files are searched; without it code is made up.")
    ] = None,
    windows: Annotated[
        list[int] | None, typer.Option(min=1, help="How many windows; give it again for more sizes.")
    ] = None,
    queries: Annotated[int, typer.Option(min=1, help="Queries for each size.")] = 200,
    seed: Annotated[int, typer.Option(help="Which code is made up and which lines are asked for.")] = 0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures here.")] = None,
) -> None:
    """Time one query, one changed file and the building, beside RepoCoder's scan and two BM25 libraries."""
    from rich.console import Console

    from bowerbird.cli.place import existing_folder

    if sources is not None:
        sources = existing_folder(sources)
    with Console(stderr=True).status("") as status:
        report = run(sources, windows or (10_000, 100_000), queries, seed, status.update)
    _print(report)
    if json_file is not None:
        json_file.write_text(json.dumps(asdict(report), indent=1) + "\n")


def _print(report: Report) -> None:
    from bowerbird.cli.bench.peers import SetScan
    from bowerbird.cli.bench.printing import figures, output

    console = output()
    for size in report.sizes:
        counts = f"{size.windows:,} windows of {size.lines:,} lines in {size.files:,} files"
        query = ("queries", "median, ms", "95 %", "ratio")
        change = ("1,000 lines\nchanged, ms", "95 %")
        headings = ("", *query, "build, s", *change, "memory,\nB a line")
        table = figures(f"{counts} ({report.sources})", headings)
        ours = size.rows[0].median_ms
        for row in size.rows:
            table.add_row(
                row.name,
                f"{row.queries}",
                f"{row.median_ms:.2f}",
                f"{row.p95_ms:.2f}",
                f"{row.median_ms / ours:.1f}",
                f"{row.build_s:.2f}",
                f"{row.replace_ms:,.1f}",
                f"{row.replace_p95_ms:,.1f}",
                f"{row.memory_bytes / size.lines:.0f}",
            )
        console.print(table)
        rebuilt = ", ".join(row.name for row in size.rows if row.rebuilds)
        if rebuilt:
            console.print(f"Built anew for a change: {rebuilt}.")
        scanned = next(row.queries for row in size.rows if row.name == SetScan.name)
        console.print(f"Same windows, same order as the scan: {size.same_as_scan} of {scanned} queries.")
    for package in report.missing:
        console.print(f"Left out: {package} (pip install 'bowerbird[bench]').")
