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
    from bowerbird.cli.bench.sharing import Sharing

CANCELLATIONS = 20


def latency_command(
    workspace: Annotated[Path, typer.Option(help="Code to complete in.")] = Path(),
    requests: Annotated[int, typer.Option(min=2, help="Places to complete at.")] = 50,
    seed: Annotated[int, typer.Option(help="Which places.")] = 0,
    model: Annotated[str, typer.Option(help="A GGUF file; empty takes the built-in model.")] = "",
    clients: Annotated[
        int,
        typer.Option(min=1, help="More than 1: instead, what so many editors get of one model or of own."),
    ] = 1,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write every measurement here.")] = None,
) -> None:
    """Measure the language server: its own share of each request, cancelling, and fast typing."""
    from bowerbird.cli.bench.printing import output
    from bowerbird.cli.model.option import model_file, model_setting
    from bowerbird.cli.place import existing_folder

    model_file(model)
    if clients > 1:
        both = asyncio.run(_share(existing_folder(workspace), requests, seed, model_setting(model), clients))
        _print_sharing(output(), both)
        if json_file is not None:
            rows = [asdict(one) for one in both]
            json_file.write_text(json.dumps({"bench": "sharing", "rows": rows}, indent=1) + "\n")
        return
    measured = asyncio.run(_measure(existing_folder(workspace), requests, seed, model_setting(model)))
    _print(output(), *measured)
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


async def _share(folder: Path, requests: int, seed: int, model: str, clients: int) -> list[Sharing]:
    from bowerbird.cli.bench.roundtrip import prompts_of
    from bowerbird.cli.bench.sharing import measure_sharing
    from bowerbird.cli.progress import bar
    from bowerbird.cli.try_ import find_spots

    spots = await asyncio.to_thread(find_spots, folder, requests, seed)
    with bar("latency", 3 * len(spots)) as advance:
        asked = await prompts_of(folder, spots, model)
        advance(len(spots))
        prompts = [one[-1] for one in asked if one]
        return [await measure_sharing(prompts, model, clients, shared, advance) for shared in (False, True)]


def _print_sharing(console: Console, both: Sequence[Sharing]) -> None:
    from bowerbird.cli.bench.printing import figures

    title = f"{both[0].clients} editors, {len(both[0].alone_ms)} completions"
    table = figures(title, ("", "a model each", "one for all"))
    rows: list[tuple[str, list[str]]] = [
        ("processes beside the editors", [str(one.processes) for one in both]),
        ("their memory, MiB", [f"{one.memory_bytes / 2**20:.0f}" for one in both]),
        ("a completion while the others rest, ms", []),
        ("  median", [f"{_spread(one.alone_ms)[0]:.1f}" for one in both]),
        ("  95 %", [f"{_spread(one.alone_ms)[1]:.1f}" for one in both]),
        ("a completion while the others generate, ms", []),
        ("  median", [f"{_spread(one.beside_ms)[0]:.1f}" for one in both]),
        ("  95 %", [f"{_spread(one.beside_ms)[1]:.1f}" for one in both]),
        ("prompt tokens known from the key before", [f"{one.reused_share:.1%}" for one in both]),
    ]
    for name, values in rows:
        table.add_row(name, *values)
    console.print(table)
    console.print(
        "One for all: a process with the model, and one that gives each editor its turn. Memory that "
        "processes have in common counts once. Generating is writing long code from comments: the one model "
        "stops it for a completion and goes on afterwards, models of one's own work side by side on the same "
        "processors."
    )


def _print(
    console: Console,
    trips: Sequence[RoundTrip],
    cancelled: Sequence[Cancelled],
    made_way: Sequence[MadeWay],
    typing: Typing,
) -> None:
    from bowerbird.cli.bench.printing import figures

    table = figures(f"{len(trips)} completions over LSP", ("", "median", "95 %", "longest"))
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
