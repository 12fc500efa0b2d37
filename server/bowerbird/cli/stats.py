"""`bowerbird stats`: how many completions were shown, taken and kept, on this machine."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bowerbird.cli.errors import NothingDone, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

UNITS_S = {"h": 3_600, "d": 86_400, "w": 604_800}
PARTS = {"by_language": "language", "by_source": "context", "by_origin": "origin"}
"""What each part of the summary is called on screen."""
REASONS_SHOWN = 12


def stats_command(
    since: Annotated[
        str, typer.Option(metavar="AGE", help="Only what happened since: 12h, 7d, 4w, or all.")
    ] = "all",
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove all that was counted, and show nothing.")
    ] = False,
) -> None:
    """Say what completions were worth: how many were taken, and how much of them stayed.

    The figures hold no code and never leave this machine. The setting records.figures turns them off.
    """
    from bowerbird import journal
    from bowerbird.cli.history import events
    from bowerbird.meter import summarize

    folder = journal.state_folder()
    if clear:
        typer.echo(f"Files removed: {journal.clear(folder / journal.FIGURES)}.")
        return
    age_s = parse_age(since)
    summary = summarize(events(folder), 0.0 if age_s is None else time.time() - age_s)
    if as_json:
        typer.echo(json.dumps(summary.as_json(), indent=1))
    elif summary.last:
        from rich.console import Console

        show(Console(), summary.as_json())
    if not summary.last:
        raise NothingDone(
            f"Nothing is counted in {folder / journal.FIGURES} for that time: no editor has asked for "
            "completions, or the setting records.figures is off."
        )


def parse_age(text: str) -> float | None:
    """Seconds; None for ``all``. Raises `UsageError`."""
    if text == "all":
        return None
    found = re.fullmatch(r"([0-9]{1,6})([hdw])", text)
    if found is None:
        raise UsageError(
            f"--since takes a number of hours, days or weeks, such as 12h, 7d or 4w; not {text!r}."
        )
    return float(found[1]) * UNITS_S[found[2]]


def show(console: Console, told: Mapping[str, Any]) -> None:
    """`told` as `Summary.as_json` gives it."""
    from rich.table import Table
    from rich.text import Text

    from bowerbird.explanation.page import clock_time
    from bowerbird.explanation.visible import visible

    total = told["total"]
    console.print(Text(f"from {clock_time(told['first'])} to {clock_time(told['last'])}", style="dim"))
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("", no_wrap=True)
    for header in COLUMNS:
        table.add_column(header, justify="right", no_wrap=True)
    table.add_row("all", *_cells(total), style="bold")
    for part, title in PARTS.items():
        table.add_row(Text(f"by {title}", style="dim"))
        for name, tally in told[part].items():
            table.add_row(Text(f" {visible(name)}"), *_cells(tally))
    console.print(table)
    console.print("w/l/w: whole, by line, by word. stays: after 30 s, 2 min, and when saved.", style="dim")
    console.print(_tokens(total))
    if told["nothing"]:
        reasons = [f"{visible(reason)} {count:,}" for reason, count in told["nothing"].items()]
        console.print(Text("no suggestion: " + ", ".join(reasons[:REASONS_SHOWN])))


COLUMNS = ("shown", "taken", "", "w/l/w", "stays", "", "", "keys saved", "ms p50/90/99")


def _cells(tally: Mapping[str, Any]) -> list[str]:
    """One row of the table, as `COLUMNS` says."""
    times = [f"{ms:,.0f}" for ms in tally["latency_ms"].values() if ms is not None]
    return [
        f"{tally['shown']:,}",
        f"{tally['accepted']:,}",
        _percent(tally["accepted_share"]),
        "/".join(str(tally[how]) for how in ("whole", "line", "word")) if tally["accepted"] else "",
        *(_percent(tally["survived_share"].get(after)) for after in ("30s", "2m", "save")),
        f"{tally['keys_saved']:,}",
        "/".join(times),
    ]


def _tokens(total: Mapping[str, Any]) -> str:
    reused, evaluated = total["tokens_reused"], total["tokens_evaluated"]
    share = _percent(reused / (reused + evaluated)) if reused + evaluated else "none"
    return (
        f"prompt tokens: {reused:,} reused, {evaluated:,} evaluated ({share} saved); "
        f"{total['tokens_generated']:,} tokens written"
    )


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f}%"
