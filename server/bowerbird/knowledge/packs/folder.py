"""A pack's folder: ``pack.toml`` and pages, read as they stand on disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bowerbird.knowledge.packs.format import read_page
from bowerbird.knowledge.packs.manifest import FILE_NAME, Manifest, read_manifest
from bowerbird.knowledge.packs.problem import Problem, Severity
from bowerbird.knowledge.snippet import EntityKind, Example, GrammarEntity

PAGE_SUFFIX = ".md"
MAX_PAGES = 20_000
MAX_PAGE_BYTES = 10_000_000
MAX_PACK_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class Contents:
    """A pack's folder, read."""

    manifest: Manifest | None
    """None where ``pack.toml`` is missing or broken; then nothing else was read."""
    entities: tuple[GrammarEntity, ...]
    """No two of the same name and kind."""
    examples: tuple[Example, ...]
    problems: tuple[Problem, ...]
    pages: int


@dataclass(frozen=True, slots=True)
class Files:
    """The bytes of a pack's folder, by path with ``/``, in order."""

    manifest: bytes | None
    pages: dict[str, bytes]
    problems: tuple[Problem, ...]


def read_files(folder: Path) -> Files:
    """Everything that belongs to the pack. Links are not followed. Never raises."""
    problems: list[Problem] = []
    pages: dict[str, bytes] = {}
    total = 0
    for path in _page_paths(folder):
        name = path.relative_to(folder).as_posix()
        if len(pages) == MAX_PAGES:
            problems.append(
                Problem(name, 0, f"A pack has at most {MAX_PAGES:,} pages; the others are left out.")
            )
            break
        try:
            size = path.stat().st_size
            if size > MAX_PAGE_BYTES or total + size > MAX_PACK_BYTES:
                problems.append(Problem(name, 0, f"It is too large ({size:,} bytes)."))
                continue
            pages[name] = path.read_bytes()
        except OSError as error:
            problems.append(Problem(name, 0, f"It cannot be read: {error.strerror}."))
            continue
        total += size
    try:
        manifest = (folder / FILE_NAME).read_bytes()
    except OSError:
        manifest = None
    return Files(manifest, pages, tuple(problems))


def read_contents(files: Files) -> Contents:
    """What the files of a pack say. Never raises."""
    problems = list(files.problems)
    if files.manifest is None:
        problems.append(Problem(FILE_NAME, 0, "The folder has no file of this name that can be read."))
        return Contents(None, (), (), tuple(problems), 0)
    manifest, told = read_manifest(files.manifest)
    problems += told
    if manifest is None:
        return Contents(None, (), (), tuple(problems), 0)
    entities: dict[tuple[EntityKind, str], GrammarEntity] = {}
    examples: list[Example] = []
    for name, content in files.pages.items():
        page = read_page(content, name, manifest)
        problems += page.problems
        examples += page.examples
        for entity in page.entities:
            first = entities.setdefault((entity.kind, entity.symbol), entity)
            if first is not entity:
                sentence = (
                    f"The {entity.kind} `{entity.symbol}` stands in {first.page}:{first.span.first + 1}, too."
                )
                problems.append(Problem(name, entity.span.first, sentence, Severity.WARNING))
    return Contents(manifest, tuple(entities.values()), tuple(examples), tuple(problems), len(files.pages))


def _page_paths(folder: Path) -> Iterator[Path]:
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            page = Path(path, name)
            if name.endswith(PAGE_SUFFIX) and not name.startswith(".") and not page.is_symlink():
                yield page
