"""The server's end of the pipe: starts the model's process, ties answers to requests, notices its end.

Never blocks the event loop. A process that says nothing while it should is killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import signal
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from bowerbird.inference.answers import checked
from bowerbird.inference.log_tail import LogTail
from bowerbird.inference.pipe import Message, PipeError, pack, receive_async

CHILD_COMMAND = (sys.executable, "-P", "-m", "bowerbird.inference.child")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the process may be silent."""

    ping_seconds: float = 1.0
    """From one ping to the next while a request is open."""
    silence_seconds: float = 20.0
    """Without any message while pings go unanswered: the process is stopped or the machine out of memory."""
    stall_seconds: float = 120.0
    """Without a message about an open request: a decode hangs. The first look at a large file takes long."""
    quit_seconds: float = 1.0
    """After being asked to quit."""


class ProcessEnded(Exception):  # noqa: N818 - what it is depends on what was asked
    """The process is gone; `str()` says how, as the end of a sentence that begins with its name."""

    def __init__(self, how: str, by_itself: bool = False) -> None:
        super().__init__(how)
        self.by_itself = by_itself
        """Of what it did; else we ended it, or the system did because memory ran out."""


class Call:
    """An open request and its answers."""

    def __init__(self, request: int) -> None:
        self.id = request
        self.answers: asyncio.Queue[Message | ProcessEnded] = asyncio.Queue()
        self.heard = time.monotonic()
        self.over = False
        """Its last answer was taken."""

    async def next(self) -> Message:
        """The next answer; raises `ProcessEnded`."""
        answer = await self.answers.get()
        if isinstance(answer, ProcessEnded):
            self.over = True
            raise answer
        self.over = answer["type"] != "token"
        return answer


class Peer(Protocol):
    """What is at the other end: an `asyncio.subprocess.Process`, or a broker in its place."""

    stdin: asyncio.StreamWriter | None
    stdout: asyncio.StreamReader | None
    stderr: asyncio.StreamReader | None

    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int | None: ...

    async def wait(self) -> int: ...

    def kill(self) -> None: ...


