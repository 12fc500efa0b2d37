"""`bowerbird model use`: choose the model that completes, or the one that generates."""

from __future__ import annotations

from typing import Annotated

import typer

from bowerbird.cli.errors import InputNotFound, UsageError
from bowerbird.inference.choice import Purpose

WHAT = "A model of yours, a GGUF file, `built-in`, or the URL of a server (several, parted by spaces)."


def use_command(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help=WHAT)] = "",
    for_: Annotated[Purpose, typer.Option("--for", help="What it is for.")] = Purpose.COMPLETION,
    forget: Annotated[bool, typer.Option("--forget", help="Take the choice back.")] = False,
) -> None:
    """Choose the model that is used where the editor's settings name none.

    The choice is kept in your configuration folder. A running server takes it when it is started anew.
    """
    from bowerbird.inference.choice import choice_file, choose

    if forget == bool(name):
        raise UsageError("Name a model, or say --forget.")
    try:
        choose(for_, "" if forget else _checked(name))
    except OSError as error:
        raise InputNotFound(f"{choice_file()} cannot be written: {error.strerror or error}.") from error
    told = f"{name} is chosen for {for_.value}." if name else f"The choice for {for_.value} is forgotten."
    typer.echo(f"{told} The editor's server takes it when it starts anew.")


def _checked(name: str) -> str:
    """`name` as a setting; raises `InferenceError` where no model can be there."""
    from bowerbird.cli.model.naming import meant
    from bowerbird.inference.loading import check_file
    from bowerbird.inference.models import is_server
    from bowerbird.inference.remote_address import parse_addresses

    if is_server(name):
        parse_addresses(name)
        return name
    model = meant(name)
    if model.row is not None and not model.path.is_file():
        raise InputNotFound(f"{model.row.name} is not here yet: bowerbird model pull {model.row.name}")
    check_file(model.path)
    return model.setting
