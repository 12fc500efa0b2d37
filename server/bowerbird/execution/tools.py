"""The tables' tools as this machine has them: a program is put to one of them, in the sandbox."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath
from typing import TypeVar

from bowerbird.execution.checker import FILE, TOOL, Checker
from bowerbird.execution.compilers import BY_LANGUAGE, CHECKERS
from bowerbird.execution.executor import (
    MOST_MESSAGES,
    Feedback,
    Level,
    Message,
    Program,
    Severity,
    as_message,
)
from bowerbird.execution.interpreters import INTERPRETERS, Interpreter
from bowerbird.execution.job import SCRATCH, Job, Limits, Outcome, SandboxError
from bowerbird.execution.sandbox import Sandbox
from bowerbird.execution.toolchain import Toolchain

CHECK_LIMITS = Limits(wall_s=20, cpu_s=20)
RUN_LIMITS = Limits(wall_s=10, cpu_s=10, memory_bytes=1 << 30)
MOST_TOOLCHAINS = 4  # of one name that are tried before a row is given up
FOLDERS = re.compile(rf"{re.escape(str(SCRATCH))}/|(?<![\w/])\./")

Row = TypeVar("Row", Checker, Interpreter)


@dataclass(frozen=True, slots=True)
class Ready:
    """A row whose tool is installed and passed its samples."""

    row: Checker | Interpreter
    tool: Toolchain


class Tools:
    """What of the tables works here. Each row is tried once, when its language is first asked for."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._found: dict[tuple[str, str], asyncio.Task[Ready | str]] = {}

    async def check(self, program: Program) -> Feedback | str:
        """What a checker says, or why none can say anything."""
        suffix = program.path.suffix.lower()
        rows = [row for row in BY_LANGUAGE.get(program.language, ()) if suffix not in row.not_for]
        if not rows:
            return f"no checker for {program.language} is known"
        reasons = []
        for row in rows:
            ready = await self._once("check", row.name, partial(self._find_checker, row))
            if isinstance(ready, str):
                reasons.append(ready)
                continue
            name = _name(program, row)
            job = _job((row.check,), ready.tool, name, _files(program, name, program.code), CHECK_LIMITS)
            try:
                outcome = await self._sandbox.run(job)
            except SandboxError as error:
                return str(error)
            return judge(row, outcome, name)
        return "; ".join(reasons)

    async def run(self, program: Program) -> Feedback | str:
        """What comes of running it, or why it cannot be run."""
        row = INTERPRETERS.get(program.language)
        if row is None:
            return f"nothing that runs {program.language} is known"
        ready = await self._once("run", program.language, partial(self._find_interpreter, row))
        if isinstance(ready, str):
            return ready
        whole = row.whole(program.code, program.test)
        name = _name(program, row)
        files = _files(program, name, whole)
        try:
            outcome = await self._sandbox.run(
                _job(row.steps, ready.tool, name, files, RUN_LIMITS, program.stdin)
            )
        except SandboxError as error:
            return str(error)
        failure = [] if outcome.succeeded else [_failure(outcome, name, whole.count("\n"))]
        return Feedback(
            passed=outcome.succeeded,
            level=Level.RUN,
            by=(row.name,),
            messages=tuple(failure),
            stdout=outcome.stdout,
            stderr=FOLDERS.sub("", outcome.stderr),
            milliseconds=outcome.milliseconds,
            note=f"the program {outcome.ended}" if outcome.ended else "",
        )

    async def available(self) -> dict[str, Ready | str]:
        """Every row of the checkers' table by name: ready, or why not. For `bowerbird doctor`."""
        found = [self._once("check", row.name, partial(self._find_checker, row)) for row in CHECKERS]
        return dict(zip((row.name for row in CHECKERS), await asyncio.gather(*found), strict=True))

    async def _once(self, kind: str, name: str, find: Callable[[], Awaitable[Ready | str]]) -> Ready | str:
        """A search that many may wait for; whoever stops waiting does not stop it."""
        task = self._found.get((kind, name))
        if task is None:
            task = self._found[kind, name] = asyncio.ensure_future(find())
        return await asyncio.shield(task)

    async def _find_checker(self, row: Checker) -> Ready | str:
        async def works(tool: Toolchain) -> str:
            for sample, fine in ((row.good, True), (row.bad, False)):
                job = _job((row.check,), tool, row.file, {row.file: sample}, CHECK_LIMITS)
                outcome = await self._sandbox.run(job)
                said = judge(row, outcome, row.file)
                if isinstance(said, str) or said.passed is not fine:
                    wrong = "finds fault with a good program" if fine else "finds no fault with a bad one"
                    return f"{row.name} {wrong}: {_said(outcome)}"
            return ""

        return await _first_that_works(row, works)

    async def _find_interpreter(self, row: Interpreter) -> Ready | str:
        async def works(tool: Toolchain) -> str:
            job = _job(row.steps, tool, row.file, {row.file: row.good}, RUN_LIMITS)
            outcome = await self._sandbox.run(job)
            return "" if outcome.succeeded else f"{row.name}: {_said(outcome)}"

        return await _first_that_works(row, works)


