"""`bowerbird docs check DIR`: what a writer of a pack should look at."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bowerbird.cli.errors import InputNotFound, NothingDone

if TYPE_CHECKING:
    from bowerbird.knowledge.packs.check import Coverage
    from bowerbird.knowledge.packs.folder import Contents
    from bowerbird.knowledge.packs.problem import Problem

MISSING_SHOWN = 20


def check_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A pack's folder, with a pack.toml.")],
    names: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Names that there are upstream, one a line.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Let warnings fail, too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Read a pack as it will be read, and say what is wrong with it, by file and line.

    Exits with 1 where something had to be skipped.
    """
    from bowerbird.cli.place import existing_folder, read_text
    from bowerbird.knowledge.packs.check import check, coverage, names_of_file
    from bowerbird.knowledge.packs.folder import read_contents, read_files
    from bowerbird.knowledge.packs.problem import Severity

    contents = read_contents(read_files(existing_folder(folder)))
    problems = check(contents)
    share = coverage(contents, names_of_file(read_text(names))) if names else None
    if as_json:
        typer.echo(json.dumps(_as_json(contents, problems, share), indent=1))
    else:
        _show(contents, problems, share)
    if contents.manifest is None:
        raise InputNotFound(f"{folder} is no pack.")
    if any(strict or problem.severity is Severity.ERROR for problem in problems):
        raise NothingDone(f"{folder}: there is something to be mended.")


def _as_json(contents: Contents, problems: list[Problem], share: Coverage | None) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": contents.manifest.name if contents.manifest else None,
        **_counts(contents),
        "problems": [
            {"page": one.page, "line": one.line + 1, "severity": one.severity, "sentence": one.sentence}
            for one in problems
        ],
    }
    if share is not None:
        told["coverage"] = {**asdict(share), "share": round(share.share, 4)}
    return told


def _counts(contents: Contents) -> dict[str, Any]:
    from collections import Counter

    kinds = Counter(str(entity.kind) for entity in contents.entities)
    return {
        "pages": contents.pages,
        "entities": len(contents.entities),
        "kinds": dict(kinds.most_common()),
        "examples": len(contents.examples),
        "counter_examples": sum(example.counter_example for example in contents.examples),
    }


def _show(contents: Contents, problems: list[Problem], share: Coverage | None) -> None:
    for problem in problems:
        typer.echo(str(problem))
    counts = _counts(contents)
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in counts["kinds"].items())
    typer.echo(
        f"{counts['pages']:,} pages, {counts['entities']:,} entities{f' ({kinds})' if kinds else ''}, "
        f"{counts['examples']:,} examples, {len(problems):,} problems"
    )
    if share is not None:
        missing = ", ".join(share.missing[:MISSING_SHOWN])
        more = len(share.missing) - MISSING_SHOWN
        typer.echo(
            f"{share.found:,} of {share.wanted:,} names ({share.share:.1%})"
            + (f"; missing: {missing}" if missing else "")
            + (f" and {more:,} more" if more > 0 else "")
        )
