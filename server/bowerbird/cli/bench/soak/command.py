"""`bowerbird bench soak`: the command line, the table, the files."""

from __future__ import annotations

import asyncio
import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from bowerbird.cli.bench.soak.run import Sample, Soaked

MB = 1e6


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
    """Type, complete, hover and generate in rounds, and watch memory, open files and tasks of the server."""
    from rich.console import Console

    from bowerbird.cli.bench.soak.plot import draw
    from bowerbird.cli.bench.soak.run import soak
    from bowerbird.cli.bench.typing.workspace import gather
    from bowerbird.cli.model.option import model_file, model_setting
    from bowerbird.cli.place import existing_folder

    model_file(model)
    console = Console()
    options = {"completion": {"model": model_setting(model)}} if model else {}
    console.print("minute rounds  server MB  model MB  children  tasks  threads  files", highlight=False)
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
                lambda one: console.print(_row(one), highlight=False),
            )
        )
    _print(found)
    if json_file is not None:
        json_file.write_text(json.dumps({"bench": "soak", "seed": seed, **asdict(found)}, indent=1) + "\n")
    if plot is not None:
        plot.write_text(draw(found.samples))


def _row(one: Sample) -> str:
    return (
        f"{one.seconds / 60:6.1f} {one.rounds:6} {one.server_bytes / MB:10.1f} {one.model_bytes / MB:9.1f} "
        f"{one.children:9} {one.tasks:6} {one.threads:8} {one.files:6}"
    )


def _print(found: Soaked) -> None:
    server = found.slope(lambda one: one.server_bytes) / MB
    model = found.slope(lambda one: one.model_bytes) / MB
    files, tasks = found.slope(lambda one: one.files), found.slope(lambda one: one.tasks)
    print(
        f"{found.seconds / 60:.1f} minutes, {found.rounds} rounds: {found.asked} asked, "
        f"{found.answered} answered, {found.shown} with something, {found.refused} superseded."
    )
    print(
        f"An hour adds, when warm: server {server:+.1f} MB, model {model:+.1f} MB, "
        f"files {files:+.1f}, tasks {tasks:+.1f}."
    )
