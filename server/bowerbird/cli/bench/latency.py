"""`bowerbird bench latency`: what the server adds to the model, and how it lets go of it."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from bowerbird.cli.bench.interrupts import Cancelled, Typing
    from bowerbird.cli.bench.making_way import MadeWay
    from bowerbird.cli.bench.roundtrip import RoundTrip

CANCELLATIONS = 20


def latency_command(
    workspace: Annotated[Path, typer.Option(help="Code to complete in.")] = Path(),
    requests: Annotated[int, typer.Option(min=2, help="Places to complete at.")] = 50,
    seed: Annotated[int, typer.Option(help="Which places.")] = 0,
    model: Annotated[str, typer.Option(help="A GGUF file; empty takes the built-in model.")] = "",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write every measurement here.")] = None,
) -> None:
    """Measure the language server: its own share of each request, cancelling, and fast typing."""
    from rich.console import Console

    from bowerbird.cli.model.option import model_file, model_setting
    from bowerbird.cli.place import existing_folder

    model_file(model)
    measured = asyncio.run(_measure(existing_folder(workspace), requests, seed, model_setting(model)))
    _print(Console(), *measured)
    if json_file is not None:
        trips, cancelled, made_way, typing = measured
        told = {
            "bench": "latency",
            "round_trips": [{**asdict(t), "added_ms": t.added_ms, "ratio": t.ratio} for t in trips],
            "cancelled": [asdict(one) for one in cancelled],
            "made_way": [asdict(one) for one in made_way],
            "typing": asdict(typing),
        }
        json_file.write_text(json.dumps(told, indent=1) + "\n")


async def _measure(
    folder: Path, requests: int, seed: int, model: str
) -> tuple[list[RoundTrip], list[Cancelled], list[MadeWay], Typing]:
    from bowerbird.cli.bench.interrupts import measure_cancellations, measure_typing
    from bowerbird.cli.bench.making_way import measure_making_way
    from bowerbird.cli.bench.roundtrip import measure_round_trips, prompts_of
    from bowerbird.cli.progress import bar
    from bowerbird.cli.try_ import find_spots

    spots = await asyncio.to_thread(find_spots, folder, requests + 1, seed)
    with bar("latency", len(spots) + 2 * CANCELLATIONS + 1) as advance:
        prompts = await prompts_of(folder, spots, model)
        trips = await measure_round_trips(folder, spots, prompts, model, advance)
        longest = sorted((one for asked in prompts for one in asked), key=lambda one: -len(one.tokens))
        cancelled = await measure_cancellations(longest[:CANCELLATIONS], model, advance)
        made_way = await measure_making_way(longest[:CANCELLATIONS], model, advance)
        typed = max(spots, key=lambda spot: len(spot.source.text))
        typing = await measure_typing(folder, typed, model, sys.executable)
        advance(1)
    return trips, cancelled, made_way, typing


def _print(
    console: Console,
    trips: Sequence[RoundTrip],
    cancelled: Sequence[Cancelled],
    made_way: Sequence[MadeWay],
    typing: Typing,
) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    title = f"{len(trips)} completions over LSP"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for column in ("", "median", "95 %", "longest"):
        table.add_column(column, justify="right" if column else "left")
    rows = {
        "request, ms": [trip.wall_ms for trip in trips],
        "  in llama.cpp": [trip.model_ms for trip in trips],
        "  added by the server": [trip.added_ms for trip in trips],
        "    retrieving and packing": [trip.search_ms for trip in trips],
        "same prompts, no server, ms": [trip.direct_ms for trip in trips],
        "with server / without": [trip.ratio for trip in trips],
    }
    for during in ("evaluating", "generating"):
        chosen = [one for one in cancelled if one.during == during]
        rows[f"cancelled {during}: free, ms"] = [one.freed_ms for one in chosen]
        rows[f"cancelled {during}: next token, ms"] = [one.served_ms for one in chosen]
    rows["first token alone, ms"] = [one.alone_ms for one in made_way]
    rows["first token beside a generation, ms"] = [one.beside_ms for one in made_way]
    for name, values in rows.items():
        if values:
            table.add_row(name, *(f"{value:.2f}" for value in _spread(values)))
    console.print(table)
    differ = sum(not trip.same_prompts for trip in trips)
    if differ:
        console.print(f"{differ} of the prompts differed between the two runs; their ratio tells less.")
    others = sum(not one.went_on for one in made_way)
    if others:
        console.print(f"{others} of {len(made_way)} generations went on to another text than without a stop.")
    console.print(
        f"{typing.keys} fast keys: {typing.decodes} decodes begun, {typing.most_at_once} at once at most, "
        f"{typing.left_behind} left behind; {typing.completed} requests completed, "
        f"{typing.superseded} superseded."
    )


def _spread(values: Sequence[float]) -> tuple[float, float, float]:
    """Median, 95th percentile, maximum."""
    import numpy as np

    median, high = np.quantile(values, [0.5, 0.95])
    return float(median), float(high), max(values)
