"""``FILE:LINE:COL`` and the workspace that a file belongs to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from bowerbird.cli.errors import InputNotFound, UsageError
from bowerbird.knowledge.reading import decode
from bowerbird.text import Position, clamp

# The file's name is greedy, so that it may hold colons: C:\shop\cart.py:3:7.
PLACE = re.compile(r"(?P<file>.+):(?P<line>-?\d+):(?P<column>-?\d+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Place:
    """A cursor in a file, as the command line named it."""

    path: Path
    """Absolute."""
    text: str
    """The whole file, with ``\\n`` line ends."""
    position: Position
    """Clamped into the text."""
    note: str
    """Empty, or a sentence that says how the position had to be moved."""


def read_place(argument: str) -> Place:
    """Find the file and the place; raises `UsageError` and `InputNotFound`."""
    match = PLACE.fullmatch(argument)
    if match is None:
        raise UsageError(f"{argument!r} names no place: write FILE:LINE:COL, such as shop/cart.py:12:9.")
    path = Path(match["file"])
    text = read_text(path)
    line, column = int(match["line"]), int(match["column"])
    position = clamp(text, Position(line - 1, column - 1))
    note = ""
    if (position.line + 1, position.column + 1) != (line, column):
        note = f"{line}:{column} lies outside {path}; took {position.line + 1}:{position.column + 1}."
    return Place(path.resolve(), text, position, note)


def read_text(path: Path) -> str:
    """A text file, whatever its bytes; raises `InputNotFound` where there is none."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputNotFound(f"There is no file {path}.") from None
    except OSError as error:
        raise InputNotFound(f"{path} cannot be read: {error.strerror}.") from error
    text = decode(content)
    if text is None:
        raise InputNotFound(f"{path} is a binary file; there is no code to complete in it.")
    return text


def workspace_of(path: Path) -> Path:
    """The nearest folder above `path` that is a git checkout, else the file's own folder."""
    return next((folder for folder in path.parents if (folder / ".git").exists()), path.parent)


def existing_folder(folder: Path) -> Path:
    """`folder`, absolute; raises `InputNotFound` where there is none."""
    if not folder.is_dir():
        raise InputNotFound(f"There is no folder {folder}.")
    return folder.resolve()
