"""A program in its document, as the executor is given it; older faults of the document do not count."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath

from bowerbird.execution.executor import Executor, Feedback, Program, Severity, Want
from bowerbird.execution.interpreters import INTERPRETERS
from bowerbird.syntax.indent import leading_space
from bowerbird.synthesis.place import without_margin
from bowerbird.synthesis.request import Request, name_in

FUNCTION = re.compile(
    r"^(?:(?:pub|export|local)\s+)?(?:async\s+)?(?:def|func|function|fn)\s+\w+", re.MULTILINE | re.IGNORECASE
)


class Trial:
    """Executes programs for one request."""

    def __init__(self, executor: Executor, request: Request, path: PurePosixPath) -> None:
        self._executor = executor
        self._request = request
        self._path = path
        self._before: frozenset[str] | None = None
        """What the checkers say of the document as it is."""

    async def execute(self, code: str, inputs: tuple[str, ...], running: bool) -> Feedback:
        """F <- E(p, I): the whole document with the code in its place, and the calls behind it."""
        request = self._request
        program = Program(
            language=request.language,
            code=request.program(code),
            path=self._path,
            test="\n".join(inputs) if running else "",
            want=Want.RUN if running else Want.CHECK,
        )
        feedback = await self._executor.execute(program)
        if feedback.passed or not request.text.strip():
            return feedback
        first = self.first_line
        own = range(first, first + without_margin(code).count("\n") + 1)
        strange = [one for one in feedback.errors if one.path or one.line not in own]
        if not strange:
            return feedback
        if self._before is None:
            told = await self._executor.execute(replace(program, code=request.text, test="", want=Want.CHECK))
            self._before = frozenset(message.text for message in told.errors)
        old = [one for one in strange if one.text in self._before]
        kept = tuple(message for message in feedback.messages if message not in old)
        errors = any(message.severity is Severity.ERROR for message in kept)
        return replace(feedback, messages=kept, passed=bool(old) and not errors)

    @property
    def first_line(self) -> int:
        """The line of the document, from 0, on which the code begins."""
        place = self._request.place
        return place.start.line + place.lead.count("\n")

    def function_to_call(self, code: str) -> str:
        """The function to make inputs for: the one whose body the code is, else the last that it defines.

        Empty where there is none, where it is called through an object, or where nothing here can run it.
        """
        request = self._request
        if not code or request.language not in INTERPRETERS:
            return ""
        if not request.body:
            heads = FUNCTION.findall(code)
            return name_in(heads[-1]) if heads else ""
        name = name_in(request.signature)
        above = (row for row in reversed(request.before.split("\n")) if name_in(row) == name)
        return "" if leading_space(next(above, " ")) else name
