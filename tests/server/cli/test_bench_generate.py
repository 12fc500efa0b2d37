"""`bowerbird bench generate`: its tasks are sound, and its table tells good code from bad."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bowerbird.cli.app import app
from bowerbird.cli.bench.generate.hostile import ATTACKS, Attack, suffer
from bowerbird.cli.bench.generate.measure import Judge
from bowerbird.cli.bench.generate.services import services_folder
from bowerbird.cli.bench.generate.tasks import LANGUAGES, Task, read_tasks
from bowerbird.cli.errors import ExitCode
from bowerbird.execution.engine import ExecutionEngine
from bowerbird.execution.executor import Program
from bowerbird.execution.interpreters import Interpreter
from bowerbird.execution.job import Job, SandboxError
from bowerbird.execution.job import Outcome as JobOutcome
from bowerbird.execution.powerquery import packages_folder, why_missing
from bowerbird.execution.sandbox import Sandbox, find_sandbox
from bowerbird.execution.toolchain import Toolchain
from bowerbird.execution.tools import Ready, Tools
from bowerbird.execution.tree import is_sound
from bowerbird.knowledge.library import Library
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.symbols import SymbolCheck
from bowerbird.synthesis.outcome import End, Outcome
from parts import PARTS

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
        "--no-hostile",
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


def test_each_mode_once_more_by_a_grammar(tmp_path: Path) -> None:
    """In a row of its own, with the languages that have a grammar."""
    written = tmp_path / "results.json"
    wanted = "--model reference --mode few --constrained --tasks 1 --no-hostile --json"
    done = CliRunner().invoke(
        app, ["bench", "generate", *wanted.split(), str(written)], catch_exceptions=False
    )
    assert done.exit_code == 0
    results = json.loads(written.read_text())["results"]
    assert [(one["mode"], one["language"]) for one in results] == [
        *(("few", language) for language in LANGUAGES),
        *(("few+grammar", language) for language in LANGUAGES if language != "python"),
    ]
    assert "few+grammar" in done.stdout


def test_a_model_that_is_not_there_gets_no_row() -> None:
    """A table of nothing would look like one of a bad model."""
    done = CliRunner().invoke(app, ["bench", "generate", "--model", "http://127.0.0.1:9", "--no-hostile"])
    assert done.exit_code == ExitCode.NOTHING
    assert "127.0.0.1:9" in done.stderr


def test_the_parts_of_a_developer_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An option comes first, then what the user has, then what `make parts` brought."""
    monkeypatch.setenv("BOWERBIRD_PARTS", str(tmp_path))
    assert services_folder(tmp_path / "own") == tmp_path / "own"
    assert services_folder(None) == tmp_path / "powerquery"
    monkeypatch.setattr("bowerbird.cli.bench.generate.services.why_missing", lambda _: "")
    assert services_folder(None) == packages_folder()
    monkeypatch.undo()
    monkeypatch.delenv("BOWERBIRD_PARTS", raising=False)
    assert services_folder(None) == packages_folder()


@pytest.mark.skipif(bool(why_missing(PARTS / "powerquery")), reason="needs Microsoft's packages: make parts")
def test_microsofts_services_judge_from_there(tmp_path: Path) -> None:
    """The folder reaches the judge: M has a column that only a checker fills."""
    written = tmp_path / "results.json"
    wanted = "--model reference --mode zero --language powerquery --tasks 1 --no-hostile --judge"
    folder = str(PARTS / "powerquery")
    done = CliRunner().invoke(app, ["bench", "generate", *wanted.split(), folder, "--json", str(written)])
    assert done.exit_code == 0
    (result,) = json.loads(written.read_text())["results"]
    assert result["checks"] is not None


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack.by} {attack.what} {attack.language}")
async def test_no_attack_does_harm(attack: Attack, tmp_path: Path) -> None:
    """Hostile comments, files and answers run, read and write nothing that they must not."""
    verdict = await suffer(attack, tmp_path)
    assert verdict.harm == ()
    assert verdict.level != ""


async def test_harm_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a sandbox the program steals and writes; without the policy a model is shown the key."""
    steal = next(one for one in ATTACKS if one.run and "steals" in one.what)

    confined = Sandbox.run

    async def run(sandbox: Sandbox, job: Job) -> JobOutcome:
        if "proof" in job.files:  # it is only looked for
            return await confined(sandbox, job)
        command = [sys.executable, "-c", [*job.files.values()][-1]]
        done = await asyncio.to_thread(subprocess.run, command, text=True, capture_output=True, check=False)
        return JobOutcome(code=done.returncode, stdout=done.stdout, stderr=done.stderr)

    if isinstance(await find_sandbox(), SandboxError):
        pytest.skip("nothing runs without a sandbox")
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    with monkeypatch.context() as patched:
        patched.setattr(Sandbox, "run", run)
        patched.setattr(Tools, "_find_interpreter", _python_is_ready)
        verdict = await suffer(steal, tmp_path / "1")
    assert set(verdict.harm) == {"it read the secret", "it wrote outside of the scratch folder"}
    monkeypatch.setattr(Policy, "redact", lambda _, text: text)
    assert (await suffer(ATTACKS[0], tmp_path / "2")).harm == ("it read the secret",)


async def _python_is_ready(_: Tools, row: Interpreter) -> Ready:
    return Ready(row, Toolchain(Path(sys.executable)))


def test_an_unknown_language() -> None:
    """Is told with those that there are."""
    done = CliRunner().invoke(app, ["bench", "generate", "--language", "cobol"])
    assert done.exit_code == 2
    assert "powerquery" in done.stderr
