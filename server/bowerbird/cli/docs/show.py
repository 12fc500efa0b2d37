"""`bowerbird docs show NAME`: what the packs say of a name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bowerbird.cli.errors import NothingDone

if TYPE_CHECKING:
    from bowerbird.knowledge.packs.pack import Pack
    from bowerbird.knowledge.snippet import Example, GrammarEntity

EXAMPLES_SHOWN = 3


def show_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as Table.AddColumn, or AddColumn.")],
    pack: Annotated[str, typer.Option(help="Look in this pack only.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show what is documented under a name, with examples that use it.

    Exits with 1 where nothing is.
    """
    from bowerbird.cli.docs.card import as_json as json_of
    from bowerbird.cli.docs.packs import load

    packs = load(pack)
    found = [(one, entity, _examples(one, entity)) for one in packs for entity in one.find(name)]
    if as_json:
        told: list[dict[str, Any]] = [
            {**json_of(entity, one), "examples": [json_of(example, one) for example in examples]}
            for one, entity, examples in found
        ]
        typer.echo(json.dumps(told, indent=1))
    if not found:
        raise NothingDone(f"No pack documents {name!r}; `bowerbird docs search` looks for words.")
    if not as_json:
        _show(found)


def _examples(pack: Pack, entity: GrammarEntity) -> list[Example]:
    """Those that stand below it, then those that use it."""
    number = next(at for at, one in enumerate(pack.entities) if one is entity)
    below = [example for example in pack.examples if example.entity == entity.symbol]
    using = [pack.examples[at] for at in pack.using[number]]
    return (below + [example for example in using if example.entity != entity.symbol])[:EXAMPLES_SHOWN]


def _show(found: list[tuple[Pack, GrammarEntity, list[Example]]]) -> None:
    from rich.console import Console
    from rich.text import Text

    from bowerbird.cli.docs.card import entity_view, example_view

    console = Console()
    for pack, entity, examples in found:
        console.print(entity_view(entity))
        for example in examples:
            console.print(example_view(example))
        console.print(Text(f"{pack.path(entity)}:{entity.span.first + 1}", style="dim", overflow="fold"))
        console.print()
