"""Where programs are checked and run: a scratch folder in memory, no network, nothing of the user's to read.

Linux only: namespaces of our own, or bubblewrap's where the system allows them to nobody else. Which one
works is found out once, by trying. On macOS and Windows there is none; whoever needs one gets the reason.
"""

from __future__ import annotations

import asyncio
import contextlib
import marshal
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bowerbird.execution.job import Job, Limits, Outcome, SandboxError, how_it_ended
from bowerbird.execution.visible import PREFIXES, order_of, readable_paths

SLACK_S = 5.0  # the keeper ends a job that is late; whoever asked waits this much longer
CHUNK_BYTES = 65_536
LONGEST_LINE = 8 << 20  # bytes; of one that is read as a line


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A way of confining programs that works here. Made by `find_sandbox`."""

    method: str
    """``namespaces`` or ``bubblewrap``."""
    hidden: tuple[Path, ...] = ()
    """Folders that are empty in it, though they lie in one that is not: the user's home, the workspace."""

    async def run(self, job: Job) -> Outcome:
        """Run `job` to its end. Raises `SandboxError`; whoever cancels this ends the job."""
        began = time.perf_counter()
        stdin = asyncio.subprocess.PIPE if job.stdin else asyncio.subprocess.DEVNULL
        async with self.start(job, stdin) as confined:
            reading = asyncio.gather(
                _read(confined.process.stdout, job.limits.output_bytes, confined.kill),
                _read(confined.process.stderr, job.limits.output_bytes, confined.kill),
                _feed(confined.process.stdin, job.stdin),
            )
            report: dict[str, Any]
            try:
                async with asyncio.timeout(job.limits.wall_s + SLACK_S if job.limits.wall_s else None):
                    (stdout, cut_out), (stderr, cut_err), _ = await reading
                    await confined.process.wait()
                report = {"exceeded": "output"} if cut_out or cut_err else confined.report()
            except TimeoutError:
                stdout = stderr = ""
                report = {"exceeded": "time"}
        return Outcome(
            code=report.get("code"),
            ended=how_it_ended(report, job.limits),
            stdout=stdout,
            stderr=stderr,
            milliseconds=(time.perf_counter() - began) * 1000,
        )

    @contextlib.asynccontextmanager
    async def start(self, job: Job, stdin: int = asyncio.subprocess.PIPE) -> AsyncIterator[Confined]:
        """Start `job` to speak with it. At the end of the context nothing of it is left."""
        if not hasattr(os, "memfd_create"):
            raise SandboxError(f"{sys.platform} has no sandbox that Bowerbird knows")
        order, report = os.memfd_create("order"), os.memfd_create("report")
        try:
            readable = readable_paths(job.readable, self.hidden)
            os.write(order, marshal.dumps(order_of(job, readable, self.hidden)))
            os.lseek(order, 0, os.SEEK_SET)
            command = (PREFIXES[self.method])(readable, self.hidden)
            try:
                process = await asyncio.create_subprocess_exec(
                    *command, str(order), str(report), *(["prepared"] if self.method == "bubblewrap" else []),
                    stdin=stdin,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    pass_fds=(order, report),
                    start_new_session=True,
                    limit=LONGEST_LINE,
                    cwd="/",
                    env={},
                )  # fmt: skip
            except OSError as error:
                raise SandboxError(f"{command[0]}: {error.strerror or error}") from None
            confined = Confined(process, report)
            try:
                yield confined
            finally:
                confined.kill()
                await process.wait()
        finally:
            os.close(order)
            os.close(report)


@dataclass(frozen=True, slots=True)
class Confined:
    """A job that is running."""

    process: asyncio.subprocess.Process
    """Its keeper; its pipes are the job's."""
    _report: int

    def kill(self) -> None:
        """End it, and whatever it started. Can be called twice."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def report(self) -> dict[str, Any]:
        """What its keeper said; raises `SandboxError` if there was no sandbox to keep."""
        said = os.pread(self._report, CHUNK_BYTES, 0)
        report: dict[str, Any] = marshal.loads(said) if said else {"exceeded": "end"}
        if "failed" in report:
            raise SandboxError(report["failed"])
        return report


async def find_sandbox(hidden: Sequence[Path] = ()) -> Sandbox | SandboxError:
    """The sandbox that works here, or why none does. Costs some 30 ms; ask once."""
    if not sys.platform.startswith("linux"):
        return SandboxError(f"{sys.platform} has no sandbox that Bowerbird knows")
    reasons = []
    for method in PREFIXES:
        sandbox = Sandbox(method, tuple(hidden))
        why = await why_not(sandbox)
        if not why:
            return sandbox
        reasons.append(f"{method}: {why}")
    return SandboxError("; ".join(reasons))


async def why_not(sandbox: Sandbox) -> str:
    """Why it does not work; empty where it does: a shell in it must see its own files, and none of ours."""
    if sandbox.method == "bubblewrap" and shutil.which("bwrap") is None:
        return "bwrap is not installed"
    with tempfile.NamedTemporaryFile() as ours:
        step = ("/bin/sh", "-c", 'test "$(cat proof)" = x && ! test -e "$1" && echo y > z', "sh", ours.name)
        try:
            outcome = await sandbox.run(Job(steps=(step,), files={"proof": "x"}, limits=Limits(wall_s=5)))
        except SandboxError as error:
            return str(error)
    if outcome.succeeded:
        return ""
    return outcome.stderr.strip() or outcome.ended or "it does not hide what it should"


async def _read(stream: asyncio.StreamReader | None, most: int, stop: Callable[[], None]) -> tuple[str, bool]:
    """What a stream says, up to `most` bytes, and whether it said more; then the job is ended."""
    assert stream is not None
    said = bytearray()
    cut = False
    while chunk := await stream.read(CHUNK_BYTES):
        said += chunk[: most - len(said)]
        if len(said) >= most and not cut:
            cut = True
            stop()
    return said.decode("utf-8", "replace"), cut


async def _feed(stdin: asyncio.StreamWriter | None, text: str) -> None:
    if stdin is not None:
        with contextlib.suppress(ConnectionError):
            stdin.write(text.encode("utf-8", "replace"))
            await stdin.drain()
            stdin.close()
