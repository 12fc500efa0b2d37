"""Workspaces of a wanted size, laid out from real files; a larger one holds all that a smaller one has."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from bowerbird.cli.bench.corpus import LARGEST_BYTES
from bowerbird.syntax.languages import language_of

OLD_S = 1_000_000_000.0
"""When the files were written, in seconds since 1970: not just now, as files in a real workspace."""
FILES_A_FOLDER = 100


def lay_out(sources: Sequence[Path], folder: Path, lines: int, laid: int, seed: int) -> int:
    """Add files to `folder`, of which `laid` are there, until they have `lines` lines or no more are found.

    Folders of the sources are taken in random order, so that what lies together stays together. Gives how
    many files are there now.
    """
    count, total = 0, 0
    for path in _files(sources, seed):
        if total >= lines:
            break
        total += path.read_bytes().count(b"\n")
        count += 1
        if count <= laid:
            continue
        target = folder / _name(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        os.utime(target, (OLD_S, OLD_S))
    return count


def _files(sources: Sequence[Path], seed: int) -> Iterator[Path]:
    folders = []
    for source in sources:
        for root, names, files in os.walk(source):
            names.sort()
            folders.append((root, sorted(files)))
    random.Random(seed).shuffle(folders)
    for root, files in folders:
        for name in files:
            path = Path(root, name)
            with suppress(OSError):
                if language_of(path) is not None and not path.is_symlink() and _is_wanted(path):
                    yield path


def _is_wanted(path: Path) -> bool:
    return path.is_file() and 0 < path.stat().st_size <= LARGEST_BYTES


def _name(path: Path) -> Path:
    """Where a file goes: by its own path, with names that no ignore rule means."""
    *folders, name = path.parts[1:]
    return Path(*(f"{folder.strip('.')}_" for folder in folders), name)
