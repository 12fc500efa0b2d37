"""`bowerbird docs remove NAME`: one of the user's own packs goes."""

from __future__ import annotations

import shutil
from typing import Annotated

import typer

from bowerbird.cli.errors import InputNotFound, UsageError


def remove_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="One of your own packs.")],
) -> None:
    """Remove a pack of your own, with its built form. What Bowerbird ships stays."""
    from bowerbird.knowledge.packs.built import cache_file
    from bowerbird.knowledge.packs.manifest import NAME
    from bowerbird.knowledge.packs.store import cache_folder, find_packs, own_folder

    folder = own_folder() / name
    if not NAME.fullmatch(name) or not folder.is_dir():
        if any(place.name == name for place in find_packs()):
            raise UsageError(f"The pack {name!r} is a part of Bowerbird.")
        raise InputNotFound(f"You have no pack {name!r}.")
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise InputNotFound(f"{folder} cannot be removed: {error.strerror}.") from error
    cache_file(cache_folder(), folder).unlink(missing_ok=True)
    typer.echo(f"{name} is removed.")
