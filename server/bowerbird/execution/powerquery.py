"""Power Query M's own parser and language services: syntax, unknown names, numbers of arguments.

They are Microsoft's, from npm, and `bowerbird setup powerquery` installs them. They execute nothing of what
they read, so they also serve without a sandbox. They are kept warm, in the sandbox where there is one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import platformdirs

from bowerbird.execution.executor import Feedback, Level, Message, Program, Severity, as_message
from bowerbird.execution.job import Job, Limits, SandboxError
from bowerbird.execution.powerquery_symbols import library_symbols
from bowerbird.execution.sandbox import LONGEST_LINE, Sandbox
from bowerbird.execution.toolchain import Toolchain, on_path
from bowerbird.knowledge.packs.pack import Pack

LANGUAGE = "powerquery"
NAME = "powerquery-language-services"
PARSER = "powerquery-parser"

PACKAGES = {
    "@microsoft/powerquery-parser": "2.0.0",
    "@microsoft/powerquery-language-services": "1.1.2",
    "@microsoft/powerquery-formatter": "1.0.1",
}
"""Pinned: on an older Node a bare `npm install` takes releases that find faults in sound code."""

BRIDGE = Path(__file__).with_name("powerquery_bridge.js")
BRIDGE_FILE = "bridge.js"
START_S = 30.0
CHECK_S = 10.0  # the slowest of 797 examples took 34 ms
LIMITS = Limits(wall_s=0, cpu_s=0, memory_bytes=1 << 30, processes=64)

LEX_ERROR = "Error.Lex"
SOFT = "Error.InvokeArgumentTypeMismatch"
"""A hint: of 797 sound examples it finds 45 wrong, of which `_VAGUE` are most."""
_VAGUE = re.compile(r"got (?:'?)(?:any|unknown|none|null)\b|to be (?:'?)(?:any|anynonnull)\b")


def packages_folder() -> Path:
    """Where `bowerbird setup powerquery` puts them. It need not exist."""
    return Path(platformdirs.user_data_dir("bowerbird", appauthor=False)) / "checkers" / LANGUAGE


def why_missing(folder: Path) -> str:
    """Why the packages in `folder` cannot serve; empty where they can."""
    for name, wanted in PACKAGES.items():
        try:
            found = json.loads((folder / "node_modules" / name / "package.json").read_text())["version"]
        except (OSError, ValueError, KeyError):
            return f"{name} is not installed: bowerbird setup powerquery"
        if found != wanted:
            return f"{name} is {found}, not {wanted}: bowerbird setup powerquery"
    return ""


class PowerQuery:
    """The services, started when they are first asked."""

    def __init__(self, sandbox: Sandbox | None, folder: Path | None = None) -> None:
        self._sandbox = sandbox
        self._packs: tuple[Pack, ...] = ()
        """Whose names the running services know."""
        self._folder = folder or packages_folder()
        self._turn = asyncio.Lock()
        """The services answer one request after another."""
        self._house = contextlib.AsyncExitStack()
        self._process: asyncio.subprocess.Process | None = None
        self._requests = 0

    async def check(self, program: Program, packs: Iterable[Pack]) -> Feedback | str:
        """What they say, or why they cannot. Their library's names are those of `packs`."""
        missing = why_missing(self._folder)
        if missing:
            return missing
        began = time.perf_counter()
        async with self._turn:
            try:
                answer = await self._ask(
                    program.code, tuple(one for one in packs if one.manifest.language == LANGUAGE)
                )
            except (OSError, SandboxError, ValueError) as error:
                await self._stop()
                return f"{NAME}: {error}"
            except BaseException:  # cancelled: the answer on its way would be taken for another's
                await self._stop()
                raise
        failed = f"{NAME} failed: {answer['failed']}" if "failed" in answer else ""
        if "diagnostics" not in answer:
            return failed
        lines = program.code.split("\n")
        messages = [_message(one, lines) for one in answer["diagnostics"] if not _is_noise(one)]
        return Feedback(
            passed=not any(message.severity is Severity.ERROR for message in messages),
            level=Level.PARSED if failed else Level.CHECKED,
            by=(PARSER if failed else NAME,),
            note=failed and f"No more than that: {failed}.",
            messages=tuple(sorted(messages, key=lambda message: message.position)),
            milliseconds=(time.perf_counter() - began) * 1000,
        )

    async def close(self) -> None:
        """End the services. Can be called twice; they start again when asked again."""
        async with self._turn:
            await self._stop()

    async def _ask(self, code: str, packs: tuple[Pack, ...]) -> dict[str, Any]:
        if self._process is None or self._process.returncode is not None or packs != self._packs:
            await self._stop()
            self._packs = packs
            await self._start()
        self._requests += 1
        return await self._exchange({"id": self._requests, "code": code}, CHECK_S)

    async def _start(self) -> None:
        node = next(on_path(("node",)), None)
        if node is None:
            raise FileNotFoundError("node is not installed")
        self._process = await self._spawn(node)
        answer = await self._exchange({"symbols": library_symbols(self._packs)}, START_S)
        if not answer.get("ready"):
            raise ValueError("it did not start")

    async def _spawn(self, node: Toolchain) -> asyncio.subprocess.Process:
        heap = "--max-old-space-size=512"
        if self._sandbox is not None:
            folder = self._folder.resolve()  # a link that leads there is not in the sandbox
            job = Job(
                steps=((str(node.executable), heap, BRIDGE_FILE, str(folder)),),
                files={BRIDGE_FILE: BRIDGE.read_text()},
                readable=(*node.readable, folder),
                limits=LIMITS,
            )
            return (await self._house.enter_async_context(self._sandbox.start(job))).process
        process = await asyncio.create_subprocess_exec(
            str(node.executable), heap, str(BRIDGE), str(self._folder),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            cwd=self._folder,
            env={},
        )  # fmt: skip
        self._house.push_async_callback(process.wait)
        self._house.callback(_kill, process)
        return process

    async def _exchange(self, message: dict[str, Any], patience_s: float) -> dict[str, Any]:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            async with asyncio.timeout(patience_s):
                process.stdin.write(json.dumps(message).encode() + b"\n")
                await process.stdin.drain()
                line = await process.stdout.readline()
        except TimeoutError:
            raise ValueError(f"it did not answer for {patience_s:g} seconds") from None
        if not line:
            assert process.stderr is not None
            said = (await process.stderr.read(10_000)).decode("utf-8", "replace").strip()
            raise ValueError(said.split("\n")[-1][:300] or "it ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def _stop(self) -> None:
        self._process = None
        house, self._house = self._house, contextlib.AsyncExitStack()
        await house.aclose()


def _is_noise(diagnostic: dict[str, Any]) -> bool:
    return diagnostic["code"] == SOFT and _VAGUE.search(diagnostic["text"]) is not None


def _message(diagnostic: dict[str, Any], lines: list[str]) -> Message:
    line, column = int(diagnostic["line"]), int(diagnostic["column"])
    text = lines[line] if line < len(lines) else ""
    before = text.encode("utf-16-le", "surrogatepass")[: 2 * column]
    return Message(
        text=as_message(diagnostic["text"]),
        line=line,
        column=len(before.decode("utf-16-le", "replace")),
        code=diagnostic["code"],
        severity=Severity.HINT if diagnostic["code"] == SOFT else Severity.ERROR,
    )


def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
