"""RepoEval's line tasks, rebuilt by the paper's rules from unpacked releases (section 3).

The paper selects lines at random, "ensuring the lines are non-repetitive, not code comments, and each line
contains at least 5 tokens". It does not say what a token is: here it is a word or a single other visible
character (`TOKEN`). Non-repetitive: no two tasks of a repository have the same text. Lines within strings
of several lines and strings that stand alone (docstrings) count as comments.
"""

from __future__ import annotations

import ast
import io
import random
import re
import tokenize
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bowerbird.cli.errors import InputNotFound

TOKEN = re.compile(r"\w+|[^\w\s]")
MIN_TOKENS = 5


@dataclass(frozen=True, slots=True)
class Release:
    """A repository of the paper's table 1, as its authors released it around January 2023."""

    repository: str
    """The paper's name for it."""
    distribution: str
    version: str


RELEASES = (
    Release("rl", "torchrl", "0.0.4"),
    Release("vizier", "google-vizier", "0.0.16"),
    Release("fortuna", "aws-fortuna", "0.1.40"),
    Release("evaluate", "evaluate", "0.4.0"),
    Release("diffusers", "diffusers", "0.12.0"),
    Release("nerfstudio", "nerfstudio", "0.1.15"),
)
"""The paper's ACE and FedScope were never released as packages."""


@dataclass(frozen=True, slots=True)
class Sources:
    """One unpacked project."""

    name: str
    """The paper's name, or the folder's."""
    folder: Path
    release: Release | None
    """None: no project of RepoEval, or another version of one."""


@dataclass(frozen=True, slots=True)
class LineTask:
    """Write this line, given all that stands above it in its file."""

    repository: str
    path: Path
    name: str
    """The file relative to its repository's folder, with ``/``."""
    line: int
    """From 0."""
    truth: str
    """The line, without its line end."""

    @property
    def id(self) -> str:
        """Such as ``rl/torchrl/envs/utils.py:12``, the line counted from 1."""
        return f"{self.repository}/{self.name}:{self.line + 1}"


def find_sources(folder: Path) -> list[Sources]:
    """The projects under `folder`, one a subfolder, by name; raises `InputNotFound` where there is none."""
    if not folder.is_dir():
        raise InputNotFound(f"There is no folder {folder}. {expectation()}")
    found = [_recognise(child) for child in sorted(folder.iterdir()) if child.is_dir()]
    found = [sources for sources in found if any(sources.folder.rglob("*.py"))]
    if not found:
        raise InputNotFound(f"No folder with Python files was found in {folder}. {expectation()}")
    return sorted(found, key=lambda sources: sources.name)


def expectation() -> str:
    """What the bench wants, for messages."""
    names = ", ".join(f"{release.distribution} {release.version}" for release in RELEASES)
    return f"RepoEval's line tasks come from unpacked releases, one folder each, of {names}."


def line_tasks(
    sources: Sources, per_repository: int, seed: int, admits: Callable[[Path], bool] = lambda _: True
) -> list[LineTask]:
    """`per_repository` tasks at random, or all that there are, from files that `admits` lets in.

    The same for the same files and seed.
    """
    candidates: list[LineTask] = []
    for path in sorted(
        sources.folder.rglob("*.py"), key=lambda path: path.relative_to(sources.folder).as_posix()
    ):
        text = read_python(path) if admits(path) else None
        if text is not None:
            name = path.relative_to(sources.folder).as_posix()
            candidates += (
                LineTask(sources.name, path, name, line, truth) for line, truth in eligible_lines(text)
            )
    random.Random(f"{seed}/{sources.name}").shuffle(candidates)
    return list(_non_repetitive(candidates))[:per_repository]


def read_python(path: Path) -> str | None:
    """The file with ``\\n`` line ends, or None where it is not UTF-8 or not to be read."""
    try:
        return path.read_text(encoding="utf-8-sig")  # universal newlines
    except (OSError, UnicodeDecodeError):
        return None


def eligible_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines (from 0) that the rules allow, with something above them; none of a file that does not parse."""
    strings = _string_lines(text)
    if strings is None:
        return
    below_code = False
    for number, line in enumerate(text.split("\n")):
        code = line.strip()
        if (
            below_code
            and number not in strings
            and not code.startswith("#")
            and len(TOKEN.findall(code)) >= MIN_TOKENS
        ):
            yield number, line
        below_code = below_code or bool(code)


def _string_lines(text: str) -> set[int] | None:
    """Lines of strings that stand alone, and lines that begin within a string; None where it is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes are none of our business
            tree = ast.parse(text)
        lines = set(_begun_within_strings(text))
    except (SyntaxError, ValueError, RecursionError, tokenize.TokenError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant | ast.JoinedStr):
            lines.update(range(node.lineno - 1, node.end_lineno or node.lineno))
    return lines


def _begun_within_strings(text: str) -> Iterator[int]:
    """From 0. Since Python 3.12 an f-string is several tokens."""
    begun: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        if kind == "FSTRING_START":
            begun.append(token.start[0])
        elif kind == "FSTRING_END":
            yield from range(begun.pop(), token.end[0])
        elif kind == "STRING":
            yield from range(token.start[0], token.end[0])


def _non_repetitive(tasks: Iterable[LineTask]) -> Iterator[LineTask]:
    """The first task of each text."""
    seen: set[str] = set()
    for task in tasks:
        text = " ".join(task.truth.split())
        if text not in seen:
            seen.add(text)
            yield task


def _recognise(folder: Path) -> Sources:
    """Which release a folder is, by its own name (``diffusers-0.12.0``) or by the metadata folder in it."""
    marks = {_normal(folder.name)}
    marks |= {_normal(child.name.removesuffix(".dist-info")) for child in folder.glob("*.dist-info")}
    for release in RELEASES:
        if _normal(f"{release.distribution}-{release.version}") in marks:
            return Sources(release.repository, folder, release)
    return Sources(folder.name, folder, None)


def _normal(name: str) -> str:
    """Package names are equal whatever their case and separators."""
    return re.sub(r"[-_.]+", "-", name).lower()
