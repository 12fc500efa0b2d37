"""Does a server that says nothing hang, or is the machine slow? Told by processor time, not by the clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import psutil  # type: ignore[import-untyped]

IDLE_S = 150.0
"""All of its processes asleep for so long, by the clock: nobody will wake them. The server gives its own
model's process two minutes."""

WORK_S = 120.0
"""Of the processor, without a word: it goes round in circles."""

LONGEST_S = 3600.0
"""By the clock, whatever the reason."""

LOOK_S = 1.0
IDLE_SHARE = 0.02
"""Who uses less of a processor than this only keeps the time: pings to the model, its answers."""

AWAKE = (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP, psutil.STATUS_WAKING)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Load:
    """What some processes have done so far."""

    cpu_s: float
    awake: bool
    """One of them runs, waits for a processor or for a disk."""


class Hang(Exception):  # noqa: N818 - a finding
    """Nothing will come any more; `str()` says why, without a subject."""


class Watch:
    """Over one silence. Who is not given a processor is neither idle nor at work, and may take its time."""

    def __init__(self, look: Callable[[], Load], now: Callable[[], float] = time.monotonic) -> None:
        self._look = look
        self._now = now
        self.heard()

    def heard(self) -> None:
        """It has said something: the silence begins anew."""
        self._load, self._at = self._look(), self._now()
        self._began, self._idle_s, self._work_s = self._at, 0.0, 0.0

    def look(self) -> None:
        """Look again; raises `Hang`."""
        load, at = self._look(), self._now()
        # A child that ended takes its time along.
        cpu_s, passed_s = max(0.0, load.cpu_s - self._load.cpu_s), at - self._at
        self._load, self._at = load, at
        self._work_s += cpu_s
        if load.awake or cpu_s > IDLE_SHARE * passed_s:
            self._idle_s = 0.0
        else:
            self._idle_s += passed_s
        if self._idle_s > IDLE_S:
            raise Hang(f"sleeps since {self._idle_s:.0f} s")
        if self._work_s > WORK_S:
            raise Hang(f"has worked for {self._work_s:.0f} s of the processor without an answer")
        if at - self._began > LONGEST_S:
            raise Hang(
                f"has said nothing for {at - self._began:.0f} s, of which it worked {self._work_s:.0f}"
            )


async def patiently(work: Awaitable[T], watch: Watch, heard: Callable[[], int]) -> T:
    """What `work` gives. It is given up, by `Hang`, when `watch` says so; `heard` counts what was said."""
    task, before = asyncio.ensure_future(work), heard()
    watch.heard()
    try:
        while not task.done():
            await asyncio.wait([task], timeout=LOOK_S)
            if heard() != before:
                before = heard()
                watch.heard()
            elif not task.done():
                watch.look()
        return task.result()
    finally:
        task.cancel()
        await asyncio.wait([task])


def load_of(pid: int) -> Load:
    """Of a process and all below it; one that is gone has done nothing."""
    cpu_s, awake = 0.0, False
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                times = one.cpu_times()
                cpu_s += times.user + times.system
                awake = awake or one.status() in AWAKE
    return Load(cpu_s, awake)


def children_of(pid: int) -> list[int]:
    """The processes below it."""
    with suppress(psutil.Error):
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    return []


def kill_children(pid: int) -> int:
    """Kill the processes below it; how many there were."""
    killed = 0
    for child in children_of(pid):
        with suppress(psutil.Error):
            psutil.Process(child).kill()
            killed += 1
    return killed
