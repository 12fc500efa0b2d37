"""`bowerbird bench grammars LANGUAGE`: a grammar of ours beside the language's own parser."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bowerbird.cli.errors import InputNotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bowerbird.cli.bench.grammars.measure import Report
    from bowerbird.cli.bench.grammars.sample import Contest


def contests() -> dict[str, Contest]:
    """The languages whose grammars are ours."""
    from bowerbird.cli.bench.grammars.powerquery import POWERQUERY
    from bowerbird.cli.bench.grammars.ring import RING

    return {contest.language: contest for contest in (POWERQUERY, RING)}


def run(
    language: str, corpus: Path, judge: Path, mutations: int, seed: int, tell: Callable[[str], None]
) -> Report:
    """Measure one grammar; raises `UsageError` and `InputNotFound`."""
    from bowerbird.cli.bench.grammars.measure import measure
    from bowerbird.syntax.grammars import why_missing

    contest = contests().get(language)
    if contest is None:
        raise UsageError(f"{language!r} is none of {', '.join(contests())}.")
    if problem := why_missing(language):
        raise InputNotFound(f"The grammar of {language} cannot be loaded: {problem}.")
    samples = list(contest.samples(corpus))
    if not samples:
        raise InputNotFound(f"There is no code of {language} in {corpus}.")
    return measure(contest, samples, contest.judge(judge), mutations, seed, tell)


def grammars_command(
    language: Annotated[str, typer.Argument(help="One whose grammar is ours: powerquery, ring.")],
    corpus: Annotated[Path, typer.Option(help="Folder with code, or with documentation that shows code.")],
    judge: Annotated[Path, typer.Option(help="Folder with the language's own parser.")],
    mutations: Annotated[int, typer.Option(min=0, help="How many one-token mistakes both look at.")] = 5_000,
    seed: Annotated[int, typer.Option(help="Which mistakes.")] = 0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures here.")] = None,
) -> None:
    """Compare a grammar of ours with the language's own parser: on sound code, on mistakes; and time it.

    For Power Query M the judge is Microsoft's parser, run by Node from the folder into which
    `npm install @microsoft/powerquery-parser@2.0.0` has put it. For Ring it is the command `ring`, in
    Ring's `bin` folder, which compiles the programs and runs none.
    """
    from rich.console import Console

    from bowerbird.cli.place import existing_folder

    with Console(stderr=True).status("") as status:
        report = run(
            language, existing_folder(corpus), existing_folder(judge), mutations, seed, status.update
        )
    _print(report)
    if json_file is not None:
        json_file.write_text(json.dumps({"bench": "grammars", **asdict(report)}, indent=1) + "\n")


def _print(report: Report) -> None:
    from bowerbird.cli.bench.printing import figures, output

    agreement, survival = report.agreement, report.survival
    asked = sum(agreement.asked.values())
    table = figures(f"{report.language}: {report.samples:,} samples", ("", "of", "", "share"))
    table.add_row("sound samples parsed", *_share(report.parsed, report.sound))
    for kind, count in agreement.asked.items():
        table.add_row(f"agreed: {kind} a token", *_share(agreement.agreed[kind], count))
    table.add_row("agreed on mutations", *_share(sum(agreement.agreed.values()), asked), end_section=True)
    table.add_row(
        f"other bindings kept, {survival.deletions:,} deletions", *_share(survival.kept, survival.others)
    )
    console = output()
    console.print(table)
    console.print(f"Of the mutations {agreement.sound:,} are sound code. Speed: {report.mb_per_s:.1f} MB/s.")
    for name, origins in (("Not parsed", report.unparsed), ("Accepted by ours alone", report.lenient)):
        if origins:
            console.print(f"{name}: {', '.join(origins)}.")
    classes = Counter((one.accepted_by, one.explanation) for one in agreement.disagreements)
    for (accepted_by, explanation), count in classes.most_common():
        console.print(f"{count:,} accepted by {accepted_by} alone: {explanation}.")


def _share(part: int, whole: int) -> tuple[str, str, str]:
    return f"{whole:,}", f"{part:,}", f"{part / whole:.2%}" if whole else ""
