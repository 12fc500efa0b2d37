"""The bench runs its tasks on the built-in model: prompts, resuming, replaying, the command."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bowerbird.cli.app import app
from bowerbird.cli.bench.repoeval import measure, replay
from bowerbird.cli.bench.repoeval.journal import Journal
from bowerbird.cli.bench.repoeval.options import EPOCHS, MODES, PAPER, Comparison, Options, Table
from bowerbird.cli.bench.repoeval.outcome import Outcome
from bowerbird.cli.bench.repoeval.plan import Plan, make_plan
from bowerbird.cli.bench.repoeval.run import run
from bowerbird.cli.errors import UsageError
from bowerbird.inference.models import built_in_model
from bowerbird.settings import CompletionSettings
from tiny_bert import write_tiny_bert

Workspace = Callable[[Mapping[str, str | bytes]], Path]


def module(name: str) -> str:
    """Some functions, each line of which stands nowhere else in its project."""
    functions = (
        f"""
def {name}_{part}(first, second):
    {name}_{part}_sum = first.{name} + second.{part}
    for {name}_{part}_item in first.items({name}_{part}_sum):
        second.put({name}_{part}_item, {name}_{part}_sum)
    return {name}_{part}_sum
"""
        for part in ("open", "read", "close", "flush", "seek")
    )
    return f"import {name}\n" + "".join(functions)


@pytest.fixture
def sources(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two small projects; predictions are short, because nobody reads them."""
    monkeypatch.setattr(measure, "NEW_TOKENS", 8)
    monkeypatch.setattr(replay, "NEW_TOKENS", 8)
    files = {
        f"{project}/src/{name}.py": module(name)
        for project, names in (("alpha", ("cart", "shop")), ("beta", ("bird", "nest")))
        for name in names
    }
    return workspace({**files, "alpha/readme.md": "cart_open_sum = first.cart + second.open\n"})


def no_bar(_: int) -> None:
    """Tests watch no progress."""


def measured(plan: Plan, path: Path | None = None, advance: Callable[[int], None] = no_bar) -> list[Outcome]:
    with Journal(path, "key") as journal:
        return asyncio.run(run(plan, journal, advance))


def prompts(outcome: Outcome, column: str) -> list[str]:
    trace = outcome.columns[column].trace
    assert trace is not None
    return [iteration["prompt"] for iteration in trace["iterations"]]


def without_times(outcomes: list[Outcome]) -> list[Any]:
    """What must not change between runs."""
    return [
        (
            outcome.key,
            outcome.truth,
            {
                name: (one.prediction, one.exact_match, one.edit_similarity, one.prompt_tokens)
                for name, one in outcome.columns.items()
            },
        )
        for outcome in outcomes
    ]


def test_every_mode_sees_what_it_may(sources: Path) -> None:
    """In-file no other file, the rest windows of Python files; nobody the true line."""
    tables = (Table.MAIN, Table.SUFFIX)
    options = Options(repositories=("alpha",), per_repository=2, traces=True, tables=tables)
    outcomes = measured(make_plan(options, sources))

    assert len(outcomes) == 2 * 2
    for outcome in outcomes:
        assert tuple(outcome.columns) == MODES
        file = outcome.task.rpartition(":")[0].partition("/")[2]
        for column in MODES:
            for prompt in prompts(outcome, column):
                assert outcome.truth.strip() not in prompt
                assert "readme.md" not in prompt
                others = prompt.count("<|file_sep|>") - 1
                assert f"<|file_sep|>{file}\n" in prompt
                assert (others > 0) == (column != "in-file")
                behind = prompt.partition("<|fim_suffix|>")[2].partition("<|fim_middle|>")[0]
                assert bool(behind.strip()) <= (outcome.table is Table.SUFFIX)
    suffixes = [prompts(outcome, "in-file")[0] for outcome in outcomes if outcome.table is Table.SUFFIX]
    assert any("<|fim_suffix|><|fim_middle|>" not in prompt for prompt in suffixes)


def test_a_run_of_three_iterations_holds_those_of_fewer(sources: Path) -> None:
    """Iteration 2 measured by itself is what iteration 2 of three shows."""
    (three,), (alone,) = (
        measured(make_plan(Options(repositories=("beta",), per_repository=1, modes=modes), sources))
        for modes in (("1", "2", "3"), ("2",))
    )

    assert alone.columns["2"].prediction == three.columns["2"].prediction
    assert three.columns["1"].milliseconds < three.columns["3"].milliseconds


