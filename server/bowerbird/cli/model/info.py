"""`bowerbird model info`: all about one model."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bowerbird.cli.errors import InputNotFound

if TYPE_CHECKING:
    from bowerbird.cli.model.naming import Meant


def info_command(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Empty takes the one that completes.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """What a model is, what it needs, and how it wants its prompts. Loads it, where it is here."""
    from bowerbird.cli.model.machine import look
    from bowerbird.cli.model.naming import Meant, meant
    from bowerbird.inference.models import find_model

    model = meant(name) if name else Meant("", find_model("").path, None)
    there = model.path.is_file()
    if not there and model.row is None:
        raise InputNotFound(
            f"There is no model {model.path}, and the table of `bowerbird model list` has none."
        )
    told: dict[str, Any] = {"name": model.row.name if model.row else model.path.stem, "here": there}
    if model.row is not None:
        told |= {key: value for key, value in asdict(model.row).items() if key != "name"}
    if there:
        told |= asyncio.run(_loaded(model))
    told |= look().as_json(told["bytes"])
    if as_json:
        typer.echo(json.dumps(told, indent=1))
    else:
        _show(told)


async def _loaded(model: Meant) -> dict[str, Any]:
    from bowerbird.inference.engine import choose_engine
    from bowerbird.settings import InferenceSettings

    engine = choose_engine(str(model.path), InferenceSettings())
    try:
        loaded = await engine.load()
    finally:
        await engine.close()
    return {
        "path": str(model.path),
        "bytes": model.path.stat().st_size,
        "modelName": loaded.name,
        "description": loaded.description,
        "context_tokens": loaded.trained_tokens or loaded.context_tokens,
        "usedContextTokens": loaded.context_tokens,
        "vocabularyTokens": loaded.vocabulary_tokens,
        "promptForm": loaded.template.family.name,
        "fills": loaded.template.fills,
        "notes": list(loaded.notes),
    }


def _show(told: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from bowerbird.cli.model.machine import gb, quickness

    fills = {True: "yes", False: "no: it continues what stands before the cursor"}
    rows = {
        "title": told.get("title"),
        "file": told.get("path") or f"{told.get('repo')}/{told.get('file')} (not here)",
        "model": told.get("description"),
        "size": gb(told["bytes"]),
        "memory": f"about {gb(told['memoryBytes'])}: {told['fit']}",
        "time": f"{quickness(told['timeOverBudget'])} what the editor gives a completion, estimated"
        if told["timeOverBudget"]
        else None,
        "context": f"{told['context_tokens']:,} tokens",
        "prompt form": told.get("promptForm"),
        "fills the middle": fills[told["fills"]] if told["here"] else None,
        "good for": ", ".join(told["good_for"]) if "good_for" in told else None,
        "licence": told.get("licence"),
        "note": told.get("note"),
    }
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, value in rows.items():
        if value:
            table.add_row(name, Text(str(value)))
    for note in told.get("notes", ()):
        table.add_row("mind", Text(note))
    Console().print(Text(told["name"], style="bold"), table, sep="\n")
