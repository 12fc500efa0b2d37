"""Many conversations with real servers, one after the other, and what is found wrong of each."""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from bowerbird.cli.bench.fuzz.conversation import Conversation
from bowerbird.cli.bench.fuzz.wire import Wire
from bowerbird.cli.bench.soak.watched import HOLDINGS, PROGRAM, TEXTS

ANSWER_S = 60.0
SETTLE_S = 10.0
EXIT_S = 10.0
ENCODINGS = ("utf-16", "utf-8", "utf-32")
FILES_MORE = 16
"""Open files that a server may have more at the end than at its beginning: the model's pipes, the index."""

TASKS_MORE = 6
CHILDREN_EVERY = 20
"""Conversations; to look for a process's children takes a while."""

LOG_BYTES = 1_000_000
MISTAKES = (
    b"A completion failed.",
    b"A look-up failed.",
    b"Something failed beside the requests.",
    b"is not in the index.",
    b"Not everything could be closed",
    b"Task exception was never retrieved",
)
"""What the log says of the server's own mistakes. What it says of unreadable messages is none."""

STORY_BYTES = 3000

OPTIONS = {
    "completion": {"timeBudgetMs": 60, "maxNewTokens": 3, "promptTokens": 96, "speculate": False},
    "inference": {"maxRestarts": 1_000_000},
}
"""Small answers: the conversation is looked at, not what the model writes."""


@dataclass(slots=True)
class Fuzzed:
    """What came of it."""

    conversations: int = 0
    moves: int = 0
    requests: int = 0
    crashes: int = 0
    """Of the model's process, which was killed."""
    servers: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)
    """What was wrong, each with the seed and the conversation that shows it."""


async def fuzz(
    folder: Path,
    conversations: int,
    seed: int,
    per_server: int,
    advance: Callable[[int], None],
    command: Sequence[str] = (sys.executable, *PROGRAM),
) -> Fuzzed:
    """Hold so many conversations in `folder`, `per_server` with each server's process."""
    found, began = Fuzzed(), time.monotonic()
    while found.conversations < conversations:
        count = min(per_server, conversations - found.conversations)
        encoding = ENCODINGS[found.servers % len(ENCODINGS)]
        await _with_server(folder, count, seed, encoding, found, advance, command)
        found.servers += 1
    found.seconds = time.monotonic() - began
    return found


async def _with_server(
    folder: Path,
    count: int,
    seed: int,
    encoding: str,
    found: Fuzzed,
    advance: Callable[[int], None],
    command: Sequence[str],
) -> None:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    wire, log = Wire(process.stdin), bytearray()
    tasks = [
        asyncio.create_task(wire.listen(process.stdout)),
        asyncio.create_task(_read(process.stderr, log)),
    ]
    children: set[int] = set()
    try:
        await _begin(wire, folder, encoding)
        before = await wire.result(HOLDINGS, None, ANSWER_S)
        for _ in range(count):
            number, faults = found.conversations, len(found.faults)
            chance = random.Random(f"{seed}/{number}")
            talk = Conversation(wire, chance, folder.as_uri(), encoding, lambda: _kill_children(process.pid))
            await talk.hold()
            await _judge(wire, talk, found, f"seed {seed}, conversation {number}, {encoding}")
            if number % CHILDREN_EVERY == 0:
                children |= set(_children(process.pid))
            found.conversations += 1
            found.moves += talk.moves
            found.crashes += talk.crashes
            advance(1)
            if wire.ended or len(found.faults) > faults + 5:
                break
        await _judge_rest(wire, before, found)
        found.requests += len(wire.answers)
        await _leave(wire, process, found)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await asyncio.gather(*tasks)
    left = [pid for pid in children if psutil.pid_exists(pid)]
    if left:
        found.faults.append(f"processes left behind: {left}")
    for mistake in MISTAKES:
        if (at := log.find(mistake)) >= 0:
            found.faults.append(f"the log: {log[at : at + STORY_BYTES].decode(errors='replace')}")


async def _begin(wire: Wire, folder: Path, encoding: str) -> None:
    capabilities = {
        "general": {"positionEncodings": [encoding]},
        "workspace": {"configuration": False},
        "textDocument": {"inlineCompletion": {}},
    }
    params: dict[str, Any] = {
        "processId": os.getpid(),
        "capabilities": capabilities,
        "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name}],
        "rootUri": folder.as_uri(),
        "initializationOptions": OPTIONS,
    }
    await wire.result("initialize", params, ANSWER_S)
    wire.tell("initialized", {})


async def _judge(wire: Wire, talk: Conversation, found: Fuzzed, where: str) -> None:
    """Is every request answered once, and does every document say what it must?"""
    for name in await wire.answered(ANSWER_S):
        found.faults.append(f"{where}: request {name} has no answer")
        wire.answers[name].append({"fault": "none"})
    if wire.ended:
        found.faults.append(f"{where}: the server ended")
        return
    documents: dict[str, str] = await wire.result(TEXTS, None, ANSWER_S)
    twice = [name for name, answers in wire.answers.items() if len(answers) > 1]
    if twice:
        found.faults.append(f"{where}: more than one answer to {twice}")
        for name in twice:
            del wire.answers[name][1:]
    for uri in sorted({*documents, *talk.texts}):
        if documents.get(uri) != talk.texts.get(uri):
            found.faults.append(f"{where}: {uri} is {documents.get(uri)!r}, must be {talk.texts.get(uri)!r}")
    talk.close_all()


async def _judge_rest(wire: Wire, before: dict[str, Any], found: Fuzzed) -> None:
    """When all is quiet, is more held than at the beginning?"""
    if wire.ended:
        return
    deadline = time.monotonic() + SETTLE_S
    while True:
        held = await wire.result(HOLDINGS, None, ANSWER_S)
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
        found.faults.append(
            f"left behind: {', '.join(leaks)}: {told}, before {before['tasks']}, {before['files']}"
        )


async def _leave(wire: Wire, process: asyncio.subprocess.Process, found: Fuzzed) -> None:
    try:
        await wire.result("shutdown", None, ANSWER_S)
        wire.tell("exit", None)
        async with asyncio.timeout(EXIT_S):
            await process.wait()
    except (TimeoutError, ValueError, ConnectionError) as error:
        found.faults.append(f"the server did not end: {error or type(error).__name__}")
        return
    if process.returncode != 0:
        found.faults.append(f"the server ended with {process.returncode}")


async def _read(stderr: asyncio.StreamReader, log: bytearray) -> None:
    while data := await stderr.read(65536):
        log += data[: max(0, LOG_BYTES - len(log))]


def _children(pid: int) -> list[int]:
    with suppress(psutil.Error):
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    return []


def _kill_children(pid: int) -> int:
    killed = 0
    for child in _children(pid):
        with suppress(psutil.Error):
            psutil.Process(child).kill()
            killed += 1
    return killed
