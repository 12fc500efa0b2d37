"""`bowerbird doctor`: what is there, what is missing, and the command that brings it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bowerbird.cli.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bowerbird.cli.finding import Finding

STYLES = {"ok": "green", "warning": "yellow", "missing": "bold red"}


def doctor_command(
    model: Annotated[
        str, typer.Option(help="A GGUF file or a server's URL; empty takes the one that completions use.")
    ] = "",
    embedding_model: Annotated[
        Path | None,
        typer.Option(help="A GGUF file for vectors, as completion.embeddingModel names it."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Look at all that completions need, load the model, and say what is missing.

    Exits with 1 where completions cannot work.
    """
    from bowerbird.cli.checks import CHECKS
    from bowerbird.cli.finding import State
    from bowerbird.cli.model.option import model_setting
    from bowerbird.cli.model_checks import check_embedding, check_model

    findings = [finding for check in CHECKS for finding in check()]
    findings += asyncio.run(check_model(model_setting(model)))
    findings += asyncio.run(check_embedding(embedding_model))
    works = all(finding.state is not State.MISSING for finding in findings)
    if as_json:
        typer.echo(json.dumps({"works": works, "findings": [asdict(one) for one in findings]}, indent=1))
    else:
        _show(findings, works)
    if not works:
        raise typer.Exit(ExitCode.NOTHING)


def _show(findings: Sequence[Finding], works: bool) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column()
    table.add_column()
    table.add_column(overflow="fold")  # a path cut short cannot be copied
    for finding in findings:
        told = Text(finding.detail)
        if finding.remedy:
            told.append(f"\n{finding.remedy}", style="bold")
        table.add_row(Text(finding.state.value, style=STYLES[finding.state]), finding.name, told)
    console.print(table)
    console.print("Completions work." if works else "Completions cannot work yet: see what is missing above.")
