"""The packs that a command works on, and what is told of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from bowerbird.cli.errors import InputNotFound

if TYPE_CHECKING:
    from bowerbird.knowledge.packs.pack import Pack


def load(name: str = "", language: str = "") -> list[Pack]:
    """All packs, the one of this name, or those of this language.

    Raises `InputNotFound` where there are none. A pack that cannot be read is told, and the others serve.
    """
    from bowerbird.knowledge.packs.store import find_packs, load_packs

    places = [place for place in find_packs() if not name or place.name == name]
    loaded = load_packs(places)
    for folder, problems in loaded.failures.items():
        typer.echo(f"bowerbird: {folder} is left out: {problems[0].sentence}", err=True)
    packs = [pack for pack in loaded.packs if not language or pack.manifest.language == language]
    if not packs:
        told = f"of the name {name!r}" if name else f"for {language!r}" if language else "here"
        raise InputNotFound(f"There is no pack {told}; `bowerbird docs list` shows those that there are.")
    return packs
