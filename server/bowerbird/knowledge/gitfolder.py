"""Where git keeps what is no .gitignore: the repository's own excludes, the user's, and how case counts."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

GIT_FOLDER = ".git"

_SECTION = re.compile(r"\s*\[\s*([^\]\s\"]+)")
_ENTRY = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*?))?\s*$")


@dataclass(frozen=True, slots=True)
class GitFolder:
    """One repository's settings that concern ignoring."""

    exclude_files: tuple[Path, ...]
    """Ignore files that hold for the whole tree, the strongest first."""
    ignores_case: bool
    """`core.ignoreCase`, which git sets where the file system does so."""


def read_git_folder(top: Path) -> GitFolder:
    """What the repository at `top` says; git itself need not be installed.

    Read are the keys `core.excludesFile` and `core.ignoreCase`; included files are not followed.
    """
    folder = _common_folder(top / GIT_FOLDER)
    home = Path.home()
    user = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config", "git")
    core: dict[str, str] = {}
    for path in (user / "config", home / ".gitconfig", folder / "config"):
        core.update(_read_core(path))
    named = core.get("excludesfile")
    users = Path(os.path.expanduser(named)) if named is not None else user / "ignore"
    return GitFolder(
        exclude_files=(folder / "info" / "exclude", top / users),
        ignores_case=core.get("ignorecase", "false").lower() in ("true", "yes", "on", "1"),
    )


def _common_folder(git: Path) -> Path:
    """Where a working tree's shared files are: worktrees and submodules have a file that leads there."""
    own = _pointed(git, "gitdir:") if git.is_file() else git
    return _pointed(own / "commondir", "") if (own / "commondir").is_file() else own


def _pointed(pointer: Path, prefix: str) -> Path:
    try:
        line = pointer.read_text(errors="surrogateescape").strip()
    except OSError:
        return pointer
    return pointer.parent / line.removeprefix(prefix).strip()


def _read_core(path: Path) -> dict[str, str]:
    """The section ``[core]`` of one configuration file; empty where there is none."""
    try:
        lines = path.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return {}
    core: dict[str, str] = {}
    section = ""
    for line in lines:
        if match := _SECTION.match(line):
            section = match[1].lower()
        elif section == "core" and (match := _ENTRY.match(line)):
            value = "true" if match[2] is None else match[2]
            core[match[1].lower()] = value.strip('"')
    return core
