"""From documentation to a pack's folder: what `docs add` and `docs build` have in common."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from bowerbird.cli.docs.fetch import cloned, is_url
from bowerbird.cli.errors import InputNotFound, NothingDone, UsageError

if TYPE_CHECKING:
    from bowerbird.knowledge.packs.builders.building import Build

PROBLEMS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user asked for."""

    name: str
    source: str
    """A folder, a file, or the URL of a git repository."""
    builder: str = ""
    language: str = ""
    subfolder: str = ""


@contextlib.contextmanager
def built(wanted: Wanted, beside: Path) -> Iterator[tuple[Path, Build]]:
    """The pack in a folder beside where it shall lie, to be moved there; gone afterwards if it was not.

    Raises `UsageError`, `InputNotFound` and `NothingDone`.
    """
    from bowerbird.knowledge.packs.manifest import NAME, NAME_RULE

    if not NAME.fullmatch(wanted.name):
        raise UsageError(f"A pack cannot be called {wanted.name!r}: {NAME_RULE}.")
    try:
        beside.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=beside, prefix=f".{wanted.name}-"))
    except OSError as error:
        raise InputNotFound(f"{beside} cannot be written to: {error.strerror}.") from error
    try:
        with _source(wanted) as source:
            try:
                build = _build(wanted, source, temporary)
            except OSError as error:
                raise InputNotFound(f"The pack cannot be written: {error.strerror or error}.") from error
            yield temporary, build
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def show(build: Build, name: str, folder: Path, as_json: bool) -> None:
    """Say what was made and what was skipped."""
    import json

    if as_json:
        told: dict[str, Any] = {
            "name": name,
            "folder": str(folder),
            "builder": build.builder,
            "pages": build.pages,
            "entities": build.entities,
            "examples": build.examples,
            "skipped": [
                {"file": one.page, "line": one.line + 1, "why": one.sentence} for one in build.problems
            ],
        }
        typer.echo(json.dumps(told, indent=1))
        return
    for problem in build.problems[:PROBLEMS_SHOWN]:
        typer.echo(f"skipped {problem.page}:{problem.line + 1}: {problem.sentence}", err=True)
    if len(build.problems) > PROBLEMS_SHOWN:
        typer.echo(f"and {len(build.problems) - PROBLEMS_SHOWN:,} more", err=True)
    typer.echo(
        f"{name}: {build.entities:,} entities and {build.examples:,} examples on {build.pages:,} pages, "
        f"by the builder {build.builder}, in {folder}"
    )


@contextlib.contextmanager
def _source(wanted: Wanted) -> Iterator[Path]:
    with contextlib.ExitStack() as stack:
        root = stack.enter_context(cloned(wanted.source)) if is_url(wanted.source) else Path(wanted.source)
        source = root / wanted.subfolder
        if not source.exists():
            raise InputNotFound(
                f"There is no folder or file {source if source == root else wanted.subfolder}."
            )
        if not source.resolve().is_relative_to(root.resolve()):
            raise UsageError(f"{wanted.subfolder} leads out of {wanted.source}.")
        yield source


def _build(wanted: Wanted, source: Path, target: Path) -> Build:
    from bowerbird.knowledge.packs.builders.building import build_folder
    from bowerbird.knowledge.packs.builders.table import BUILDERS, choose_builder, guess_language
    from bowerbird.knowledge.packs.builders.upstream import upstream_at
    from bowerbird.knowledge.packs.manifest import FILE_NAME, Manifest
    from bowerbird.syntax.languages import LANGUAGES

    if wanted.builder and wanted.builder not in BUILDERS:
        raise UsageError(f"There is no builder {wanted.builder!r}; there are: {', '.join(BUILDERS)}.")
    if wanted.language and wanted.language not in LANGUAGES:
        raise UsageError(f"The language {wanted.language!r} is unknown; there are: {', '.join(LANGUAGES)}.")
    if not wanted.builder and (source / FILE_NAME).is_file():
        return _copied(wanted, source, target)
    upstream = upstream_at(source.absolute())
    builder = BUILDERS[wanted.builder] if wanted.builder else choose_builder(upstream)
    if builder is None:
        raise NothingDone(f"No builder finds documentation in {wanted.source}.")
    language = wanted.language or guess_language(upstream, builder)
    if language is None:
        raise UsageError("The language cannot be told from the files; name it with --language.")
    manifest = Manifest(
        name=wanted.name,
        language=language,
        title=wanted.name,
        sources=(wanted.source,),
        case_sensitive=LANGUAGES[language].name not in CASELESS,
    )
    build = build_folder(upstream, manifest, builder, target)
    if not build.entities and not build.examples:
        raise NothingDone(f"The builder {builder.name} found nothing in {wanted.source}.")
    return build


CASELESS = frozenset({"ring", "sql", "powershell"})
"""Languages in which the case of a name's letters makes no difference."""


def _copied(wanted: Wanted, source: Path, target: Path) -> Build:
    """A pack that somebody wrote is taken as it is, under the name that the user gave."""
    from bowerbird.knowledge.packs.builders.building import Build
    from bowerbird.knowledge.packs.folder import read_contents, read_files
    from bowerbird.knowledge.packs.manifest import FILE_NAME, write_manifest

    files = read_files(source)
    contents = read_contents(files)
    if contents.manifest is None:
        raise NothingDone(f"{wanted.source} is no pack: {contents.problems[0].sentence}")
    for name, content in files.pages.items():
        page = target / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_bytes(content)
    manifest = replace(
        contents.manifest, name=wanted.name, language=wanted.language or contents.manifest.language
    )
    (target / FILE_NAME).write_text(write_manifest(manifest), encoding="utf-8")
    return Build("none", contents.pages, len(contents.entities), len(contents.examples), contents.problems)