def test_likelihoods_are_of_the_true_line(sources: Path) -> None:
    """Each mode has one, below zero, and a prompt with more to copy from changes it."""
    (outcome,) = measured(make_plan(Options(repositories=("beta",), per_repository=1), sources))

    figures = [outcome.columns[mode].log_likelihood for mode in MODES]
    assert all(figure is not None and figure < 0 for figure in figures)
    assert figures[0] != figures[1]


def test_an_interrupted_run_goes_on_and_gives_the_same(sources: Path, tmp_path: Path) -> None:
    """What was measured is not measured again, and the whole is as if nothing had happened."""
    plan = make_plan(Options(per_repository=2, modes=("1",)), sources)
    path = tmp_path / "kept.jsonl"
    told: list[int] = []

    def interrupt(steps: int) -> None:
        told.append(steps)
        if sum(told) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measured(plan, path, interrupt)
    kept = path.read_text().splitlines()
    again: list[int] = []
    resumed = measured(plan, path, again.append)

    assert len(kept) == 1 + 3
    lines = path.read_text().splitlines()
    assert lines[:4] == kept
    assert len(lines) == 1 + plan.units
    assert sum(again) == plan.units == 4
    assert without_times(resumed) == without_times(measured(plan))


def test_a_replay_compares_two_orders_at_the_same_cursor(workspace: Workspace, sources: Path) -> None:
    """Key by key, with nothing from behind the cursor; tokens are those of all requests but the first."""
    code = "import long\n" + "".join(module(name) for name in ("one", "two", "six", "ten"))
    workspace({"gamma/long.py": code})
    options = Options(repositories=("gamma",), tables=(Table.REPLAY,), replay_keys=3, traces=True)
    plan = make_plan(options, sources)
    task = min(plan.tasks[0], key=lambda task: abs(task.line - 20))
    below = [line.strip() for line in code.split("\n")[task.line :] if len(line.strip()) > 10]

    (outcome,) = measured(replace(plan, tasks=((task,),)))

    assert tuple(outcome.columns) == (PAPER, EPOCHS)
    for column in (PAPER, EPOCHS):
        one = outcome.columns[column]
        assert one.requests == 3
        assert one.tokens_reused > 0
        for prompt in prompts(outcome, column):
            assert not [line for line in below if line in prompt]


def test_two_settings_are_measured_on_the_same_tasks(sources: Path) -> None:
    """The comparison pairs each task with itself."""
    options = Options(
        per_repository=1, modes=("1",), compare=Comparison.SHIFT, completion=CompletionSettings(slide_lines=5)
    )
    outcomes = measured(make_plan(options, sources))

    assert [outcome.variant for outcome in outcomes] == ["shift 0"] * 2 + ["shift 5"] * 2
    assert [outcome.task for outcome in outcomes[:2]] == [outcome.task for outcome in outcomes[2:]]


def test_two_models_are_measured_on_the_same_tasks(sources: Path, tmp_path: Path) -> None:
    """Side by side in one run, and each task with itself; the same weights say the same."""
    twin = tmp_path / "twin.gguf"
    twin.symlink_to(built_in_model())
    told = tmp_path / "out.json"
    arguments = ["bench", "repoeval", "--sources", str(sources), "--repos", "beta", "--per-repo", "1"]
    arguments += ["--modes", "1", "--model", "built-in", "--json", str(told), "--beside"]

    ran = CliRunner().invoke(app, [*arguments, str(twin)])
    same = CliRunner().invoke(app, [*arguments, "built-in"])

    assert ran.exit_code == 0, ran.output
    assert f"twin against {built_in_model().stem}" in ran.stdout
    ours, theirs = json.loads(told.read_text())["tasks"]
    assert (ours["variant"], theirs["variant"]) == (built_in_model().stem, "twin")
    assert (ours["task"], ours["columns"]["1"]["prediction"]) == (
        theirs["task"],
        theirs["columns"]["1"]["prediction"],
    )
    assert ours["columns"]["1"]["log_likelihood"] == theirs["columns"]["1"]["log_likelihood"]
    assert same.exit_code != 0


