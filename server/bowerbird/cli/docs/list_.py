"""`bowerbird docs list`: the packs that there are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from bowerbird.knowledge.packs.pack import Pack


def list_command(as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False) -> None:
    """The packs that are shipped, and the user's own."""
    from bowerbird.cli.docs.packs import load
    from bowerbird.knowledge.packs.store import find_packs

    shipped = {place.folder for place in find_packs() if place.shipped}
    told = [_as_json(pack, pack.folder in shipped) for pack in load()]
    if as_json:
        typer.echo(json.dumps(told, indent=1))
    else:
        _show(told)


def _as_json(pack: Pack, shipped: bool) -> dict[str, Any]:
    manifest = pack.manifest
    return {
        "name": manifest.name,
        "language": manifest.language,
        "title": manifest.title,
        "version": manifest.version,
        "licence": manifest.licence,
        "entities": len(pack.entities),
        "examples": len(pack.examples),
        "problems": pack.problems,
        "shipped": shipped,
        "folder": str(pack.folder),
    }


def _show(told: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for header in ("pack", "language", "title", "entities", "examples", "licence", "from"):
        table.add_column(header, justify="right" if header in ("entities", "examples") else "left")
    for one in told:
        table.add_row(
            Text(one["name"], style="bold"),
            Text(one["language"]),
            Text(f"{one['title']} {one['version']}".strip()),
            f"{one['entities']:,}",
            f"{one['examples']:,}",
            Text(one["licence"]),
            "Bowerbird" if one["shipped"] else Text(one["folder"], overflow="fold"),
        )
    Console().print(table)
