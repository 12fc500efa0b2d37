"""The folder that documentation comes from. It may be anybody's: no link is followed, sizes are limited."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from bowerbird.knowledge.packs.problem import Problem
from bowerbird.knowledge.reading import decode

MAX_FILES = 50_000
MAX_FILE_BYTES = 5_000_000
SNIFFED_BYTES = 20_000
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "_build", "site", "target", "venv"})


@dataclass(frozen=True, eq=False)
class Upstream:
    """Documentation or sources on disk."""

    root: Path
    """A folder."""
    only: str = ""
    """The one file of it that counts, if the user named a file."""
    problems: list[Problem] = field(default_factory=list)
    """What could not be read; builders add to it."""
    left_out: re.Pattern[str] | None = None
    """Paths in which this is found do not count."""

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every file, relative to the root, with ``/``, in order."""
        if self.only:
            return (self.only,)
        found: list[str] = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if name[0] != "." and name not in SKIPPED_FOLDERS)
            for name in sorted(names):
                path = Path(folder, name)
                if name[0] == "." or path.is_symlink() or not path.is_file():
                    continue
                relative = path.relative_to(self.root).as_posix()
                if self.left_out is None or not self.left_out.search(relative):
                    found.append(relative)
                    if len(found) == MAX_FILES:
                        self.tell(found[-1], 0, f"Only the first {MAX_FILES:,} files were looked at.")
                        return tuple(found)
        return tuple(found)

    def having(self, *suffixes: str) -> list[str]:
        """The files whose names end so, in any case of letters."""
        return [path for path in self.paths if path.lower().endswith(suffixes)]

    def text(self, path: str) -> str | None:
        """What a file says, with ``\\n`` line ends; None, and a problem told, where that cannot be known."""
        if not self.holds(path):
            self.tell(path, 0, "It is not in the folder.")
            return None
        try:
            content = (self.root / path).read_bytes() if self._is_small(path) else None
        except OSError as error:
            self.tell(path, 0, f"It cannot be read: {error.strerror}.")
            return None
        text = None if content is None else decode(content)
        if text is None:
            self.tell(path, 0, "It is too large, or no text.")
        return text

    def sniffed(self, path: str) -> str:
        """The beginning of a file, or nothing; nobody is told."""
        try:
            with open(self.root / path, "rb") as file:
                return file.read(SNIFFED_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""

    def without(self, left_out: re.Pattern[str]) -> Upstream:
        """The same without some paths."""
        return replace(self, left_out=left_out)

    def holds(self, path: str) -> bool:
        """Is there such a file, and does it lie in the folder, whatever ``..`` and links say?"""
        if PurePosixPath(path).is_absolute() or "\0" in path:
            return False
        place = self.root / path
        return place.is_file() and place.resolve().is_relative_to(self.root.resolve())

    def tell(self, path: str, line: int, sentence: str) -> None:
        """Something of this file was skipped."""
        self.problems.append(Problem(path, line, sentence))

    def _is_small(self, path: str) -> bool:
        return (self.root / path).stat().st_size <= MAX_FILE_BYTES


def upstream_at(path: Path) -> Upstream:
    """A folder, or a single file."""
    return Upstream(path.parent, path.name) if path.is_file() else Upstream(path)