class ModelProcess:
    """A running process. Made by `start_process`, or by `broker_client.join` where editors share one."""

    def __init__(self, process: Peer, patience: Patience, lost: ProcessEnded | None = None) -> None:
        """`lost`: how it ended where it has no exit code and does not tell."""
        self._process = process
        self._patience = patience
        self._calls: dict[int, Call] = {}
        self._ids = itertools.count(1)
        self._heard = time.monotonic()
        self._waiting = asyncio.Event()
        """Set while a request is open."""
        self._wanted = False
        """We asked it to end."""
        self._fault = ""
        """Why we killed it."""
        self._told = lost
        self.ended: ProcessEnded | None = None
        self.log = LogTail()
        """What it printed lately."""
        assert process.stderr is not None
        works = (self._read(), self._watch(), self.log.follow(process.stderr))
        self._tasks = [asyncio.create_task(work) for work in works]

    @property
    def pid(self) -> int:
        return self._process.pid

    @contextlib.asynccontextmanager
    async def call(self, message: Message) -> AsyncIterator[Call]:
        """Send a request and hear its answers; raises `ProcessEnded`, and `PipeError` if it is too long.

        A request that is left before its last answer is cancelled.
        """
        if self.ended is not None:
            raise self.ended
        call = Call(next(self._ids))
        frame = pack({**message, "id": call.id})
        if not self._calls:
            self._heard = time.monotonic()
        self._calls[call.id] = call
        self._waiting.set()
        try:
            self._write(frame)
            await self._drain()
            yield call
        finally:
            del self._calls[call.id]
            if not self._calls:
                self._waiting.clear()
            if not call.over:
                self.cancel(call)

    async def gone(self) -> ProcessEnded:
        """Wait until it has ended, and its log is complete; how it ended."""
        await asyncio.wait(self._tasks[:1])
        await asyncio.wait(self._tasks, timeout=self._patience.quit_seconds)
        assert self.ended is not None
        return self.ended

    def cancel(self, call: Call) -> None:
        """Ask that `call` end soon; it still gets its last answer."""
        self._write(pack({"type": "cancel", "id": call.id}))

    async def close(self) -> None:
        """Ask the process to end, then make it. Can be called twice."""
        self._wanted = True
        self._write(pack({"type": "quit"}))
        try:
            async with asyncio.timeout(self._patience.quit_seconds):
                await self._process.wait()
        except TimeoutError:
            self._kill()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _write(self, frame: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        if not stdin.is_closing():
            stdin.write(frame)

    async def _drain(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError):  # the reader finds out why
            await self._process.stdin.drain()

    async def _read(self) -> None:
        """Hand answers to their calls until the process ends."""
        stdout = self._process.stdout
        assert stdout is not None
        try:
            while (message := await receive_async(stdout)) is not None:
                self._heard = time.monotonic()
                self.log.lines.extend(checked(message).get("log", ()))
                if message["type"] == "ended":
                    self._told = ProcessEnded(message["how"], message["by_itself"])
                call = self._calls.get(message["id"])
                if call is not None:
                    call.heard = self._heard
                    if message["type"] not in ("pong", "progress"):
                        call.answers.put_nowait(message)
        except PipeError as error:
            self._fault = self._fault or f"sent something that is no message ({error})"
            self._kill()
            await self._discard(stdout)
        except ConnectionError:  # a broker that was killed; with a process of our own the pipe just ends
            pass
        try:
            async with asyncio.timeout(0 if self._fault else self._patience.quit_seconds):
                await self._process.wait()
        except TimeoutError:
            self._fault = self._fault or "closed its end of the pipe"
            self._kill()
            await self._process.wait()
        self.ended = self._how_it_ended()
        for call in self._calls.values():
            call.answers.put_nowait(self.ended)
        self._tasks[1].cancel()

    async def _discard(self, stdout: asyncio.StreamReader) -> None:
        """Take what still comes: while a pipe is full, asyncio does not see that its process has gone."""
        with contextlib.suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(self._patience.quit_seconds):
                while await stdout.read(1 << 20):
                    pass

    async def _watch(self) -> None:
        """Kill a process that is silent for too long while a request is open."""
        while await self._waiting.wait():
            patience = self._patience
            began = time.monotonic()
            await asyncio.sleep(patience.ping_seconds)
            if not self._calls:
                continue
            now = time.monotonic()
            # While we could not listen, as the loop was blocked or the machine asleep, nobody was silent.
            missed = now - began - patience.ping_seconds
            self._heard += missed
            for call in self._calls.values():
                call.heard += missed
            if now - self._heard > patience.silence_seconds:
                self._fault = f"did not answer for {patience.silence_seconds:g} seconds"
                self._kill()
            elif now - min(call.heard for call in self._calls.values()) > patience.stall_seconds:
                self._fault = f"did not go on for {patience.stall_seconds:g} seconds"
                self._kill()
            else:
                self._write(pack({"type": "ping", "id": 0}))

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    def _how_it_ended(self) -> ProcessEnded:
        code = self._process.returncode
        if self._fault:
            return ProcessEnded(f"{self._fault} and was ended")
        if self._wanted:
            return ProcessEnded("was asked to end")
        if self._told is not None:
            return self._told
        if code is not None and code < 0:
            name = signal.Signals(-code).name
            if -code == signal.SIGKILL:
                return ProcessEnded(f"was killed ({name}), perhaps because memory ran short")
            return ProcessEnded(f"ended by {name}", by_itself=True)
        return ProcessEnded(f"ended with code {code}", by_itself=True)


async def start_process(command: Sequence[str], patience: Patience) -> ModelProcess:
    """Start the model's process, which speaks as `pipe.py` says; raises `OSError`."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    return ModelProcess(process, patience)
