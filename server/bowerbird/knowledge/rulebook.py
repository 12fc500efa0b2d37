"""Every directory's rules, read once: what names and ignore files say of any path in the workspace."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from bowerbird.knowledge.bare import bare
from bowerbird.knowledge.directory import Directory, Verdict, subdirectory, workspace_folder
from bowerbird.knowledge.exclusion import Exclusion
from bowerbird.knowledge.ignore import parse_patterns
from bowerbird.knowledge.names import file_exclusion

OUTSIDE = Directory("", Exclusion.OUTSIDE)
BY_PROGRAMS = frozenset({Exclusion.GENERATED, Exclusion.MINIFIED})
"""What a ``!`` of the user's own can let in, other than what is ignored."""


class RuleBook:
    """Keeps the rules until it is told to forget them. Any thread may ask; paths are absolute strings."""

    def __init__(self, folders: Sequence[Path], exclude: Sequence[str]) -> None:
        self._exclude = parse_patterns("\n".join(exclude).encode(errors="surrogateescape"))
        self.set_folders(folders)

    def set_folders(self, folders: Sequence[Path]) -> None:
        """The workspace's folders from now on."""
        self.folders = tuple(dict.fromkeys(bare(os.path.abspath(folder)) for folder in folders))
        self._innermost_first = sorted(self.folders, key=len, reverse=True)
        self._real_folders = [(bare(os.path.realpath(folder)), folder) for folder in self._innermost_first]
        self.forget()

    def forget(self) -> None:
        """Rules may have changed on disk."""
        # A new dictionary: a thread that is still reading old rules writes into the old one.
        self._directories: dict[str, Directory] = {}

    def folder_of(self, path: str) -> str | None:
        """The folder that `path` is or lies in; of nested ones the innermost."""
        return next((folder for folder in self._innermost_first if lies_in(path, folder)), None)

    def real_path(self, path: str) -> str | None:
        """Where a link leads, written as walking meets it; None where it leads out of all folders."""
        try:
            real = os.path.realpath(path, strict=True)
        except OSError:
            return None
        for real_folder, folder in self._real_folders:
            if lies_in(real, real_folder):
                return folder + real[len(real_folder) :]
        return None

    def file(self, path: str) -> Verdict:
        """What is said of the file at `path`; whether there is one is not asked."""
        directory, name = os.path.split(path)
        return self.file_in(self.directory(directory), name)

    def file_in(self, directory: Directory, name: str) -> Verdict:
        """The same, for a directory that is at hand."""
        if directory.exclusion is not None:
            return Verdict(directory.exclusion)
        by_name = file_exclusion(name, os.path.basename(directory.path))
        if by_name is not None and by_name not in BY_PROGRAMS:
            return Verdict(by_name)
        verdict = directory.entry(name, is_directory=False)
        exclusion = verdict.exclusion if verdict.admitted else verdict.exclusion or by_name
        return Verdict(exclusion, verdict.admitted, directory.linked)

    def directory(self, path: str) -> Directory:
        """The rules in the directory at `path`."""
        path = bare(path)
        directories = self._directories
        if (known := directories.get(path)) is None:
            known = directories[path] = self._read(path)
        return known

    def _read(self, path: str) -> Directory:
        if path in self.folders:
            return workspace_folder(path, self._exclude)
        if self.folder_of(path) is None:
            return OUTSIDE
        above, name = os.path.split(path)
        parent = self.directory(above)
        if parent.exclusion is not None:
            return Directory(path, parent.exclusion)
        linked = os.path.islink(path)
        if linked and (behind := self._behind(path)) is not None:
            return Directory(path, behind)
        return subdirectory(parent, name, linked)

    def _behind(self, link: str) -> Exclusion | None:
        """Why a linked directory is not read, by what it leads to."""
        real = self.real_path(link)
        return Exclusion.OUTSIDE if real is None else self.directory(real).exclusion


def lies_in(path: str, directory: str) -> bool:
    """Is `path` the directory, or below it?"""
    return path.startswith(directory) and path[len(directory) :][:1] in ("", os.sep)
