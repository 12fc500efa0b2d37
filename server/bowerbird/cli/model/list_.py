"""`bowerbird model list`: the models that are here, and those that can be had."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

NUMBERS = ("size", "memory", "time")
WHOLE = ("here", "to be had", *NUMBERS)
"""Columns that are never cut."""

if TYPE_CHECKING:
    from bowerbird.cli.model.machine import Machine


def list_command(as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False) -> None:
    """Your models, the built-in one, and a small table of others; with advice for this machine.

    Asks no network. Speeds are estimated from the last `bowerbird model bench`.
    """
    from bowerbird.cli.model.machine import look
    from bowerbird.inference.choice import Purpose, chosen, problem
    from bowerbird.inference.models import find_model, is_server

    machine = look()
    here, rows = _here(machine), _rows(machine)
    completes, generates = chosen(Purpose.COMPLETION), chosen(Purpose.GENERATION)
    used = completes if is_server(completes) else str(find_model("").path)
    if as_json:
        told = {"folder": _folder(), "completion": used, "generation": generates or used, "here": here}
        typer.echo(json.dumps({**told, "catalog": rows, "problem": problem()}, indent=1))
        return
    _show(here, rows, used, generates, machine)
    if problem():
        typer.echo(problem(), err=True)


def _folder() -> str:
    from bowerbird.inference.models import model_folder

    return str(model_folder())


def _here(machine: Machine) -> list[dict[str, Any]]:
    from bowerbird.inference.models import list_models

    told = []
    for model in list_models():
        size = model.path.stat().st_size
        told.append(
            {
                "name": model.path.name,
                "path": str(model.path),
                "origin": model.origin.value,
                "bytes": size,
                **machine.as_json(size),
            }
        )
    return told


def _rows(machine: Machine) -> list[dict[str, Any]]:
    from bowerbird.inference.catalog import catalog
    from bowerbird.inference.models import model_folder

    return [
        {
            **asdict(row),
            "here": (model_folder() / row.file).is_file(),
            **machine.as_json(row.bytes),
        }
        for row in catalog()
    ]


def _show(
    here: list[dict[str, Any]], rows: list[dict[str, Any]], used: str, generates: str, machine: Machine
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from bowerbird.cli.model.machine import gb, quickness

    console = Console()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for header in ("here", "size", "memory", "time", "from"):
        table.add_column(header, justify="right" if header in NUMBERS else "left", no_wrap=header in WHOLE)
    for one in here:
        mark = " (completes)" if one["path"] == used else ""
        mark += " (generates)" if generates and generates in (one["name"], one["path"]) else ""
        table.add_row(
            Text(one["name"], style="bold").append(mark, style="green"),
            gb(one["bytes"]),
            gb(one["memoryBytes"]),
            quickness(one["timeOverBudget"]),
            Text(one["origin"]),
        )
    console.print(table)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for header in ("to be had", "size", "memory", "room", "time", "good for", "licence"):
        table.add_column(header, justify="right" if header in NUMBERS else "left", no_wrap=header in WHOLE)
    for row in rows:
        if not row["here"]:
            table.add_row(
                Text(row["name"], style="bold"),
                gb(row["bytes"]),
                gb(row["memoryBytes"]),
                row["fit"],
                quickness(row["timeOverBudget"]),
                ", ".join(row["good_for"]),
                Text(row["licence"]),
            )
    console.print()
    console.print(table)
    available = f"{gb(machine.available_bytes)} of {gb(machine.total_bytes)} memory are free."
    speed = (
        "Time: a completion while typing on, as a multiple of what the editor gives it, estimated from "
        f"{machine.speed.model} as measured here; `bowerbird model bench NAME` measures the model itself."
        if machine.speed
        else "How long they would take, `bowerbird model bench` tells."
    )
    console.print(f"\n{available} {speed}")
    if used.startswith("http"):
        console.print(f"The server at {used} completes.")
    if generates.startswith("http"):
        console.print(f"The server at {generates} generates.")
    console.print("`bowerbird model pull NAME` fetches one, `bowerbird model use NAME` chooses it.")
