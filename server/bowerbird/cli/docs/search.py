"""`bowerbird docs search WORDS`: entities and examples by what is said of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from bowerbird.cli.errors import NothingDone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bowerbird.lookup.search import Found


def search_command(
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="What you look for, in your words.")],
    pack: Annotated[str, typer.Option(help="Look in this pack only.")] = "",
    language: Annotated[str, typer.Option(help="Look in packs of this language only.")] = "",
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="How many to show.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Search the packs by words.

    Exits with 1 where nothing is found.
    """
    from bowerbird.cli.docs.card import as_json as json_of
    from bowerbird.cli.docs.packs import load
    from bowerbird.lookup.search import search

    query = " ".join(words)
    found = search(query, load(pack, language), count)
    if as_json:
        told = [{"score": round(one.score, 3), **json_of(one.snippet, one.pack)} for one in found]
        typer.echo(json.dumps(told, indent=1))
    if not found:
        raise NothingDone(f"No pack says anything of {query!r}.")
    if not as_json:
        _show(found)


def _show(found: Sequence[Found]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from bowerbird.knowledge.snippet import Example

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for header in ("score", "pack", "kind", "name", "what it says"):
        table.add_column(header, justify="right" if header == "score" else "left")
    for one in found:
        snippet = one.snippet
        if isinstance(snippet, Example):
            kind, name, told = "example", snippet.entity, snippet.purpose
        else:
            kind, name, told = str(snippet.kind), snippet.symbol, snippet.description.split("\n")[0]
        table.add_row(f"{one.score:.2f}", Text(one.pack.name), kind, Text(name, style="bold"), Text(told))
    Console().print(table)
