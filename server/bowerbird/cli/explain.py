"""`bowerbird explain`: why the last completions were as they were, or why nothing came."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from bowerbird.cli.errors import InputNotFound, NothingDone


def explain_command(
    last: Annotated[int, typer.Option(min=1, help="How many completions, the newest last.")] = 1,
    full: Annotated[bool, typer.Option("--full", help="Whole queries, prompts and predictions.")] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page for a browser, which stands alone.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the traces as JSON.")] = False,
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove all that was kept, and show nothing.")
    ] = False,
) -> None:
    """Explain the last completions of the editors on this machine, those that run included.

    Servers keep their last traces in a file that only you can read, with their secrets masked. The setting
    records.traces turns that off.
    """
    from bowerbird import journal
    from bowerbird.cli.history import last_traces

    folder = journal.state_folder()
    if clear:
        typer.echo(f"Files removed: {journal.clear(folder / journal.TRACES)}.")
        return
    traces = last_traces(folder, last)
    if html is not None:
        from bowerbird.explanation.page import page

        try:
            html.write_text(page(traces), encoding="utf-8")
        except OSError as error:
            raise InputNotFound(f"{html} cannot be written: {error.strerror}.") from None
    if as_json:
        typer.echo(json.dumps([trace.as_json() for trace in traces], indent=1))
    elif html is None:
        from rich.console import Console

        from bowerbird.cli.trace_view import trace_view

        for trace in reversed(traces):
            Console().print(trace_view(trace.as_json(), full))
    if not traces:
        raise NothingDone(
            f"No completion is kept in {folder / journal.TRACES}: no editor has asked for any, "
            "or the setting records.traces is off."
        )
