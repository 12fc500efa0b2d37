"""Many conversations with real servers, one after the other, and what is found wrong of each."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import psutil  # type: ignore[import-untyped]

from bowerbird.cli.bench.fuzz.conversation import Conversation
from bowerbird.cli.bench.fuzz.faults import Block, Fuzzed, Log, story
from bowerbird.cli.bench.fuzz.watch import Hang, Watch, children_of, kill_children, load_of, patiently
from bowerbird.cli.bench.fuzz.wire import Wire
from bowerbird.cli.bench.soak.watched import HOLDINGS, PROGRAM, TEXTS

SETTLE_S = 30.0
STORY_S = 5.0
"""For a server that hangs to say where."""

ENCODINGS = ("utf-16", "utf-8", "utf-32")
FILES_MORE = 16
"""Open files that a server may have more at the end than at its beginning: the model's pipes, the index."""

TASKS_MORE = 6
FAULTS_MORE = 5
"""After so many a server is left, and the conversations that it did not have are not held."""

CHILDREN_EVERY = 20
"""Conversations; to look for a process's children takes a while."""

MISTAKES = (
    b"A completion failed.",
    b"A look-up failed.",
    b"Something failed beside the requests.",
    b"is not in the index.",
    b"Not everything could be closed",
    b"Task exception was never retrieved",
)
"""What the log says of the server's own mistakes. What it says of unreadable messages is none."""

OPTIONS = {
    "completion": {"timeBudgetMs": 60, "maxNewTokens": 3, "promptTokens": 96, "speculate": False},
    "inference": {"maxRestarts": 1_000_000},
}
"""Small answers: the conversation is looked at, not what the model writes."""

T = TypeVar("T")


async def fuzz(
    folder: Path,
    conversations: int,
    seed: int,
    per_server: int,
    advance: Callable[[int], None],
    command: Sequence[str] = (sys.executable, *PROGRAM),
    first: int = 0,
) -> Fuzzed:
    """Hold so many conversations in `folder`, from the number `first`, `per_server` with each process.

    What a conversation says depends on the seed and its number only.
    """
    found, began = Fuzzed(), time.monotonic()
    number = first
    while number < first + conversations:
        turn = number // per_server
        last = min((turn + 1) * per_server, first + conversations)
        block = Block(seed, number, last, per_server, ENCODINGS[turn % len(ENCODINGS)])
        await _Talks(block, folder, found, advance).hold(command)
        found.servers += 1
        number = last
    found.seconds = time.monotonic() - began
    return found


