"""`bowerbird docs build SOURCE DIR`: pages to look at, mend and keep in a repository."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bowerbird.cli.errors import UsageError


def build_command(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A folder, a file, or https://... (git).")],
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where the pack shall lie; it must not exist.")
    ],
    name: Annotated[
        str, typer.Option(help="What the pack shall be called; the folder's name unless given.")
    ] = "",
    builder: Annotated[str, typer.Option(help="How to read it; found out unless given.")] = "",
    language: Annotated[str, typer.Option(help="The language; found out unless given.")] = "",
    subfolder: Annotated[str, typer.Option(metavar="DIR", help="The folder in SOURCE that counts.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Make a pack's folder of documentation or sources, for people to read and mend."""
    from bowerbird.cli.docs.add import move
    from bowerbird.cli.docs.making import Wanted, built, show

    target = folder.absolute()
    if target.exists():
        raise UsageError(f"{folder} is there already.")
    wanted = Wanted(name or target.name.lower(), source, builder, language, subfolder)
    with built(wanted, target.parent) as (temporary, build):
        move(temporary, target)
    show(build, wanted.name, target, as_json)
