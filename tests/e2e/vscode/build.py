"""Packages the extension as users install it, once for each state of its sources."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from parts import CACHE, HOME, require_part

CLIENT = Path(__file__).parents[3] / "clients" / "vscode"
NOT_SOURCES = ("node_modules", "dist")

HOUSE = CACHE / "vscode-client"
KEPT = 5
"""Packaged extensions; the oldest go."""


def packaged() -> Path:
    """The .vsix of the sources as they are; kept in the cache, so the checkout stays as it is."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(f"{path.relative_to(CLIENT)}\0".encode() + path.read_bytes())
    vsix = HOUSE / f"{digest.hexdigest()[:12]}.vsix"
    if not vsix.is_file():
        _package(vsix)
    return vsix


def _sources() -> Iterator[Path]:
    for folder, folders, files in os.walk(CLIENT):
        folders[:] = sorted(set(folders) - {*NOT_SOURCES})
        yield from (Path(folder, name) for name in sorted(files))


def _package(vsix: Path) -> None:
    with workshop() as copy:
        npm(copy, "run", "package")
        shutil.move(copy / "dist" / "bowerbird.vsix", vsix)
    for older in sorted(vsix.parent.glob("*.vsix"), key=lambda path: path.stat().st_mtime)[:-KEPT]:
        older.unlink()


@contextmanager
def workshop() -> Iterator[Path]:
    """A copy of the client with all that it is built with, for as long as the block lasts."""
    modules = _modules()
    with tempfile.TemporaryDirectory(dir=modules.parent) as room:
        copy = Path(room) / "vscode"
        shutil.copytree(CLIENT, copy, ignore=shutil.ignore_patterns(*NOT_SOURCES))
        (copy / "node_modules").symlink_to(modules)
        yield copy


def npm(folder: Path, *arguments: str) -> str:
    """What npm says in that folder, with the user's own registry; the test fails where npm does."""
    program = require_part("npm")
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    done = subprocess.run(
        [program, *arguments],
        cwd=folder,
        env={**os.environ, "HOME": str(HOME), "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, f"npm {' '.join(arguments)}:\n{done.stdout[-3000:]}"
    return done.stdout


def _modules() -> Path:
    """What the lock file names, once for each lock file."""
    lock = (CLIENT / "package-lock.json").read_bytes()
    modules = HOUSE / hashlib.sha256(lock).hexdigest()[:12] / "node_modules"
    if not modules.is_dir():
        modules.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=modules.parent) as room:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(CLIENT / name, room)
            npm(Path(room), "ci", "--no-audit", "--no-fund")
            (Path(room) / "node_modules").rename(modules)
    return modules
