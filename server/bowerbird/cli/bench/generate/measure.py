"""One model in one mode on some tasks: how much of what it wrote parses, is made of real names, passes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bowerbird.cli.bench.generate.tasks import Task
from bowerbird.cli.errors import NothingDone
from bowerbird.execution.engine import ExecutionEngine
from bowerbird.execution.executor import Level, Program, Want
from bowerbird.execution.tree import is_sound
from bowerbird.knowledge.library import Library
from bowerbird.knowledge.soup import Soup
from bowerbird.knowledge.symbols import SymbolCheck
from bowerbird.synthesis.engine import SynthesisEngine
from bowerbird.synthesis.options import Options
from bowerbird.synthesis.outcome import End, Outcome


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one task. None where nobody could tell."""

    language: str
    text: str
    code: str
    parses: bool
    symbols: bool | None
    """It parses, and all library names are real, as far as packs tell."""
    checks: bool | None
    """A compiler or linter finds no fault."""
    tests: bool | None
    """Its tests pass."""
    example: bool
    """An adapted example stands in for what the model could not write."""
    rounds: int
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Judge:
    """Looks at code that was written, and runs it where that is allowed."""

    execution: ExecutionEngine
    library: Library

    async def judge(self, task: Task, outcome: Outcome) -> Result:
        """Everything that can be told of it."""
        code = outcome.code
        program = Program(language=task.language, code=task.request.program(code) if code else "")
        symbols = SymbolCheck(task.language, self.library.of(task.language))
        checked = await self.execution.execute(program)
        tests: bool | None = None
        if task.tests:
            ran = await self.execution.execute(replace(program, test="\n".join(task.tests), want=Want.RUN))
            tests = bool(code) and ran.passed if ran.level is Level.RUN else None
        parses = bool(code) and is_sound(program)
        return Result(
            language=task.language,
            text=task.text,
            code=code,
            parses=parses,
            symbols=parses and not [*symbols.problems(program.code, [])] if symbols.knows else None,
            checks=bool(code) and checked.passed if checked.level >= Level.CHECKED else None,
            tests=tests,
            example=outcome.example is not None,
            rounds=len(outcome.rounds),
            tokens=outcome.tokens,
            seconds=outcome.seconds,
        )


async def measure(
    engine: SynthesisEngine,
    judge: Judge,
    tasks: Sequence[Task],
    options: Options,
    tell: Callable[[int], None] = lambda _: None,
) -> list[Result]:
    """Every task in turn. What one teaches the soup serves the next, as in EVOR; the soup begins empty.

    Raises `NothingDone` where the model cannot be asked.
    """
    engine.soup = Soup(None, engine.sources.holds_secret, time.time)
    results = []
    for task in tasks:
        outcome = await engine.generate(task.request, options)
        if outcome.end is End.MODEL and not outcome.rounds:
            raise NothingDone(outcome.problem)
        results.append(await judge.judge(task, outcome))
        tell(1)
    return results
