"""What must never be trained on: the repositories and texts that Bowerbird is measured with.

A tree goes by the name of its repository or package; a file also by its content, wherever it stands: a
vendored copy, a fork under another name, a task pasted into somebody's notes.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nestling.corpus import File, Tally
from nestling.shingles import Hashes, shingles

REPOEVAL: dict[str, tuple[str, ...]] = {
    "lucidrains/imagen-pytorch": ("imagen-pytorch", "imagen_pytorch"),
    "deepmind/tracr": ("tracr",),
    "google/lightweight_mmm": ("lightweight_mmm", "lightweight-mmm"),
    "amazon-science/patchcore-inspection": ("patchcore-inspection", "patchcore"),
    "facebookresearch/omnivore": ("omnivore",),
    "maxhumber/redframes": ("redframes",),
    "pytorch/rl": ("torchrl", "rl"),
    "opendilab/ACE": ("ace", "di-engine", "ding"),
    "google/vizier": ("vizier", "google-vizier", "google_vizier"),
    "awslabs/fortuna": ("fortuna", "aws-fortuna", "aws_fortuna"),
    "huggingface/evaluate": ("evaluate",),
    "huggingface/diffusers": ("diffusers",),
    "nerfstudio-project/nerfstudio": ("nerfstudio",),
    "alibaba/FederatedScope": ("federatedscope",),
}
"""RepoEval's fourteen (RepoCoder, table 7) and the names of their packages and folders. (ACE is a fork of
DI-engine, which is left out with it.)"""

COMMON_NAMES = frozenset({"rl", "ace", "ding", "evaluate", "omnivore", "fortuna"})
"""Folders elsewhere have these names, too: there the content decides."""

TASK_WORDS = 10
TASK_SHARE = 0.6
"""A file that holds so much of one task's runs of words holds the task."""
COPY_WORDS = 16
COPY_SHARE = 0.15
"""A file of whose runs so many stand in a measured repository is a copy of one of its files."""
COPY_RUNS = 20
"""Fewer runs in common are chance: the signature of an overridden method, a table of names."""

TEXT_FIELDS = frozenset({"text", "solution", "file", "code", "test", "truth", "prefix", "suffix"})


def tree_reason(name: str, folders: Iterable[str] = ()) -> str | None:
    """Why a tree of this name is left out: ``OWNER+NAME``, ``pypi+NAME``, or NAME; forks keep the NAME.

    `folders` are those at its top, so that a package in a tree of another name is found.
    """
    *_, last = re.split(r"[+/]", name.lower())
    for repository, packages in REPOEVAL.items():
        if last == repository.lower().split("/")[1] or last in packages:
            return f"RepoEval's {repository}"
        if any(folder.lower() in packages and folder.lower() not in COMMON_NAMES for folder in folders):
            return f"holds RepoEval's {repository}"
    return None


def path_reason(name: str) -> str | None:
    """Why a file is left out for a folder that it stands in: a vendored copy."""
    folders = set(name.lower().split("/")[:-1]) - COMMON_NAMES
    for repository, packages in REPOEVAL.items():
        if folders & set(packages):
            return f"a copy of RepoEval's {repository}"
    return None


@dataclass(frozen=True)
class Measured:
    """What Bowerbird is measured with, as hashes."""

    tasks: tuple[Hashes, ...]
    """Of each task its runs of words."""
    owners: tuple[Hashes, NDArray[np.intp]]
    """All runs of all tasks, in order, and beside each the task it stands in."""
    repositories: Hashes
    """All runs of all measured repositories, in order."""

    def reason(self, text: str) -> str | None:
        """Why a file with this text is left out."""
        if self.repositories.size:
            runs = shingles(text, COPY_WORDS)
            common = int(_among(runs, self.repositories).sum())
            if common >= COPY_RUNS and common >= COPY_SHARE * runs.size:
                return "content of a measured repository"
        if self.tasks:
            runs = shingles(text, TASK_WORDS)
            runs = runs[_among(runs, self.owners[0])]
            first, end = (np.searchsorted(self.owners[0], runs, side) for side in ("left", "right"))
            found = Counter(
                int(task) for a, b in zip(first, end, strict=True) for task in self.owners[1][a:b]
            )
            if any(count >= TASK_SHARE * self.tasks[task].size for task, count in found.items()):
                return "content of a task"
        return None


def measured(tasks: Iterable[str], repositories: Iterable[str]) -> Measured:
    """`tasks` are texts that must not be contained, `repositories` files that must not be copied.

    A task of fewer than `TASK_WORDS` words cannot be told from other code and is not looked for.
    """
    runs = tuple(found for text in tasks if (found := shingles(text, TASK_WORDS)).size)
    flat = np.concatenate([np.zeros(0, np.uint64), *runs])
    owners = np.repeat(np.arange(len(runs)), [found.size for found in runs])
    order = np.argsort(flat, kind="stable")
    copies = [shingles(text, COPY_WORDS) for text in repositories]
    every = np.unique(np.concatenate([np.zeros(0, np.uint64), *copies]))
    return Measured(runs, (flat[order], owners[order]), every)


def _among(runs: Hashes, known: Hashes) -> NDArray[np.bool_]:
    """Which of `runs` stand in `known`, which is in order."""
    if not known.size:
        return np.zeros(runs.size, np.bool_)
    found: NDArray[np.bool_] = known[np.minimum(np.searchsorted(known, runs), known.size - 1)] == runs
    return found


def without_measured(files: Iterable[File], against: Measured, tally: Tally) -> Iterator[File]:
    """The files that nothing is measured with."""
    for file in files:
        reason = path_reason(file.name) or against.reason(file.text)
        if reason is None:
            yield file
        else:
            tally.left_out[f"measured with: {reason}"] += 1


def task_texts(folders: Iterable[Path]) -> Iterator[str]:
    """The texts of benches, tests and documentation examples below these folders.

    Of TOML and JSON the fields that hold code, of Markdown the blocks of code, of the rest everything.
    """
    for folder in folders:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
            if not path.is_file() or path.suffix in (".pyc", ".so", ".gguf"):
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            match path.suffix:
                case ".toml":
                    yield from _fields(tomllib.loads(text))
                case ".jsonl":
                    yield from (found for line in text.splitlines() for found in _fields(json.loads(line)))
                case ".md":
                    yield from re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
                case _:
                    yield text.replace("<cursor>", "")


def _fields(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, str) and key in TEXT_FIELDS:
                yield inner
            else:
                yield from _fields(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _fields(inner)


def repository_texts(folder: Path) -> Iterator[str]:
    """The Python files of the measured repositories in `folder`."""
    for path in sorted(folder.rglob("*.py")):
        yield path.read_text(encoding="utf-8", errors="replace")
