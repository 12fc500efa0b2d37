"""`bowerbird model remove`: a model of the user's own goes."""

from __future__ import annotations

from typing import Annotated

import typer

from bowerbird.cli.errors import InputNotFound, UsageError


def remove_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A model in your model folder.")],
) -> None:
    """Delete a model of your model folder, and what broken-off downloads of it have left.

    No file outside that folder is ever deleted; of a link there only the link goes.
    """
    from bowerbird.cli.model.naming import meant
    from bowerbird.inference.choice import Purpose, choose, chosen
    from bowerbird.inference.hub import remove_parts
    from bowerbird.inference.models import model_folder

    model = meant(name)
    if not model.is_own:
        raise UsageError(f"{model.path} does not lie in your model folder, so it stays: {model_folder()}")
    try:
        parts = remove_parts(model_folder(), model.path.name)
        there = model.path.is_file() or model.path.is_symlink()
        if there:
            model.path.unlink()
        for purpose in Purpose if there else ():
            if chosen(purpose) in (model.path.name, model.path.stem, str(model.path)):
                choose(purpose, "")
                typer.echo(f"It was chosen for {purpose.value}; that choice is forgotten.")
    except OSError as error:
        raise InputNotFound(f"{model.path} cannot be removed: {error.strerror or error}.") from error
    if not there and not parts:
        raise InputNotFound(f"You have no model {name}.")
    typer.echo(
        f"{model.path} is removed." if there else f"{parts} broken-off downloads of {name} are removed."
    )
