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
    from bowerbird.cli.bench.printing import figures, output

    console = output()
    start = figures("Start, seconds", ("lines", "first hits", "cold", "cpu", "warm", "cpu"))
    use = figures("Use", ("lines", "query, ms", "95 %", "update, ms", "memory, B a line", "disk, B a line"))
    for step in steps:
        start.add_row(*_start(step))
        use.add_row(*_use(step))
    console.print(start)
    console.print(use)
    console.print("Query and update from the warm start; memory: resident bytes a line, after all queries.")
    for step in steps:
        if step.peers:
            console.print(_peers(step))
        console.print(
            f"{step.lines:,} lines, {step.windows:,} windows: same windows, same order as the scan: "
            f"{step.same_as_scan} of {step.compared} queries; warm as cold: {step.same_warm}."
        )


def _start(step: Step) -> tuple[str, ...]:
    cold, warm = step.cold, step.warm
    seconds = (
        cold["first_hit_s"],
        cold["index_s"],
        cold["index_cpu_s"],
        warm["index_s"],
        warm["index_cpu_s"],
    )
    return (f"{step.lines:,}", *(f"{one:.2f}" for one in seconds))


def _use(step: Step) -> tuple[str, ...]:
    cold, warm = step.cold, step.warm
    return (
        f"{step.lines:,}",
        f"{warm['median_ms']:.2f}",
        f"{warm['p95_ms']:.2f}",
        f"{warm['update_ms']:.1f}",
        f"{max(cold['asked_rss_bytes'], warm['asked_rss_bytes']) / step.lines:.0f}",
        f"{cold['disk_bytes'] / step.lines:.0f}",
    )


def _peers(step: Step) -> Any:
    from bowerbird.cli.bench.printing import figures

    title = f"Peers on {step.windows:,} windows"
    table = figures(title, ("", "queries", "median, ms", "95 %", "ratio", "build, s", "memory, B a line"))
    for peer in step.peers:
        table.add_row(
            peer["name"],
            f"{peer['queries']}",
            f"{peer['median_ms']:.2f}",
            f"{peer['p95_ms']:.2f}",
            f"{peer['median_ms'] / step.warm['median_ms']:.1f}",
            f"{peer['build_s']:.2f}",
            f"{peer['memory_bytes'] / step.lines:.0f}",
        )
    return table
