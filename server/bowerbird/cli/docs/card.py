"""An entity or an example for people and for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType

    from bowerbird.knowledge.packs.pack import Pack
    from bowerbird.knowledge.snippet import Example, GrammarEntity


def as_json(snippet: GrammarEntity | Example, pack: Pack) -> dict[str, Any]:
    """All that is known of it, and where it stands; lines count from 1."""
    told = asdict(snippet)
    span = told.pop("span")
    return {
        "name": snippet.name,
        **told,
        "file": str(pack.path(snippet)),
        "line": span["first"] + 1,
    }


def entity_view(entity: GrammarEntity) -> RenderableType:
    """Signature, description, parameters."""
    from rich.console import Group
    from rich.markdown import Markdown
    from rich.table import Table
    from rich.text import Text

    told = f"  {entity.kind}" + (f", {entity.module}" if entity.module else "")
    parts: list[RenderableType] = [Text.assemble((entity.symbol, "bold"), (told, "dim"))]
    parts += [Text(f"  {signature}", style="green") for signature in entity.signatures]
    if entity.value:
        parts.append(Text(f"  = {entity.value}", style="green"))
    if entity.description:
        parts.append(Markdown(entity.description))
    parameters = Table(box=None, padding=(0, 2, 0, 2), show_header=False)
    for one in entity.parameters:
        kind = f"{one.type}, optional" if one.type and one.optional else one.type or "optional" * one.optional
        parameters.add_row(Text(one.name, style="bold"), Text(kind, style="cyan"), Text(one.note))
    if entity.parameters:
        parts.append(parameters)
    for label, text in (
        ("gives", entity.result),
        ("since", entity.since),
        ("member of", entity.member_of),
        ("also", ", ".join(entity.aliases)),
        ("see", ", ".join(entity.related)),
    ):
        if text:
            parts.append(Text.assemble((f"  {label}: ", "dim"), text))
    return Group(*parts)


def example_view(example: Example) -> RenderableType:
    """Purpose, code and what it gives."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    parts: list[RenderableType] = [Text(example.purpose, style="bold")]
    if example.counter_example:
        parts.append(Text("This must fail:", style="red"))
    parts.append(Padding(Text(example.code), (0, 0, 0, 4)))
    if example.output:
        parts.append(Padding(Text(example.output, style="dim"), (0, 0, 0, 4)))
    return Group(*parts)
