"""`bowerbird docs add NAME SOURCE`: documentation of the user's own."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import Annotated

import typer

from bowerbird.cli.errors import InputNotFound, UsageError


def add_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the pack shall be called.")],
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A folder, a file, or https://... (git).")],
    builder: Annotated[str, typer.Option(help="How to read it; found out unless given.")] = "",
    language: Annotated[str, typer.Option(help="The language; found out unless given.")] = "",
    subfolder: Annotated[str, typer.Option(metavar="DIR", help="The folder in SOURCE that counts.")] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Replace your pack of that name.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Make a pack of documentation or sources, and keep it among your own."""
    from bowerbird.cli.docs.making import Wanted, built, show
    from bowerbird.knowledge.packs.store import own_folder

    own = own_folder()
    target = own / name
    if target.exists() and not replace:
        raise UsageError(f"You have a pack {name!r} already; --replace replaces it.")
    with built(Wanted(name, source, builder, language, subfolder), own) as (temporary, build):
        move(temporary, target)
    show(build, name, target, as_json)


def move(temporary: Path, target: Path) -> None:
    """Put a finished folder where it shall lie, in the place of what was there."""
    old = temporary.with_name(f"{temporary.name}-old")
    try:
        if target.exists():
            os.replace(target, old)
        os.replace(temporary, target)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.replace(old, target)
        raise InputNotFound(f"{target} cannot be written: {error.strerror}.") from error
    finally:
        shutil.rmtree(old, ignore_errors=True)