class _Talks:
    """One server's process and the conversations with it."""

    def __init__(self, block: Block, folder: Path, found: Fuzzed, advance: Callable[[int], None]) -> None:
        self._block = block
        self._folder = folder
        self._found = found
        self._advance = advance
        self._number = block.first
        self._log = Log()
        self._read_log = 0
        self._pid = 0
        self._wire: Wire

    async def hold(self, command: Sequence[str]) -> None:
        """All of them, until the server ends, hangs or has too many faults."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._wire, self._pid = Wire(process.stdin), process.pid
        tasks = [
            asyncio.create_task(self._wire.listen(process.stdout)),
            asyncio.create_task(self._keep_log(process.stderr)),
        ]
        children: set[int] = set()
        fault = ""
        try:
            await self._begin()
            before = await self._result(HOLDINGS)
            await self._converse(children)
            await self._judge_rest(before)
            await self._leave(process)
        except Hang as hang:
            self._tell(f"the server {hang}: {self._unanswered()}\n{await self._where_it_hangs()}")
        except ValueError as error:  # it has ended, or refuses what it must not
            fault = f"{error} {self._wire.broken}".rstrip()
        finally:
            self._found.requests += len(self._wire.answers)
            if self._wire.ended and not self._wire.broken:  # by itself; killed too early, it has no exit code
                await asyncio.wait([*tasks, asyncio.ensure_future(process.wait())], timeout=SETTLE_S)
            if process.returncode is None:
                process.kill()
            await asyncio.gather(*tasks)
            await process.wait()
        if fault:
            self._tell(f"{fault} Its exit code is {process.returncode}. It said last: {self._log.end()}")
        await self._judge_children(children)
        self._judge_log()

    async def _converse(self, children: set[int]) -> None:
        block, found = self._block, self._found
        faults = len(found.faults)
        for self._number in range(block.first, block.last):
            chance = random.Random(f"{block.seed}/{self._number}")
            talk = Conversation(
                self._wire, chance, self._folder.as_uri(), block.encoding, lambda: kill_children(self._pid)
            )
            await talk.hold()
            found.conversations += 1
            found.moves += talk.moves
            found.crashes += talk.crashes
            await self._judge(talk)
            self._judge_log()
            if self._number % CHILDREN_EVERY == 0:
                children |= set(children_of(self._pid))
            self._advance(1)
            if self._wire.ended or len(found.faults) > faults + FAULTS_MORE:
                break

    def _tell(self, what: str) -> None:
        self._found.faults.append(self._block.fault(self._number, what))

    async def _patiently(self, work: Awaitable[T]) -> T:
        return await patiently(work, Watch(lambda: load_of(self._pid)), lambda: self._wire.heard)

    async def _result(self, method: str, params: Any = None) -> Any:
        return await self._patiently(self._wire.result(method, params, None))

    async def _begin(self) -> None:
        capabilities = {
            "general": {"positionEncodings": [self._block.encoding]},
            "workspace": {"configuration": False},
            "textDocument": {"inlineCompletion": {}},
        }
        uri = self._folder.as_uri()
        params: dict[str, Any] = {
            "processId": os.getpid(),
            "capabilities": capabilities,
            "workspaceFolders": [{"uri": uri, "name": self._folder.name}],
            "rootUri": uri,
            "initializationOptions": OPTIONS,
        }
        await self._result("initialize", params)
        self._wire.tell("initialized", {})

    async def _judge(self, talk: Conversation) -> None:
        """Is every request answered once, and does every document say what it must?"""
        wire = self._wire
        await self._patiently(wire.answered(None))
        if wire.ended:
            raise ValueError(f"The server ended, and {self._unanswered()}.")
        documents: dict[str, str] = await self._result(TEXTS)
        twice = [name for name, answers in wire.answers.items() if len(answers) > 1]
        if twice:
            self._tell(f"more than one answer to {twice}")
            for name in twice:
                del wire.answers[name][1:]
        if strangers := [one for one in wire.strangers if one.get("id") is not None]:
            self._tell(f"answers to nothing that was asked: {strangers[:3]}")
        wire.strangers.clear()
        for uri in sorted({*documents, *talk.texts}):
            if documents.get(uri) != talk.texts.get(uri):
                self._tell(f"{uri} is {documents.get(uri)!r}, must be {talk.texts.get(uri)!r}")
        talk.close_all()

    async def _judge_rest(self, before: dict[str, Any]) -> None:
        """When all is quiet, is more held than at the beginning?"""
        deadline = time.monotonic() + SETTLE_S
        while True:
            held = await self._result(HOLDINGS)
            more = {
                "tasks": held["tasks"] - before["tasks"] > TASKS_MORE,
                "open files": held["files"] - before["files"] > FILES_MORE,
                "processes": len(held["children"]) > 1,
                "documents": bool(held["documents"]),
            }
            leaks = [name for name, is_more in more.items() if is_more]
            if not leaks or time.monotonic() > deadline:
                break
            await asyncio.sleep(0.2)
        if leaks:
            told = {name: held[name] for name in ("tasks", "files", "children")}
            self._tell(
                f"left behind: {', '.join(leaks)}: {told}, before {before['tasks']}, {before['files']}"
            )

    async def _judge_children(self, children: set[int]) -> None:
        """When the server has gone, has its model?"""
        deadline = time.monotonic() + SETTLE_S
        left = children
        while left and time.monotonic() < deadline:
            left = {pid for pid in left if psutil.pid_exists(pid)}
            await asyncio.sleep(0.1)
        if left:
            self._tell(f"processes left behind: {left}")

    def _judge_log(self) -> None:
        """What the server itself says that it did wrong, in this conversation or just before."""
        text, self._read_log = self._log.since(self._read_log), self._log.taken
        for mistake in MISTAKES:
            if (at := text.find(mistake)) >= 0:
                self._tell(f"the log: {story(text[at:])}")

    async def _leave(self, process: asyncio.subprocess.Process) -> None:
        await self._result("shutdown")
        self._wire.tell("exit", None)
        await self._patiently(process.wait())
        if process.returncode != 0:
            self._tell(f"the server ended with {process.returncode}")

    def _unanswered(self) -> str:
        return f"{len(self._wire.unanswered)} requests have no answer: {self._wire.unanswered[:5]}"

    async def _where_it_hangs(self) -> str:
        """The stacks of its threads and tasks, where it can still tell."""
        mark = self._log.taken
        if hasattr(signal, "SIGUSR1"):
            with suppress(psutil.Error):
                psutil.Process(self._pid).send_signal(signal.SIGUSR1)
                await asyncio.sleep(STORY_S)
        return self._log.since(mark).decode(errors="replace")

    async def _keep_log(self, stderr: asyncio.StreamReader) -> None:
        while data := await stderr.read(65536):
            self._log.add(data)