async def _first_that_works(row: Row, works: Callable[[Toolchain], Awaitable[str]]) -> Ready | str:
    problem = f"{row.name} is not installed"
    for _, tool in zip(range(MOST_TOOLCHAINS), row.locate(row.executables), strict=False):
        try:
            problem = await works(tool)
        except SandboxError as error:
            problem = f"{row.name}: {error}"
        if not problem:
            return Ready(row, tool)
    return problem


def _said(outcome: Outcome) -> str:
    return (outcome.stderr or outcome.stdout or outcome.ended).strip()[:200]


def _name(program: Program, row: Checker | Interpreter) -> str:
    """What the program's file is called in the sandbox."""
    path = program.path
    public = row.public.search(program.code) if isinstance(row, Checker) and row.public else None
    name = path.name or row.file
    if public:
        name = f"{public[1]}{PurePosixPath(row.file).suffix}"
    safe = not path.is_absolute() and ".." not in path.parts
    return str((path.parent if path.name and safe else PurePosixPath()) / name)


def _files(program: Program, name: str, code: str) -> dict[str, str]:
    """Those that it may read, and itself."""
    return {**{str(file.path): file.text for file in program.files}, name: code}


def _job(
    steps: Sequence[Sequence[str]],
    tool: Toolchain,
    name: str,
    files: Mapping[str, str],
    limits: Limits,
    stdin: str = "",
) -> Job:
    """Steps of a row, for the file `name`."""
    meant = {TOOL: str(tool.executable), FILE: name if not name.startswith("-") else f"./{name}"}
    return Job(
        steps=tuple(tuple(meant.get(word, word) for word in step) for step in steps),
        files=files,
        readable=tool.readable,
        env={"PATH": tool.path},
        stdin=stdin,
        limits=limits,
    )


def judge(row: Checker, outcome: Outcome, name: str) -> Feedback | str:
    """The checker's answer, unless it rests on things that are not in the sandbox."""
    if outcome.code is None:
        return f"{row.name} {outcome.ended}"
    text = FOLDERS.sub("", f"{outcome.stdout}\n{outcome.stderr}")
    messages = [_message(match, name) for match in row.message.finditer(text)]
    unseen = next((message for message in messages if row.unseen.search(message.text)), None)
    if unseen is not None or row.unseen.search(text):
        told = unseen.text if unseen else text.strip()[:200]
        return f"{row.name} cannot see what the program stands on: {told}"
    failed = outcome.code != 0 and not any(message.severity is Severity.ERROR for message in messages)
    if failed:
        messages.append(
            Message(as_message(text.strip()[:500]) or f"{row.name} ended with code {outcome.code}")
        )
    return Feedback(
        passed=not any(message.severity is Severity.ERROR for message in messages),
        level=row.level,
        by=(row.name,),
        messages=tuple(
            sorted(messages, key=lambda one: (one.path, one.line, one.column or 0))[:MOST_MESSAGES]
        ),
        milliseconds=outcome.milliseconds,
    )


_MORE = re.compile(r"^(?:\s*= )?\s*((?:help|symbol|location): .*)", re.MULTILINE)
"""Of the lines below a message those that say what might be meant."""


def _message(match: re.Match[str], name: str) -> Message:
    found = match.groupdict()
    column = int(found["column"]) - 1 if found.get("column") else None
    if found.get("caret") is not None:
        column = len(found["caret"])
    more = " ".join(" ".join(_MORE.findall(found.get("more") or "")).split())
    path = found.get("path") or name
    return Message(
        text=as_message(" ".join([found["text"].strip(), *([f"({more})"] if more else [])])),
        line=max(0, int(found["line"]) - 1),
        column=column,
        code=found.get("code") or "",
        severity=Severity.HINT if found.get("severity") == "warning" else Severity.ERROR,
        path="" if path == name else path,
    )


_BOILERPLATE = re.compile(r"\s*at |Node\.js v|note: |\s*$")
_LINE = r'(?:{0}", line |{0}: line |{0}:|{0} line )(\d+)'


def _failure(outcome: Outcome, name: str, lines: int) -> Message:
    """Why a program failed, at the last line of its own that it names."""
    text = outcome.stderr.strip()
    named = [int(found) - 1 for found in re.findall(_LINE.format(re.escape(name)), text)]
    said = next((line for line in reversed(text.split("\n")) if not _BOILERPLATE.match(line)), "")
    why = f"the program {outcome.ended}" if outcome.ended else said or f"it ended with code {outcome.code}"
    return replace(Message(as_message(why)), line=next((at for at in reversed(named) if 0 <= at <= lines), 0))
