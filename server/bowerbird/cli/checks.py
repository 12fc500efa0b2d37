"""What `bowerbird doctor` looks at: a function for each thing, in the order in which they are told."""

from __future__ import annotations

import asyncio
import importlib.metadata
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import platformdirs

from bowerbird import __version__
from bowerbird.execution import powerquery
from bowerbird.execution.sandbox import Sandbox, find_sandbox
from bowerbird.execution.tools import Ready, Tools
from bowerbird.inference.broker_client import ask_state
from bowerbird.inference.broker_place import meeting_places
from bowerbird.inference.choice import Purpose
from bowerbird.inference.engine import choose_engine, find_llama_server, has_llama_cpp
from bowerbird.inference.generator import InferenceError
from bowerbird.inference.loaded import LoadedModel
from bowerbird.inference.models import (
    ModelFile,
    built_in_model,
    find_model,
    is_server,
    model_folder,
    named_model,
)
from bowerbird.settings import IndexSettings, InferenceSettings
from bowerbird.syntax.grammars import OWN, why_missing
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.synthesis.capability import was_capable

INSTALL_LLAMA = "pip install 'bowerbird[llama]'"
INSTALL_BOWERBIRD = "pip install --force-reinstall bowerbird"
INSTALL_PACK = "pip install --force-reinstall tree-sitter-language-pack"
LARGEST_ID = 2**31  # above are marks of our own, which stand for a server's tokens
MIN_PYTHON = (3, 11)
INOTIFY = Path("/proc/sys/fs/inotify/max_user_watches")
MIN_WATCHES = IndexSettings().max_files // 10  # a watch a folder; ten files a folder is few
RAISE_WATCHES = "sudo sysctl -w fs.inotify.max_user_watches=524288"


CAPABILITY = {
    True: "large enough for queries and test inputs",
    False: "too small for queries and test inputs, which are made by rule",
    None: "what it can do is tried out when it first generates",
}
"""By what was found out."""


class State(StrEnum):
    """How well a thing is."""

    OK = "ok"
    WARNING = "warning"
    """Something is lost without it."""
    MISSING = "missing"
    """Without it there are no completions."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    state: State
    detail: str
    remedy: str = ""
    """The command that brings it."""


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


async def check_model(model: str) -> list[Finding]:
    """Load it, and say how it wants its prompts."""
    model = named_model(model)
    file = None if is_server(model) else find_model(model)
    engine = choose_engine(model, InferenceSettings())
    try:
        loaded = await engine.load()
    except InferenceError as error:
        return [Finding("model", State.MISSING, str(error), _model_remedy(file))]
    finally:
        await engine.close()
    tokens = ", ".join(
        f"{role} {token}" if token < LARGEST_ID else role for role, token in loaded.template.ids.items()
    )
    origin = f"{file.origin.value if file else 'server'}, {loaded.path}"
    context = f"{loaded.context_tokens:,} tokens of context"
    return [
        Finding("model", State.OK, f"{loaded.name}: {loaded.description}, {context} ({origin})"),
        Finding(
            "prompt form",
            State.OK if loaded.template.fills else State.WARNING,
            f"{loaded.template.family.name}; "
            + (tokens or "no tokens to fill in the middle: it continues the prefix"),
        ),
        *(Finding("model", State.WARNING, note) for note in loaded.notes),
        _generation(model, loaded),
    ]


def _generation(completing: str, loaded: LoadedModel) -> Finding:
    """What is known of the model that generates; one that is not `loaded` already is not loaded for that."""
    name = named_model("", Purpose.GENERATION)
    if name not in ("", completing):
        return Finding("generation", State.OK, f"{name}, which is loaded when it is first asked")
    chat = "asked by its chat template" if loaded.chat else "without a chat template: it continues examples"
    return Finding("generation", State.OK, f"{loaded.name}, {chat}; {CAPABILITY[was_capable(loaded)]}")


def _model_remedy(file: ModelFile | None) -> str:
    """A broken built-in model comes with Bowerbird; any other, and a server, is the user's own."""
    if file is None:
        return "start that server, or leave --model out to use the built-in model"
    if not has_llama_cpp() and find_llama_server("") is None:
        return INSTALL_LLAMA
    if file.path == built_in_model():
        return INSTALL_BOWERBIRD
    return f"put a GGUF file into {model_folder()}, or leave --model out to use the built-in one"


def check_shared() -> Iterator[Finding]:
    """Which models are open for several editors now?"""
    running = asyncio.run(_shared())
    detail = "; ".join(running) or "no model is open for several editors now (inference.shared)"
    yield Finding("shared models", State.OK, detail)


async def _shared() -> list[str]:
    asked = await asyncio.gather(*(ask_state(folder) for folder in meeting_places()))
    return [
        f"{told['path'] or 'no model yet'}, {told['clients']} editors, process {told['pid']}"
        for told in asked
        if told is not None
    ]


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
"""Beside `check_model`, which takes its time."""


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
