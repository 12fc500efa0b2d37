"""The tables of benches are whole: in a file whatever the screen, and on a screen of 80 columns."""

from __future__ import annotations

import ast
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from bowerbird.cli import bench
from bowerbird.cli.bench import contest, hover, index, latency, peers, printing, retrieval, stages
from bowerbird.cli.bench.filters import command as filters
from bowerbird.cli.bench.filters.verdicts import Record
from bowerbird.cli.bench.generate.measure import Result
from bowerbird.cli.bench.generate.view import COLUMNS, results_table
from bowerbird.cli.bench.printing import SCREEN_COLUMNS, figures, output
from bowerbird.cli.bench.scale import command as scale
from bowerbird.cli.bench.scale.growth import Step
from bowerbird.cli.bench.typing import command as typing
from bowerbird.cli.bench.typing.figures import Spread
from bowerbird.completion.finish import FILTERS

FOLDER = Path(bench.__file__).parent
LINES = 3_877_412
OWN_WAY = {"printing.py", "soak/command.py"}  # the latter prints line by line, and breaks none


def scaled(_: Console) -> None:
    cold = {"first_hit_s": 10.75, "index_s": 1060.34, "index_cpu_s": 2040.12, "disk_bytes": 987 * LINES}
    warm = {
        "index_s": 104.52,
        "index_cpu_s": 108.33,
        "median_ms": 1234.56,
        "p95_ms": 6543.21,
        "update_ms": 1003.5,
        "asked_rss_bytes": 886 * LINES,
    }
    peer = {"name": "RepoCoder's scan", "queries": 100, "median_ms": 27_654.32, "p95_ms": 98_765.43}
    peer |= {"build_s": 1765.43, "memory_bytes": 1210 * LINES}
    cold["asked_rss_bytes"] = warm["asked_rss_bytes"]
    scale._print([Step(LINES, 54_321, 387_741, cold, warm, (peer,), 100, 100, True)])


def retrieved(_: Console) -> None:
    rows = tuple(
        contest.Row(kind.name, 200, 1234.56, 6543.21, 1765.43, 27_654.3, 27_654.3, True, 1210 * LINES)
        for kind in peers.PEERS
    )
    size = contest.Size(54_321, LINES, 387_741, rows, 200)
    retrieval._print(retrieval.Report("made up", 0, 10, (size,), ()))


def indexed(_: Console) -> None:
    told = {"reading and finding out what is in the files": 1060.34}
    index._print(
        stages.Indexing(54_321, LINES, 387_741, 10**9, told, 1060.34, 1.5, 1.6, 10**9, 10**9, 3 * 10**9)
    )


def hovered(_: Console) -> None:
    times = {"powerquery": [1060.34, 27_654.32]}
    hover._print(hover.Hovers(65.0, 900.0, 3, 10**7, 10**8, 300.0, 900, times))


def typed(console: Console) -> None:
    spread = Spread(98_765, 1060.3, 27_654.3, 98_765.4)
    flights = dict.fromkeys(("demanded", "foreseen", "most_at_once", "running"), 98_765)
    names = ("coverage", "keys_saved", "evaluated_share", "evaluated_share_fresh", "resting_share")
    more = ("flights_per_shown", "flights_per_written", "tokens_read_per_s", "tokens_written_per_s")
    counts = ("seconds", "keys", "requests", "shown", "pauses", "accepted", "tested")
    found = SimpleNamespace(
        **dict.fromkeys((*names, *more), 0.5),
        **dict.fromkeys(counts, 98_765),
        **dict.fromkeys(("carried", "joined", "fresh", "fresh_later"), spread),
        flights=flights,
        costs=None,
    )
    typing._print(console, found)  # type: ignore[arg-type]


def filtered(console: Console) -> None:
    records = [Record(name) for name in FILTERS]
    for record in records:
        for tally in (record.alone, record.among):
            tally.fired = tally.helped = tally.harmed = tally.true_lines_lost = 2_000
        record.spoiled = 2_000
    filters._print(console, [], records, {})


def shared(console: Console) -> None:
    one = latency_row(98_765.4)
    latency._print_sharing(console, [one, one])


def latency_row(ms: float) -> Any:
    return SimpleNamespace(
        clients=16, processes=16, memory_bytes=2**40, alone_ms=[ms], beside_ms=[ms], reused_share=1.0
    )


def generated(console: Console) -> None:
    values = dict.fromkeys(("parses", "symbols", "checks", "tests", "example"), True)
    result: Any = SimpleNamespace(**values, tokens=98_765)
    told: dict[str, dict[str, list[Result]]] = {"a-model-of-a-long-name": {"acecoder": [result] * 999}}
    assert all(of(result) for of in COLUMNS.values())
    console.print(results_table(told))


PRINTED: dict[Callable[[Console], None], tuple[str, ...]] = {
    scaled: ("3,877,412", "1060.34", "2040.12", "6543.21", "98765.43", "1765.43"),
    retrieved: ("6543.21", "1765.43", "27,654.3", "1210"),
    indexed: ("1060.34", "27.35 s"),
    hovered: ("14357.33", "27654.32"),
    typed: ("98765", "27654.3", "median 250, 95 %: 600"),
    filtered: ("2000", *FILTERS),
    shared: ("98765.4", "1048576"),
    generated: ("acecoder", "98,765", "of 999"),
}
"""Each bench's table, and figures that are in it."""


@pytest.mark.parametrize("show", PRINTED)
def test_no_table_is_cut_on_a_screen(
    show: Callable[[Console], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large figures of a large workspace stand whole in 80 columns."""
    console = Console(width=SCREEN_COLUMNS, file=StringIO(), force_terminal=False)
    monkeypatch.setattr(printing, "output", lambda: console)
    show(console)
    assert isinstance(console.file, StringIO)
    text = console.file.getvalue()
    assert "…" not in text
    assert [figure for figure in PRINTED[show] if figure not in text] == []


def test_in_a_file_lines_are_as_long_as_they_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the terminal's width was said to be."""
    monkeypatch.setenv("COLUMNS", "20")
    table = figures("Start", ["lines", *(f"column {number}" for number in range(20))])
    cells = [f"{number:,}.12 s" for number in range(3_877_412, 3_877_433)]
    table.add_row(*cells)
    console = output()
    console.print(table)
    console.print("word " * 50)
    *_, row, sentence = (line for line in capsys.readouterr().out.split("\n") if line.strip())
    assert [cell for cell in cells if cell not in row] == []
    assert sentence.split() == ["word"] * 50


def test_a_small_screen_breaks_lines_and_loses_nothing() -> None:
    """Even where a figure is longer than its column."""
    table = figures("", ["lines", *(f"column {number}" for number in range(20))])
    table.add_row(*["123456789Z"] * 21)
    console = Console(width=SCREEN_COLUMNS, file=StringIO(), force_terminal=False)
    console.print(table)
    assert isinstance(console.file, StringIO)
    text = console.file.getvalue()
    assert "…" not in text
    assert text.count("Z") == 21


def test_all_benches_print_so() -> None:
    """None makes a table or a console for itself, but to show how far it is."""
    for path in FOLDER.rglob("*.py"):
        if path.relative_to(FOLDER).as_posix() in OWN_WAY:
            continue
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        made = [ast.unparse(call) for call in calls if ast.unparse(call.func) in ("Console", "Grid")]
        assert not [call for call in made if call != "Console(stderr=True)"], path
        assert not [call for call in calls if ast.unparse(call).startswith("Table(title")], path
