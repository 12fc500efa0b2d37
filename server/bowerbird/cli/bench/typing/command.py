"""`bowerbird bench typing`: the command line, the table, the file."""

from __future__ import annotations

import asyncio
import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bowerbird.cli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from bowerbird.cli.bench.typing.figures import Figures, Spread

FEWEST_LINES = 100


def typing_command(
    workspace: Annotated[
        Path | None,
        typer.Option(help="Code to complete from. Else 100,000 lines of the installed Python packages."),
    ] = None,
    editor: Annotated[str, typer.Option(help="Who types: vscode or neovim.")] = "vscode",
    traces: Annotated[int, typer.Option(min=1, help="So many of the recorded traces.")] = 1000,
    speed: Annotated[float, typer.Option(min=0.1, help="Type so many times as fast.")] = 1.0,
    rest_s: Annotated[float, typer.Option("--rest", min=0, help="Seconds to watch it rest.")] = 5.0,
    lines: Annotated[
        int, typer.Option(min=FEWEST_LINES, help="Lines of installed packages to gather.")
    ] = 100_000,
    model: Annotated[str, typer.Option(help="A GGUF file; empty takes the built-in model.")] = "",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write every figure here.")] = None,
) -> None:
    """Type recorded code in real time into the language server, and measure what is felt of its speed."""
    from bowerbird.cli.bench.printing import output
    from bowerbird.cli.bench.typing.editor import EDITORS
    from bowerbird.cli.bench.typing.workspace import gather
    from bowerbird.cli.model.option import model_file, model_setting
    from bowerbird.cli.place import existing_folder

    if editor not in EDITORS:
        raise UsageError(f"{editor!r} is none of {', '.join(EDITORS)}.")
    model_file(model)
    with tempfile.TemporaryDirectory(prefix="bowerbird-typing-") as temporary:
        folder = existing_folder(workspace) if workspace is not None else Path(temporary)
        if workspace is None:
            gather(folder, lines)
        found = asyncio.run(_measure(folder, editor, traces, model_setting(model), speed, rest_s))
    _print(output(), found)
    if json_file is not None:
        told = {"bench": "typing", "editor": editor, "speed": speed, **asdict(found)}
        json_file.write_text(json.dumps(told, indent=1) + "\n")


async def _measure(folder: Path, editor: str, count: int, model: str, speed: float, rest_s: float) -> Figures:
    from bowerbird.cli.bench.typing.editor import EDITORS
    from bowerbird.cli.bench.typing.figures import figures
    from bowerbird.cli.bench.typing.replay import replay
    from bowerbird.cli.bench.typing.traces import recorded
    from bowerbird.cli.progress import bar

    traces = list(recorded())[:count]
    with bar("typing", len(traces)) as advance:
        return figures(await replay(folder, traces, EDITORS[editor], model, speed, rest_s, advance))


def _print(console: Console, found: Figures) -> None:
    from bowerbird.cli.bench.printing import figures

    title = f"{found.keys} keys in {found.seconds:.0f} s, {found.requests} requests, {found.shown} shown"
    columns = ("answers, ms", "number", "median", "95 %", "99 %", "asked")
    table = figures(title, columns, words=("asked",))
    spreads = {
        "carried": (found.carried, "99 %: 20"),
        "joined": (found.joined, ""),
        "fresh": (found.fresh, "median 250, 95 %: 600"),
        "  later in its document": (found.fresh_later, ""),
    }
    for name, (spread, wanted) in spreads.items():
        table.add_row(name, *_cells(spread), wanted)
    console.print(table)
    for name, value, wanted in _rows(found):
        console.print(f"{name:<38}{value:>8}  {wanted}".rstrip(), highlight=False)
    if found.costs is not None:
        costs = ", ".join(f"{name[:-3]} {value:.0f}" for name, value in asdict(found.costs).items())
        console.print(f"Of a fresh answer, medians in ms: {costs}.", highlight=False)
    console.print(
        "carried: typed along, or foreseen; joined: of a decode that was on its way;\n"
        "fresh: decoded for this request; from the key, both debounces included."
    )


def _rows(found: Figures) -> Iterator[tuple[str, str, str]]:
    yield f"something on show in {found.pauses} pauses", _percent(found.coverage), "asked: 70 %"
    yield "keys saved", _percent(found.keys_saved), f"{found.accepted} accepted, {found.tested} undone"
    yield "of the prompt evaluated, median", _percent(found.evaluated_share), "asked: at most 10 %"
    yield "  of fresh answers", _percent(found.evaluated_share_fresh), ""
    flights = found.flights
    yield "decodes begun per completion shown", _number(found.flights_per_shown), "asked: near one"
    yield "  but the carried ones", _number(found.flights_per_written), ""
    yield "decodes for requests", str(flights["demanded"]), f"and {flights['foreseen']} ahead"
    yield "decodes at once", str(flights["most_at_once"]), f"at most; {flights['running']} left behind"
    yield "of one processor, resting", f"{found.resting_share:.2%}", "asked: under 0.5 %"
    yield "the model here reads, tokens/s", _number(found.tokens_read_per_s, 0), ""
    yield "the model here writes, tokens/s", _number(found.tokens_written_per_s, 0), ""


def _cells(spread: Spread | None) -> tuple[str, ...]:
    if spread is None:
        return ("0", "", "", "")
    values = (spread.median_ms, spread.high_ms, spread.highest_ms)
    return (str(spread.count), *(f"{value:.1f}" for value in values))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"
