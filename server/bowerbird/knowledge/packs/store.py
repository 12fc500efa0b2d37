"""Where packs lie, and how they are loaded: those that are shipped, and the user's own.

A pack of the user's stands before a shipped one of the same name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import platformdirs

from bowerbird.knowledge.packs.built import cache_file, key_of, read_built, write_built
from bowerbird.knowledge.packs.folder import Files, read_contents, read_files
from bowerbird.knowledge.packs.manifest import FILE_NAME
from bowerbird.knowledge.packs.pack import Pack, build_pack
from bowerbird.knowledge.packs.problem import Problem
from bowerbird.knowledge.secrets import file_holds_secret


@dataclass(frozen=True, slots=True)
class Place:
    """A folder that holds a pack, or should."""

    name: str
    """Of the folder."""
    folder: Path
    shipped: bool


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came of loading packs."""

    packs: tuple[Pack, ...]
    failures: dict[str, tuple[Problem, ...]]
    """Folders of packs that cannot be read at all, and why."""


def shipped_folder() -> Path:
    """The packs that are part of the package."""
    return Path(str(resources.files("bowerbird") / "knowledge" / "packs"))


def own_folder() -> Path:
    """The user's own packs. It need not exist."""
    return Path(platformdirs.user_data_dir("bowerbird", appauthor=False)) / "packs"


def cache_folder() -> Path:
    """Built forms. It need not exist, and may be removed at any time."""
    return Path(platformdirs.user_cache_dir("bowerbird", appauthor=False)) / "packs"


def find_packs(own: Path | None = None, shipped: Path | None = None) -> list[Place]:
    """All packs by name. Never raises."""
    found: dict[str, Place] = {}
    for parent, is_shipped in ((shipped or shipped_folder(), True), (own or own_folder(), False)):
        for name in _subfolders(parent):
            if (parent / name / FILE_NAME).is_file():
                found[name] = Place(name, parent / name, is_shipped)
    return [found[name] for name in sorted(found)]


def load_packs(places: Sequence[Place] | None = None, cache: Path | None = None) -> Loaded:
    """Load packs; all of them unless told which. A pack that is beyond reading is told and left out."""
    packs: list[Pack] = []
    failures: dict[str, tuple[Problem, ...]] = {}
    for place in find_packs() if places is None else places:
        pack = load_pack(place.folder, cache)
        if isinstance(pack, Pack):
            packs.append(pack)
        else:
            failures[str(place.folder)] = pack
    return Loaded(tuple(packs), failures)


def load_pack(folder: Path, cache: Path | None = None) -> Pack | tuple[Problem, ...]:
    """The pack in a folder, from the cache if its files are as they were; else what is wrong with it.

    Never raises.
    """
    files = read_files(folder)
    key, path = key_of(files), cache_file(cache or cache_folder(), folder)
    pack = read_built(path, key, folder)
    if pack is not None:
        return pack
    contents = read_contents(files)
    if contents.manifest is None:
        return contents.problems
    pack = build_pack(contents, contents.manifest, folder)
    if folder.parent == shipped_folder() or not _holds_secret(files):
        write_built(path, key, pack)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)
    return pack


def _holds_secret(files: Files) -> bool:
    """Such a pack is built anew each time; its secrets stay in the one place where the user has them."""
    return any(file_holds_secret(page.decode("utf-8", "replace")) for page in files.pages.values())


def _subfolders(parent: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(parent) if entry.is_dir() and entry.name[0] != ".")
    except OSError:
        return []
