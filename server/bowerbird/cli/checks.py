"""What `bowerbird doctor` looks at: a function for each thing, in the order in which they are told."""

from __future__ import annotations

import asyncio
import importlib.metadata
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import platformdirs

from bowerbird import __version__
from bowerbird.cli.finding import INSTALL_BOWERBIRD, INSTALL_LLAMA, Finding, State
from bowerbird.execution import powerquery
from bowerbird.execution.sandbox import Sandbox, find_sandbox
from bowerbird.execution.tools import Ready, Tools
from bowerbird.inference.broker_client import ask_state
from bowerbird.inference.broker_place import meeting_places
from bowerbird.inference.engine import find_llama_server, has_llama_cpp
from bowerbird.inference.loading import SHARED_FROM_BYTES
from bowerbird.inference.models import model_folder
from bowerbird.settings import IndexSettings
from bowerbird.syntax.grammars import OWN, why_missing
from bowerbird.syntax.languages import LANGUAGES

INSTALL_PACK = "pip install --force-reinstall tree-sitter-language-pack"
MIN_PYTHON = (3, 11)
INOTIFY = Path("/proc/sys/fs/inotify/max_user_watches")
MIN_WATCHES = IndexSettings().max_files // 10  # a watch a folder; ten files a folder is few
RAISE_WATCHES = "sudo sysctl -w fs.inotify.max_user_watches=524288"


def check_python() -> Iterator[Finding]:
    """Is it new enough?"""
    enough = sys.version_info >= MIN_PYTHON
    wanted = ".".join(map(str, MIN_PYTHON))
    detail = f"{platform.python_version()} ({platform.python_implementation()}) at {sys.executable}"
    yield Finding(
        "python",
        State.OK if enough else State.MISSING,
        detail,
        "" if enough else f"install Python {wanted} or newer",
    )


def check_bowerbird() -> Iterator[Finding]:
    """Which one is this?"""
    yield Finding("bowerbird", State.OK, f"{__version__} at {Path(__file__).parents[1]}")


def check_engines() -> Iterator[Finding]:
    """One of the two must be there."""
    version, server = _version("llama-cpp-python"), find_llama_server("")
    library = has_llama_cpp()
    neither = State.MISSING if server is None else State.WARNING
    yield Finding(
        "llama-cpp-python",
        State.OK if library else neither,
        (version or "installed") if library else "not installed",
        "" if library else INSTALL_LLAMA,
    )
    yield Finding(
        "llama-server",
        State.OK,
        str(server) if server else "not on the PATH" + (", and not needed" if library else ""),
    )


def check_shared() -> Iterator[Finding]:
    """Which models do editors share now?"""
    running = asyncio.run(_shared())
    from_mb = SHARED_FROM_BYTES // 1_000_000
    none = f"none now; those of {from_mb} MB and more would be (inference.shared)"
    detail = "; ".join(running) or none
    yield Finding("shared models", State.OK, detail)


async def _shared() -> list[str]:
    asked = await asyncio.gather(*(ask_state(folder) for folder in meeting_places()))
    return [
        f"{told['path'] or 'no model yet'}: {_counted(told['clients'], 'editor')}, "
        f"{_counted(len(told.get('requests', ())), 'open request')}, process {told['pid']}"
        for told in asked
        if told is not None
    ]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def check_grammars() -> Iterator[Finding]:
    """Do those that are needed load?"""
    named = {language.name: language.grammar for language in LANGUAGES.values() if language.grammar}
    why = {name: problem for name in sorted(named) if (problem := why_missing(name))}
    version = _version("tree-sitter-language-pack")
    detail = f"{len(named) - len(why)} of {len(named)} languages (tree-sitter-language-pack {version})"
    if why:
        detail += f"; without: {', '.join(why)}, whose windows go by lines ({next(iter(why.values()))})"
    ours = any(named[name] in OWN for name in why)
    remedy = (INSTALL_BOWERBIRD if ours else INSTALL_PACK) if why else ""
    yield Finding("grammars", State.WARNING if why else State.OK, detail, remedy)


def check_secrets() -> Iterator[Finding]:
    """Suspicious lines are looked at by a library."""
    version = _version("detect-secrets")
    yield Finding(
        "detect-secrets",
        State.OK if version else State.MISSING,
        version or "not installed",
        "" if version else "pip install detect-secrets",
    )


def check_watcher() -> Iterator[Finding]:
    """Following a workspace on disk takes a watch for each folder."""
    version = _version("watchfiles")
    if not version:
        yield Finding("watchfiles", State.WARNING, "not installed", "pip install watchfiles")
        return
    try:
        watches = int(INOTIFY.read_text())
    except (OSError, ValueError):  # not Linux
        yield Finding("watchfiles", State.OK, version)
        return
    enough = watches >= MIN_WATCHES
    detail = f"{version}; the system allows {watches:,} watched folders"
    yield Finding(
        "watchfiles", State.OK if enough else State.WARNING, detail, "" if enough else RAISE_WATCHES
    )


def check_execution() -> Iterator[Finding]:
    """Code that a model writes is checked in a sandbox, by what is installed."""
    sandbox, tools = asyncio.run(_execution())
    if tools is None:
        yield Finding("sandbox", State.WARNING, f"none, so code is only parsed: {sandbox}")
    else:
        ready = ", ".join(sorted(name for name, found in tools.items() if not isinstance(found, str)))
        yield Finding("sandbox", State.OK, f"{sandbox}; checkers that work in it: {ready or 'none'}")
    missing = powerquery.why_missing(powerquery.packages_folder())
    detail = f"only parsed: {missing.partition(':')[0]}" if missing else str(powerquery.packages_folder())
    yield Finding("power query", State.OK, detail, "bowerbird setup powerquery" if missing else "")


async def _execution() -> tuple[str, dict[str, Ready | str] | None]:
    sandbox = await find_sandbox()
    if not isinstance(sandbox, Sandbox):
        return str(sandbox), None
    return sandbox.method, await Tools(sandbox).available()


def check_folders() -> Iterator[Finding]:
    """What Bowerbird writes to, and where the user's models lie."""
    for name, folder in (
        ("cache folder", Path(platformdirs.user_cache_dir("bowerbird", appauthor=False))),
        ("model folder", model_folder()),
    ):
        problem = _unwritable(folder)
        yield Finding(
            name,
            State.WARNING if problem else State.OK,
            f"{folder}{f': {problem}' if problem else ''}",
            f"mkdir -p '{folder}' && chmod u+rwx '{folder}'" if problem else "",
        )


CHECKS: tuple[Callable[[], Iterator[Finding]], ...] = (
    check_python,
    check_bowerbird,
    check_engines,
    check_shared,
    check_grammars,
    check_secrets,
    check_watcher,
    check_execution,
    check_folders,
)
"""Beside those of `model_checks`, which take their time."""


def _unwritable(folder: Path) -> str:
    """Why nothing can be written there; empty where it can. Leaves nothing behind."""
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def _version(distribution: str) -> str:
    """Installed version, empty where there is none."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""
