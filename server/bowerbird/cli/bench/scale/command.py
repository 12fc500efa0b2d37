"""`bowerbird bench scale SOURCES...`: the index from 10 thousand to 4 million lines, beside its peers."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bowerbird.cli.bench.scale.growth import Step


def scale_command(
    sources: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders with real code.")],
    lines: Annotated[
        list[int] | None, typer.Option(min=100, help="Lines of a workspace; give it again for more sizes.")
    ] = None,
    queries: Annotated[int, typer.Option(min=1, help="Queries at each size.")] = 100,
    seed: Annotated[int, typer.Option(help="Which files are taken and which lines are asked for.")] = 0,
    peers_up_to: Annotated[int, typer.Option(help="Lines up to which the others are measured, too.")] = 10**9,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures here.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a drawing (SVG) here.")] = None,
) -> None:
    """Measure start, memory, queries and updates at each size, each in a process of its own.

    The files are copied into the system's folder for temporary files; the cache folder is one of the run's
    own. Files lie in the system's cache: the disk is not measured. Resident memory is that of the whole
    process, with Python itself.
    """
    from rich.console import Console

    from bowerbird.cli.bench.scale.growth import SIZES, grow
    from bowerbird.cli.bench.scale.plot import draw
    from bowerbird.cli.place import existing_folder

    folders = [existing_folder(folder) for folder in sources]
    with Console(stderr=True).status("") as status:
        steps = grow(folders, lines or SIZES, queries, seed, peers_up_to, status.update)
    _print(steps)
    if json_file is not None:
        told = {"bench": "scale", "seed": seed, "queries": queries, "steps": [asdict(step) for step in steps]}
        json_file.write_text(json.dumps(told, indent=1) + "\n")
    if plot is not None:
        plot.write_text(draw(steps))


def _print(steps: Sequence[Step]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    table = Table(title="Bowerbird", title_justify="left")
    for heading in (
        "lines",
        "first hits",
        "cold",
        "cpu",
        "warm",
        "cpu",
        "query",
        "p95",
        "update",
        "memory",
        "disk",
    ):
        table.add_column(heading, justify="right")
    for step in steps:
        table.add_row(*_row(step))
    console.print(table)
    console.print("Query and update from the warm start; memory: resident bytes a line, after all queries.")
    for step in steps:
        if step.peers:
            console.print(_peers(step))
        console.print(
            f"{step.lines:,} lines, {step.windows:,} windows: same windows, same order as the scan: "
            f"{step.same_as_scan} of {step.compared} queries; warm as cold: {step.same_warm}."
        )


def _row(step: Step) -> tuple[str, ...]:
    cold, warm = step.cold, step.warm
    return (
        f"{step.lines:,}",
        f"{cold['first_hit_s']:.2f} s",
        f"{cold['index_s']:.2f} s",
        f"{cold['index_cpu_s']:.2f} s",
        f"{warm['index_s']:.2f} s",
        f"{warm['index_cpu_s']:.2f} s",
        f"{warm['median_ms']:.2f} ms",
        f"{warm['p95_ms']:.2f} ms",
        f"{warm['update_ms']:.1f} ms",
        f"{max(cold['asked_rss_bytes'], warm['asked_rss_bytes']) / step.lines:.0f} B",
        f"{cold['disk_bytes'] / step.lines:.0f} B",
    )


def _peers(step: Step) -> Any:
    from rich.table import Table

    table = Table(title=f"Peers on {step.windows:,} windows", title_justify="left")
    for heading in ("", "queries", "median", "p95", "ratio", "build", "memory"):
        table.add_column(heading, justify="right" if heading else "left")
    for peer in step.peers:
        table.add_row(
            peer["name"],
            f"{peer['queries']}",
            f"{peer['median_ms']:.2f} ms",
            f"{peer['p95_ms']:.2f} ms",
            f"{peer['median_ms'] / step.warm['median_ms']:.1f}",
            f"{peer['build_s']:.2f} s",
            f"{peer['memory_bytes'] / step.lines:.0f} B/line",
        )
    return table
