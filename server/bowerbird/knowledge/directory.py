"""The rules that hold in one directory of the workspace, and what they say of its entries.

The strongest first: the setting `index.exclude`, the nearest ``.bowerbirdignore``, what is known to be
dependencies and caches, the nearest ``.gitignore``, the repository's ``info/exclude``, the user's own
ignore file. The first of them that speaks of an entry decides, as among git's own files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bowerbird.knowledge.bare import is_top, whole
from bowerbird.knowledge.exclusion import Exclusion
from bowerbird.knowledge.gitfolder import GIT_FOLDER, read_git_folder
from bowerbird.knowledge.ignore import Rules, parse_patterns
from bowerbird.knowledge.names import DEPENDENCY_FOLDERS, DEPENDENCY_MARKS, folder_exclusion
from bowerbird.knowledge.reading import Content, read_content
from bowerbird.knowledge.wildmatch import Pattern

GIT_IGNORE = ".gitignore"
OWN_IGNORE = ".bowerbirdignore"

RULE_ENTRIES = frozenset({GIT_IGNORE, OWN_IGNORE, GIT_FOLDER, *(mark for _, mark in DEPENDENCY_MARKS)})
"""Where an entry of such a name appears, changes or goes, its directory's rules are to be read anew."""

MAX_RULE_BYTES = 1_000_000

_DEPENDENCIES = parse_patterns("\n".join(DEPENDENCY_FOLDERS.split()).encode())


@dataclass(frozen=True, slots=True)
class Verdict:
    """What names and rules say of a file, before it is opened."""

    exclusion: Exclusion | None = None
    admitted: bool = False
    """A ``!`` of the user's own lets it in, even if a program seems to have written it."""
    linked: bool = False
    """It is reached through a linked directory, so walking meets it elsewhere."""


@dataclass(frozen=True, slots=True)
class Directory:
    """One directory and the rules that hold for its entries."""

    path: str
    """Absolute, without a separator at its end (the file system's root is empty)."""
    exclusion: Exclusion | None = None
    """Why nothing below it is read; then it has no rules."""
    linked: bool = False
    own: tuple[Rules, ...] = ()
    """The user's: the setting, then each ``.bowerbirdignore``, the nearest first."""
    known: tuple[Rules, ...] = ()
    """Dependencies and caches."""
    git: tuple[Rules, ...] = ()
    """Each ``.gitignore`` of the repository, the nearest first."""
    last: tuple[Rules, ...] = ()
    """What the repository excludes beside them, and the user everywhere."""
    ignores_case: bool = False

    def entry(self, name: str, is_directory: bool) -> Verdict:
        """What the rules say of an entry."""
        path = f"{self.path}{os.sep}{name}"
        for rules in self.own:
            if (out := rules.verdict(path, name, is_directory)) is not None:
                return Verdict(rules.reason if out else None, admitted=not out)
        for layer in (self.known, self.git, self.last):
            for rules in layer:
                if (out := rules.verdict(path, name, is_directory)) is not None:
                    return Verdict(rules.reason if out else None)
        return Verdict()


def workspace_folder(folder: str, exclude: Sequence[Pattern]) -> Directory:
    """A folder that the user opened, as it stands in its repository, which may begin further up.

    That an ignore file further up names the folder itself does not count: the user did open it.
    """
    directory = Directory(
        folder,
        own=(Rules(folder, exclude, Exclusion.IGNORED),),
        known=(Rules(folder, _DEPENDENCIES, Exclusion.DEPENDENCIES, ignores_case=True),),
    )
    way_up = _way_to_repository(folder)
    if way_up:
        directory = _at_top(directory, way_up[-1])
    for above in reversed(way_up[1:]):
        directory = _with_git_ignore(directory, above)
    return _with_ignore_files(directory)


def subdirectory(parent: Directory, name: str, linked: bool) -> Directory:
    """A directory in `parent`, or a link to one."""
    path = f"{parent.path}{os.sep}{name}"
    verdict = parent.entry(name, is_directory=not linked)
    exclusion = folder_exclusion(name, os.path.basename(parent.path)) or verdict.exclusion
    if exclusion is None and not verdict.admitted and _is_dependency(path, name):
        exclusion = Exclusion.DEPENDENCIES
    if exclusion is not None:
        return Directory(path, exclusion)
    directory = replace(parent, path=path, linked=linked or parent.linked)
    if _has(path, GIT_FOLDER):  # a repository of its own, in which the outer one has no say
        directory = _at_top(directory, path)
    return _with_ignore_files(directory)


def _at_top(directory: Directory, top: str) -> Directory:
    """The repository that begins at `top` rules from here on."""
    git = read_git_folder(Path(whole(top)))
    last = tuple(
        Rules(top, parse_patterns(found.content, git.ignores_case), Exclusion.IGNORED, git.ignores_case)
        for path in git.exclude_files
        if isinstance(found := read_content(str(path), MAX_RULE_BYTES), Content)
    )
    return replace(directory, git=(), last=last, ignores_case=git.ignores_case)


def _with_ignore_files(directory: Directory) -> Directory:
    """Add the ignore files that lie in the directory; closed where one is there and cannot be read."""
    directory = _with_git_ignore(directory, directory.path)
    if directory.exclusion is not None or not _has(directory.path, OWN_IGNORE):
        return directory
    found = read_content(f"{directory.path}{os.sep}{OWN_IGNORE}", MAX_RULE_BYTES)
    if isinstance(found, Exclusion):
        return Directory(directory.path, Exclusion.UNREADABLE)
    setting, *nearest = directory.own
    return replace(directory, own=(setting, *_rules(directory, directory.path, found), *nearest))


def _with_git_ignore(directory: Directory, path: str) -> Directory:
    """Add the ``.gitignore`` of the directory at `path`, this one or one above. git follows no link there."""
    if not _has(path, GIT_IGNORE):
        return directory
    found = read_content(f"{path}{os.sep}{GIT_IGNORE}", MAX_RULE_BYTES)
    if isinstance(found, Exclusion):
        return directory if found is Exclusion.LINK else Directory(directory.path, Exclusion.UNREADABLE)
    return replace(directory, git=(*_rules(directory, path, found), *directory.git))


def _rules(directory: Directory, base: str, found: Content | None) -> tuple[Rules, ...]:
    patterns = parse_patterns(found.content, directory.ignores_case) if found else []
    return (Rules(base, patterns, Exclusion.IGNORED, directory.ignores_case),) if patterns else ()


def _way_to_repository(folder: str) -> list[str]:
    """The directories from `folder` up to the one that holds ``.git``; empty where none does."""
    way = [folder]
    while not _has(way[-1], GIT_FOLDER):
        if is_top(way[-1]):
            return []
        way.append(way[-1].rpartition(os.sep)[0])
    return way


def _is_dependency(path: str, name: str) -> bool:
    return any(_has(path, mark) for owner, mark in DEPENDENCY_MARKS if owner in ("", name.lower()))


def _has(path: str, name: str) -> bool:
    return os.path.lexists(f"{path}{os.sep}{name}")
