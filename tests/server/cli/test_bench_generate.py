"""`bowerbird bench generate`: its tasks are sound, and its table tells good code from bad."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bowerbird.cli.app import app
from bowerbird.cli.bench.generate.measure import Judge
from bowerbird.cli.bench.generate.tasks import LANGUAGES, Task, read_tasks
from bowerbird.execution.engine import ExecutionEngine
from bowerbird.execution.executor import Program
from bowerbird.execution.tree import is_sound
from bowerbird.knowledge.library import Library
from bowerbird.knowledge.symbols import SymbolCheck
from bowerbird.synthesis.outcome import End, Outcome

LIBRARY = Library()
TASKS = [task for language in LANGUAGES for task in read_tasks(language)]


def test_as_many_as_promised() -> None:
    """60 tasks, each with a text of its own, and tests wherever Python is asked for."""
    counts = {language: len(read_tasks(language)) for language in LANGUAGES}
    assert counts == {"powerquery": 20, "pony": 15, "ring": 15, "python": 10}
    assert len({task.text for task in TASKS}) == len(TASKS)
    assert all(bool(task.tests) == (task.language == "python") for task in TASKS)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: f"{task.language}: {task.text}")
def test_every_solution_is_sound(task: Task) -> None:
    """It parses in its place, and uses only names that are real."""
    code = task.request.program(task.solution)
    assert is_sound(Program(language=task.language, code=code))
    assert not [*SymbolCheck(task.language, LIBRARY.of(task.language)).problems(code, [])]


@pytest.mark.parametrize("task", read_tasks("python"), ids=lambda task: task.text)
def test_every_test_passes_with_the_solution_and_not_without(task: Task) -> None:
    """So the column of tests means something. (These are our own programs, so they may run here.)"""
    exec(task.request.program(task.solution) + "\n".join(task.tests), {})
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever a wrong function brings about
        exec(task.request.program("return object()") + "\n".join(task.tests), {})


async def test_the_judge_tells_good_from_bad() -> None:
    """A name that does not exist, code that does not parse, and no code at all."""
    judge = Judge(ExecutionEngine(lambda: LIBRARY.packs), LIBRARY)
    task = read_tasks("powerquery")[0]

    async def told(code: str) -> tuple[bool, bool | None]:
        result = await judge.judge(task, Outcome(code=code, end=End.ONE))
        return result.parses, result.symbols

    assert await told(task.solution) == (True, True)
    assert await told("total = List.Summ(numbers)") == (True, False)
    assert await told("total = (") == (False, False)
    assert await told("") == (False, False)


def test_the_command(tmp_path: Path) -> None:
    """The model that knows the solutions gets everything right, in every mode."""
    written = tmp_path / "results.json"
    arguments = [
        "--model",
        "reference",
        "--mode",
        "evor",
        "--mode",
        "zero",
        "--tasks",
        "1",
        "--json",
        written,
    ]
    done = CliRunner().invoke(app, ["bench", "generate", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0
    results = json.loads(written.read_text())["results"]
    assert [(one["mode"], one["language"]) for one in results] == [
        (mode, language) for mode in ("evor", "zero") for language in LANGUAGES
    ]
    assert all(one["parses"] and one["symbols"] is not False and one["rounds"] == 1 for one in results)


def test_an_unknown_language() -> None:
    """Is told with those that there are."""
    done = CliRunner().invoke(app, ["bench", "generate", "--language", "cobol"])
    assert done.exit_code == 2
    assert "powerquery" in done.stderr
