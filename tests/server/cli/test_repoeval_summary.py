"""Outcomes are summed up, kept on disk, and printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from bowerbird.cli.bench.repoeval.journal import Journal
from bowerbird.cli.bench.repoeval.options import MODES, Comparison, Options, Table, run_key
from bowerbird.cli.bench.repoeval.outcome import Measured, Outcome, outcome_from_json
from bowerbird.cli.bench.repoeval.plan import Plan
from bowerbird.cli.bench.repoeval.report import print_report, report_json
from bowerbird.cli.bench.repoeval.summary import compare, summarise
from bowerbird.cli.bench.repoeval.tasks import LineTask, Sources

KEY = "a run"
EM, ES, LL = "exact match, %", "edit similarity, %", "log-likelihood"


def measured(similarity: float, likelihood: float | None = -2.0) -> Measured:
    return Measured("x", float(similarity == 1), similarity, likelihood, 900, 300, 600, 100, 25.0)


def outcome(number: int, variant: str = "", gain: float = 0.0) -> Outcome:
    """In-file 0.2, every iteration 0.1 more, the oracle at 0.6; one task is a little better than the next."""
    own = 0.001 * number + gain
    columns = {mode: measured(0.2 + 0.1 * step + own, -3.0 + step) for step, mode in enumerate(MODES)}
    return Outcome(variant, Table.MAIN, "ab"[number % 2], f"task {number}", "truth", columns)


def test_a_summary_has_means_differences_and_shares() -> None:
    """In-file 20, iterations 30, 40, 50 and oracle 60 close a quarter, a half, three quarters of the gap."""
    summary = summarise([outcome(number) for number in range(10)])

    assert summary.overall.means[ES]["1"] == pytest.approx(30.45)
    assert [group.name for group in summary.repositories] == ["a", "b"]
    assert summary.repositories[1].means[ES]["in-file"] == pytest.approx(20.5)
    assert summary.differences[ES]["2"].mean == pytest.approx(20)
    assert summary.gap_shares[ES] == pytest.approx({"1": 0.25, "2": 0.5, "3": 0.75})
    assert summary.gap_shares[LL] == pytest.approx({"1": 0.25, "2": 0.5, "3": 0.75})
    assert summary.gap_shares[EM] == {"1": None, "2": None, "3": None}


def test_unknown_likelihoods_are_left_out() -> None:
    """An engine that cannot score gives no figure, not a zero."""
    columns = {mode: measured(0.5, None) for mode in MODES}

    summary = summarise([Outcome("", Table.MAIN, "a", "t", "x", columns)])

    assert set(summary.overall.means[LL].values()) == {None}
    assert summary.differences[LL] == {}
    assert summary.gap_shares[LL] == {"1": None, "2": None, "3": None}


def test_costs_are_for_one_request() -> None:
    """A replay counts the tokens of many requests; the table shows those of one."""
    replayed = Measured("x", 0.0, 0.5, None, 900, 3000, 600, 100, 25.0, requests=10)

    summary = summarise([Outcome("", Table.REPLAY, "a", "t", "x", {"paper's order": replayed})])

    assert (
        summary.costs["paper's order"].tokens_reused,
        summary.costs["paper's order"].tokens_evaluated,
    ) == (300, 60)


def test_two_settings_are_compared_task_by_task() -> None:
    """The order of tasks does not matter: each is compared with itself."""
    first = [outcome(number, "lines") for number in range(8)]
    second = [outcome(number, "snap", gain=0.05) for number in reversed(range(8))]

    difference = compare(second, first)

    assert difference[ES]["2"].mean == pytest.approx(5)
    assert difference[ES]["2"].low == pytest.approx(5)


def test_outcomes_survive_a_file() -> None:
    """What is read back equals what was written."""
    one = outcome(3)

    assert outcome_from_json(json.loads(json.dumps(one.as_json()))) == one


def test_a_journal_goes_on_where_it_ended(tmp_path: Path) -> None:
    """A torn last line, as a kill leaves it, costs that task and no other."""
    path = tmp_path / "deep" / "run.jsonl"
    with Journal(path, KEY) as journal:
        journal.add(outcome(1))
        journal.add(outcome(2))
    path.write_text(path.read_text()[:-20])

    with Journal(path, KEY) as journal:
        assert journal.finished == {outcome(1).key: outcome(1)}
        journal.add(outcome(2))

    with Journal(path, KEY) as journal:
        assert list(journal.finished.values()) == [outcome(1), outcome(2)]


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[]\n", b"{}\n", b'{"key": "another run"}\n'])
def test_a_journal_of_something_else_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    """Other options, another model, or a file that is no journal: nothing of it is used."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(content)

    with Journal(path, KEY) as journal:
        assert journal.finished == {}


def test_a_run_is_named_by_all_that_decides_it() -> None:
    """Another seed, task, model or version is another run; the same of each is the same run."""
    keys = {
        run_key(Options(), "tasks", "model", "1"),
        run_key(Options(seed=1), "tasks", "model", "1"),
        run_key(Options(), "other tasks", "model", "1"),
        run_key(Options(), "tasks", "other model", "1"),
        run_key(Options(), "tasks", "model", "2"),
    }

    assert len(keys) == 5
    assert run_key(Options(), "tasks", "model", "1") in keys


def test_the_report_says_all_and_its_json_parses(tmp_path: Path) -> None:
    """Every mode, the share of the gap, what is missing, and the comparison stand in the report."""
    task = LineTask("mine", tmp_path / "m.py", "m.py", 1, "a = b + c")
    plan = Plan(Options(compare=Comparison.SNAP), (Sources("mine", tmp_path, None),), ((task,),))
    outcomes = [outcome(n, variant) for variant in ("lines", "snap") for n in range(6)]
    console = Console(width=160, record=True, file=(tmp_path / "out.txt").open("w"))

    print_report(console, plan, outcomes, "nestling")
    text = console.export_text()

    assert all(mode in text for mode in MODES)
    assert "50%" in text
    assert "Not RepoEval's: mine." in text
    assert "nerfstudio 0.1.15" in text
    assert "snap against lines" in text
    report = json.loads(json.dumps(report_json(plan, outcomes, {"name": "nestling"})))
    assert len(report["tasks"]) == 12
    assert report["comparisons"]["main"]["snap"][ES]["2"]["mean"] == pytest.approx(0)
