"""`bowerbird soup`: what generating has learned in a workspace, to look at and to forget."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer


def soup_command(
    workspace: Annotated[Path, typer.Argument(help="The folder that it was learned in.")] = Path(),
    clear: Annotated[bool, typer.Option("--clear", help="Forget it all.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show the programs that were written in a workspace and what checkers said of them.

    They help with later requests. Old ones, and those that led astray, end by themselves.
    """
    from bowerbird.cli.errors import NothingDone
    from bowerbird.cli.place import existing_folder
    from bowerbird.explanation.visible import visible
    from bowerbird.knowledge.secrets import holds_secret
    from bowerbird.knowledge.soup import Soup, soup_file

    soup = Soup(soup_file(existing_folder(workspace)), holds_secret)
    if clear:
        try:
            count = soup.clear()
        except OSError as error:
            raise NothingDone(f"{soup.path} cannot be removed: {error.strerror}.") from error
        typer.echo(f"{count} forgotten.")
        return
    if as_json:
        told = [{"name": entry.name, **asdict(entry)} for entry in soup.entries]
        typer.echo(json.dumps({"file": str(soup.path), "entries": told}, indent=1))
        return
    for entry in soup.entries:
        verdict = "passed" if entry.passed else f"failed: {entry.feedback}"
        use = f"helped {entry.successes}, failed {entry.failures}"
        typer.echo(
            visible(f"{entry.name} {entry.language}: {entry.requirement}\n  {entry.by}: {verdict} ({use})")
        )
    count = len(soup.entries)
    typer.echo(f"{count} in {soup.path}" if count else f"There is nothing yet in {soup.path}")
