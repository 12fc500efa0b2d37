"""`bowerbird bench soak`: the command line, the table, the files."""

from __future__ import annotations

import asyncio
import json
import tempfile
from dataclasses import asdict
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bowerbird.cli.bench.soak.trend import FLAT_SHARE, LEAST_MINUTES, Trend, Verdict
from bowerbird.cli.errors import NothingDone

if TYPE_CHECKING:
    from bowerbird.cli.bench.soak.run import Sample, Soaked

MB = 1e6
MEMORY = (("server", "server_bytes"), ("model", "model_bytes"))
"""Whose memory is judged: what no file stands behind."""

ALL_MEMORY = (*MEMORY, ("server with files", "server_resident_bytes"))
COUNTS = ("files", "tasks", "threads")
HEAD = "minute rounds  server MB  resident  model MB  resident  children  tasks  threads  files"


def soak_command(
    minutes: Annotated[float, typer.Option(min=0.05, help="How long to work.")] = 60.0,
    workspace: Annotated[
        Path | None, typer.Option(help="Python code to work in. Else some installed packages, copied.")
    ] = None,
    lines: Annotated[int, typer.Option(min=100, help="Lines of packages to copy.")] = 20_000,
    sample_s: Annotated[float, typer.Option("--every", min=1, help="Seconds between two samples.")] = 30.0,
    seed: Annotated[int, typer.Option(help="Which files and lines are worked on.")] = 0,
    model: Annotated[str, typer.Option(help="A GGUF file; empty takes the built-in model.")] = "",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write every sample here.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a drawing (SVG) here.")] = None,
) -> None:
    """Type, complete, hover and generate in rounds, and watch memory, open files and tasks of the server.

    Memory is what no file stands behind; `resident` has mapped files too. It is flat if an hour adds less
    than 5 % of what is held when warm, by the slope and two standard errors and by the medians of the second
    and the last quarter. Exit code 1: it is not flat.
    """
    from rich.console import Console

    from bowerbird.cli.bench.soak.plot import draw
    from bowerbird.cli.bench.soak.run import soak
    from bowerbird.cli.bench.typing.workspace import gather
    from bowerbird.cli.model.option import model_file, model_setting
    from bowerbird.cli.place import existing_folder

    model_file(model)
    console = Console()
    options = {"completion": {"model": model_setting(model)}} if model else {}
    console.print(HEAD, highlight=False, soft_wrap=True)
    with tempfile.TemporaryDirectory(prefix="bowerbird-soak-") as temporary:
        folder = existing_folder(workspace) if workspace is not None else Path(temporary)
        if workspace is None:
            gather(folder, lines)
        found = asyncio.run(
            soak(
                folder,
                options,
                minutes,
                sample_s,
                seed,
                lambda one: console.print(_row(one), highlight=False, soft_wrap=True),
            )
        )
    _print(found)
    told = {name: trend for name, field in MEMORY if (trend := found.trend(attrgetter(field))).held}
    verdicts = {name: trend.verdict(found.seconds) for name, trend in told.items()}
    if json_file is not None:
        trends = {
            name: {**asdict(trend), "most_share": trend.most_share, "verdict": verdicts[name].value}
            for name, trend in told.items()
        }
        data = {"bench": "soak", "seed": seed, "limit_share": FLAT_SHARE, "trends": trends, **asdict(found)}
        json_file.write_text(json.dumps(data, indent=1) + "\n")
    if plot is not None:
        plot.write_text(draw(found.samples))
    for name, trend in told.items():
        print(_sentence(name, trend, verdicts[name]))
    if Verdict.GROWS in verdicts.values():
        raise NothingDone("Memory is not flat.")


def _row(one: Sample) -> str:
    return (
        f"{one.seconds / 60:6.1f} {one.rounds:6} {one.server_bytes / MB:10.1f} "
        f"{one.server_resident_bytes / MB:9.1f} {one.model_bytes / MB:9.1f} "
        f"{one.model_resident_bytes / MB:9.1f} {one.children:9} {one.tasks:6} {one.threads:8} {one.files:6}"
    )


def _print(found: Soaked) -> None:
    print(
        f"{found.seconds / 60:.1f} minutes, {found.rounds} rounds: {found.asked} asked, "
        f"{found.answered} answered, {found.shown} with something, {found.refused} superseded."
    )
    memory = {name: found.trend(attrgetter(field)) for name, field in ALL_MEMORY}
    slopes = (f"{name} {one.slope / MB:+.1f} ± {one.error / MB:.1f} MB" for name, one in memory.items())
    counts = (f"{name} {found.trend(attrgetter(name)).slope:+.1f}" for name in COUNTS)
    print(f"An hour adds, when warm: {', '.join((*slopes, *counts))}.")
    medians = (f"{name} {one.early / MB:.1f} and {one.late / MB:.1f} MB" for name, one in memory.items())
    print(f"Medians of the second and of the last quarter: {', '.join(medians)}.")


def _sentence(name: str, trend: Trend, verdict: Verdict) -> str:
    most = f"{trend.most / MB:+.1f} MB an hour at most ({trend.most_share:+.1%} of {trend.held / MB:.1f} MB)"
    if verdict is Verdict.TOO_SHORT:
        return (
            f"The {name}: {most}; a run of {LEAST_MINUTES:g} minutes at least can tell whether that is flat."
        )
    is_flat = "is flat" if verdict is Verdict.FLAT else "is not flat"
    return f"The {name}'s memory {is_flat}: {most}; the limit is {FLAT_SHARE:.0%}."
