"""`bowerbird bench rar`: the command line, the tables, the file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from bowerbird.cli.bench.rar.cases import Suite
    from bowerbird.cli.bench.rar.measure import Interval, Result
    from bowerbird.cli.bench.rar.speed import Speed
    from bowerbird.knowledge.packs.pack import Pack

NOT_THE_PAPERS = (
    "Not to be compared with the paper's table 5 (24.8 % and 67.2 % for M): other requests, other code."
)


def run(
    packs: Sequence[str] = (),
    corpora: Sequence[Path] = (),
    seed: int = 0,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[list[Result], list[Speed]]:
    """Measure the shipped packs of these names, or all, then the corpora. `tell` hears what is being done.

    Raises `InputNotFound` where there is no such pack or corpus.
    """
    from bowerbird.cli.bench.rar.cases import shipped_pack, shipped_packs
    from bowerbird.cli.bench.rar.measure import measure
    from bowerbird.cli.bench.rar.speed import time_pack

    found = [shipped_pack(name) for name in packs] or list(shipped_packs())
    results = []
    for suite in _suites(found, corpora):
        tell(f"{suite.name} ({suite.half})")
        results.append(measure(suite, seed=seed))
    tell("timing")
    return results, [time_pack(pack) for pack in found]


def _suites(packs: Sequence[Pack], corpora: Sequence[Path]) -> Iterator[Suite]:
    from bowerbird.cli.bench.rar.cases import (
        TUNED_ON,
        has_requests,
        left_out_suites,
        read_corpus,
        request_suites,
    )

    for pack in packs:
        if has_requests(pack.name):
            yield from request_suites(pack)
        yield from left_out_suites(f"{pack.name} examples", pack)
    for folder in corpora:
        corpus = read_corpus(folder)
        yield from left_out_suites(folder.name, corpus, halves=corpus.manifest.language in TUNED_ON)


def rar_command(
    pack: Annotated[
        list[str] | None, typer.Option(help="A shipped pack; may be given again. Else all of them.")
    ] = None,
    corpus: Annotated[
        list[Path] | None,
        typer.Option(help="A folder of documentation whose examples are left out; may be given again."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures here.")] = None,
) -> None:
    """Count how many of the entities that code needs are found for a request, by each of RAR's methods."""
    from rich.console import Console

    from bowerbird.cli.bench.printing import output
    from bowerbird.cli.place import existing_folder

    corpora = [existing_folder(folder) for folder in corpus or ()]
    with Console(stderr=True).status("") as status:
        results, speeds = run(pack or (), corpora, seed, status.update)
    _print(output(), results, speeds)
    if json_file is not None:
        told = {"results": list(map(asdict, results)), "speed": list(map(asdict, speeds))}
        json_file.write_text(json.dumps(told, indent=1) + "\n")


def _print(console: Console, results: Sequence[Result], speeds: Sequence[Speed]) -> None:
    from bowerbird.cli.bench.printing import figures

    for result in results:
        title = f"{result.suite}, {result.half}: {result.cases} cases, {result.wanted:.1f} entities wanted"
        table = figures(title, ("method", "recall %", "gain", "precision %", "tokens"))
        for row in result.rows:
            gain = _interval(row.gain, "+") if row.gain else ""
            table.add_row(
                row.method, _interval(row.recall), gain, f"{row.precision:.1f}", f"{row.tokens:,.0f}"
            )
        console.print(table)
        if result.unknown:
            console.print(f"Not in the pack: {', '.join(result.unknown)}.")
        if result.sweep:
            told = "; ".join(f"{one.lambda_:g}: {one.recall:.1f}, {one.overlap:.0f}" for one in result.sweep)
            console.print(f"RAR_D by lambda (recall %, negative list's overlap with Ret_D %): {told}.\n")
    for speed in speeds:
        console.print(
            f"{speed.pack}: {speed.entities:,} entities and {speed.examples:,} examples, indexed in "
            f"{speed.index_ms:.0f} ms, one query {speed.query_ms:.1f} ms (p95 {speed.query_p95_ms:.1f})"
        )
    console.print(
        "Recall within 20 entities, or of what the code of 10 examples uses. Gain: over the same chosen "
        f"independently. In brackets 95 % of the bootstrap's means. {NOT_THE_PAPERS}"
    )


def _interval(interval: Interval, sign: str = "") -> str:
    return f"{interval.mean:{sign}.1f} [{interval.low:{sign}.1f}, {interval.high:{sign}.1f}]"