def test_repositories_can_be_chosen(sources: Path) -> None:
    """By name; one that is not there is told with those that are."""
    plan = make_plan(Options(repositories=("beta",), per_repository=1), sources)

    assert [one.name for one in plan.sources] == ["beta"]
    with pytest.raises(UsageError, match="alpha, beta"):
        make_plan(Options(repositories=("gamma",)), sources)


def test_files_that_the_policy_keeps_out_give_no_task(sources: Path) -> None:
    """They could not be completed anyway. What a program wrote is no such file: the paper's index has it."""
    folder = sources / "alpha" / "src"
    (folder / "shop.py").rename(folder / "id_rsa_shop.py")
    (folder / "made.py").write_text("# Generated by a tool. Do not edit.\n" + module("made"))

    plan = make_plan(Options(repositories=("alpha",)), sources)

    assert {task.name for task in plan.tasks[0]} == {"src/cart.py", "src/made.py"}


def test_the_command_writes_a_table_and_json_and_resumes(sources: Path, tmp_path: Path) -> None:
    """A second call with the same options measures nothing and says the same."""
    file = tmp_path / "out.json"
    arguments = [
        "bench",
        "repoeval",
        "--sources",
        str(sources),
        "--per-repo",
        "1",
        "--modes",
        "in-file,2,oracle",
    ]
    arguments += ["--json", str(file)]

    first = CliRunner().invoke(app, arguments, catch_exceptions=False)
    report = json.loads(file.read_text())
    second = CliRunner().invoke(app, arguments, catch_exceptions=False)

    assert first.exit_code == 0, first.output
    assert "edit similarity" in first.stdout
    assert "Not RepoEval's: alpha, beta." in first.stdout
    assert report["options"]["per_repository"] == 1
    assert len(report["tasks"]) == 2
    assert report["tasks"][0]["columns"]["2"]["prediction"]
    assert second.stdout == first.stdout
    assert json.loads(file.read_text())["tasks"] == report["tasks"]


def test_words_vectors_and_both_stand_side_by_side(sources: Path, tmp_path: Path) -> None:
    """Appendix B: the same tasks, with windows found in three ways."""
    model = write_tiny_bert(tmp_path / "tiny.gguf")
    completion = CompletionSettings(embedding_model=str(model), window_lines=4, slide_lines=2)
    options = Options(
        per_repository=1, modes=("1",), compare=Comparison.DENSE, traces=True, completion=completion
    )
    outcomes = measured(make_plan(options, sources))

    origins = {
        outcome.variant: {
            hit["origin"]
            for one in outcomes
            if one.variant == outcome.variant
            for hit in (one.columns["1"].trace or {})["iterations"][0]["hits"]
        }
        for outcome in outcomes
    }
    assert origins["Jaccard"] == {"jaccard"}
    assert origins["dense"] == {"dense"}
    assert "jaccard and dense" in origins["fused"]


def test_reach_tells_what_windows_hold(sources: Path, tmp_path: Path) -> None:
    """Without a model: a line that stands in a window is reached wholly; where windows lie adds up."""
    for name in ("cart", "shop"):
        file = sources / "alpha" / "src" / f"{name}.py"
        file.write_text(file.read_text() + "\nresult = open_the_shop(cart, shop)\n" * 2)
    told = tmp_path / "reach.json"
    arguments = [
        "bench",
        "repoeval",
        "--reach",
        "--compare",
        "priors",
        "--repos",
        "alpha",
        "--json",
        str(told),
    ]
    ran = CliRunner().invoke(app, [*arguments, "--sources", str(sources), "--model", "none.gguf"])

    assert ran.exit_code == 0, ran.output
    assert "most similar line" in ran.output
    report = json.loads(told.read_text())
    assert set(report["places"]) == set(Options(compare=Comparison.PRIORS).variants())
    (whole,) = [task for task in report["tasks"] if task["line"] == 1 and task["variant"] == "no prior"]
    assert whole["words"] == 1
    assert (
        report["places"]["no prior"]["found"]["folder"] + report["places"]["no prior"]["found"]["file"] == 1
    )


def test_vectors_need_a_model(sources: Path) -> None:
    """A sentence says so."""
    arguments = ["bench", "repoeval", "--compare", "dense", "--sources", str(sources)]
    for more, said in (([], "--embedding-model"), (["--embedding-model", "none.gguf"], "no file none.gguf")):
        ran = CliRunner().invoke(app, [*arguments, *more])
        assert ran.exit_code != 0
        assert said in str(ran.output) + str(ran.exception)
