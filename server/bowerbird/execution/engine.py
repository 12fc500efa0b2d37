"""Execution: the best that this machine has for a program's language, and never nothing.

First a compiler or the language's own services, in the sandbox; else its grammar and its packs. The answer
says how far it went, and why not further.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from bowerbird.execution.executor import Feedback, Level, Permission, Program, Want
from bowerbird.execution.job import SandboxError
from bowerbird.execution.powerquery import LANGUAGE as POWERQUERY
from bowerbird.execution.powerquery import LEX_ERROR, PowerQuery
from bowerbird.execution.sandbox import Sandbox, find_sandbox
from bowerbird.execution.tools import Tools
from bowerbird.execution.tree import is_sound, look_at, symbol_messages
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.symbols import SymbolCheck

OFF = "Running programs is off."


class ExecutionEngine:
    """An `Executor` that chooses; it looks for the sandbox when it is first asked."""

    def __init__(
        self,
        packs: Callable[[], Sequence[Pack]],
        permission: Permission = Permission.CHECK,
        hidden: Sequence[Path] = (),
        powerquery_folder: Path | None = None,
    ) -> None:
        """`hidden`: folders that no program may see although they lie among the system's, such as the
        workspace of a container; `powerquery_folder`: where the services' packages are, if elsewhere."""
        self._packs = packs
        self._permission = permission
        self._hidden = tuple(hidden)
        self._powerquery_folder = powerquery_folder
        self._symbols: dict[str, tuple[tuple[Pack, ...], SymbolCheck]] = {}
        self._found: asyncio.Task[Sandbox | SandboxError] | None = None
        self._tools: Tools | None = None
        self._powerquery: PowerQuery | None = None

    async def execute(self, program: Program) -> Feedback:
        """Check or run; whatever the program is, the answer is feedback."""
        if program.want is Want.CHECK:
            return await self._check(program)
        ran = await self._run(program)
        if isinstance(ran, Feedback):
            if ran.passed:
                return ran
            checked = await self._check(program)  # a traceback tells one fault, a checker each
            known = {message.text for message in ran.messages}
            more = [message for message in checked.errors if message.text not in known]
            return replace(ran, messages=(*ran.messages, *more), by=(*ran.by, *(checked.by if more else ())))
        checked = await self._check(program)
        return replace(checked, note=" ".join(filter(None, (ran, checked.note))))

    async def sandbox(self) -> Sandbox | SandboxError:
        """The sandbox, or why there is none. Found once."""
        if self._found is None:
            self._found = asyncio.ensure_future(find_sandbox(self._hidden))
        return await asyncio.shield(self._found)

    async def tools(self) -> Tools | None:
        """The tables' compilers and interpreters; None without a sandbox."""
        sandbox = await self.sandbox()
        if self._tools is None and isinstance(sandbox, Sandbox):
            self._tools = Tools(sandbox)
        return self._tools

    async def close(self) -> None:
        """End what was kept warm. Can be called twice."""
        if self._powerquery is not None:
            await self._powerquery.close()

    async def _run(self, program: Program) -> Feedback | str:
        if self._permission is not Permission.RUN:
            return OFF
        tools = await self.tools()
        if tools is None:
            return f"Programs do not run without a sandbox ({await self.sandbox()})."
        ran = await tools.run(program)
        return ran if isinstance(ran, Feedback) else f"It was not run: {ran}."

    async def _check(self, program: Program) -> Feedback:
        symbols = self._symbol_check(program.language)
        best = await self._best(program)
        if isinstance(best, Feedback) and _is_lexer_s_mistake(best, program):
            best = "its lexer finds fault with numbers that the language has"
        if isinstance(best, str):
            looked = await asyncio.to_thread(look_at, program, symbols)
            return replace(looked, note=" ".join(filter(None, (looked.note, f"No more than that: {best}."))))
        if best.level >= Level.CHECKED or not symbols.knows:
            return best
        named = await asyncio.to_thread(lambda: [*symbol_messages(program, symbols)])
        return replace(
            best,
            passed=best.passed and not named,
            by=(*best.by, "packs"),
            messages=tuple(sorted([*best.messages, *named], key=lambda one: (one.path, one.line))),
        )

    async def _best(self, program: Program) -> Feedback | str:
        """The language's own tool, or why it has nothing to say."""
        sandbox = await self.sandbox()
        if program.language == POWERQUERY:
            if self._powerquery is None:
                inside = sandbox if isinstance(sandbox, Sandbox) else None
                self._powerquery = PowerQuery(inside, self._powerquery_folder)
            return await self._powerquery.check(program, self._packs())
        tools = await self.tools()
        return str(sandbox) if tools is None else await tools.check(program)

    def _symbol_check(self, language: str) -> SymbolCheck:
        """Made anew when the packs have changed."""
        packs = tuple(pack for pack in self._packs() if pack.manifest.language == language)
        kept = self._symbols.get(language)
        if kept is None or kept[0] != packs:
            kept = self._symbols[language] = (packs, SymbolCheck(language, packs))
        return kept[1]


def _is_lexer_s_mistake(feedback: Feedback, program: Program) -> bool:
    """The services' lexer knows no ``.05``; our grammar does."""
    return any(message.code == LEX_ERROR for message in feedback.errors) and is_sound(program)
