"""Replays the traces in real time, one after the other, against one server."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from bowerbird.cli.bench.own import OWN_OPTIONS
from bowerbird.cli.bench.typing.editor import Asked, Habit, ReplayEditor
from bowerbird.cli.bench.typing.observed import FLIGHTS
from bowerbird.cli.bench.typing.traces import State, Trace
from bowerbird.lsp import commands
from bowerbird.lsp.convert import uri_of
from bowerbird.lsp.session import Editor, LspSession
from bowerbird.text import Position

OBSERVED = ("-P", "-m", "bowerbird.cli.bench.typing.observed")
PAUSE_MS = 400
GLANCE_S = 0.6  # at what was taken only to be looked at
AHEAD_STEPS = 200  # of the recording that one acceptance may do at once
TRACES_TOLD = 50  # the server keeps no more
SETTLE_S = 3.0


@dataclass(slots=True)
class Replayed:
    """What became of one trace."""

    name: str
    keys_recorded: int
    keys_pressed: int = 0
    """Those of what was taken on trial do not count."""
    pauses: int = 0
    """Of more than `PAUSE_MS`."""
    covered: int = 0
    """Pauses at whose end something was on show."""
    accepted: int = 0
    """What was on show and taken, as it was what had been recorded."""
    tested: int = 0
    """What was taken and undone."""
    asked: list[Asked] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Run:
    """All traces, and what the server did."""

    replayed: tuple[Replayed, ...]
    flights: dict[str, int]
    """`observed.Flights`, of all traces."""
    seconds: float
    resting_share: float
    """Of one processor's time, after the last key: server and model."""


async def replay(
    folder: Path,
    traces: Sequence[Trace],
    habit: Habit,
    model: str,
    speed: float,
    rest_s: float,
    advance: Callable[[int], None],
) -> Run:
    """Type all `traces` into a server that works in `folder`."""
    records = {"traces": False, "figures": False}  # nobody typed this
    options: dict[str, Any] = {"records": records, "inference": OWN_OPTIONS}
    if model:
        options["completion"] = {"model": model}
    editor = Editor(name=habit.name)
    async with LspSession(folder, options, (sys.executable, *OBSERVED), editor) as session:
        await session.indexed()
        await _warm_up(session, folder)
        before = await _flights(session)
        began = time.perf_counter()
        replayed = []
        for trace in traces:
            replayed.append(await _replay_one(session, folder, trace, habit, speed))
            advance(1)
        seconds = time.perf_counter() - began
        await asyncio.sleep(SETTLE_S if rest_s else 0)
        share = await _resting(session.process.pid, rest_s)
        after = await _flights(session)
    flights = {name: value - before[name] for name, value in after.items()} | {
        name: after[name] for name in ("running", "most_at_once")
    }
    return Run(tuple(replayed), flights, seconds, share)


async def _warm_up(session: LspSession, folder: Path) -> None:
    """The model is loaded, and has written once."""
    path = folder / "warm_up.py"
    await session.open(path, "def warm_up():\n    return ", "python")
    await session.inline_completion(path, Position(1, 11))


async def _replay_one(
    session: LspSession, folder: Path, trace: Trace, habit: Habit, speed: float
) -> Replayed:
    path = folder / "replayed" / trace.name
    uri = uri_of(path)
    await session.open(path, trace.begin.text, trace.language)
    editor = ReplayEditor(session.editor, habit, uri, trace.begin, trace.name)
    replayed = Replayed(trace.name, len(trace.steps))
    states = trace.states()
    done = last_ms = 0
    while done < len(trace.steps):
        step = trace.steps[done]
        gap_ms = step.at_ms - last_ms
        await asyncio.sleep(gap_ms / 1000 / speed)
        last_ms = step.at_ms
        if gap_ms > PAUSE_MS:
            replayed.pauses += 1
            replayed.covered += editor.ghost is not None
        if step.look and editor.ghost is not None:
            taken, reached = _wanted(editor, states[done : done + AHEAD_STEPS])
            if taken is not None:
                editor.become(taken)
                replayed.accepted += 1
                replayed.keys_pressed += 1
                done += reached
                last_ms = trace.steps[done - 1].at_ms
                continue
        if step.test and editor.ghost is not None:
            state = editor.state
            editor.become(editor.accepted())
            await asyncio.sleep(GLANCE_S / speed)
            editor.become(state)
            replayed.tested += 1
        editor.press(step)
        replayed.keys_pressed += 1
        done += 1
    await editor.settle()
    await _explain(session, editor.asked)
    replayed.asked = editor.asked
    return replayed


def _wanted(editor: ReplayEditor, states: Sequence[State]) -> tuple[State | None, int]:
    """What the typist takes of what is on show, all or a line, and how many recorded steps that does."""
    for lines in (None, 1):
        taken = editor.accepted(lines)
        for reached in range(len(states) - 1, 0, -1):
            if states[reached] == taken:
                return taken, reached
    return None, 0


async def _explain(session: LspSession, asked: Sequence[Asked]) -> None:
    """Tell each answered request what the server says of it: answers and traces have the same order."""
    told = await session.editor.protocol.send_request_async(commands.EXPLAIN, {"last": TRACES_TOLD})
    answered = sorted((one for one in asked if one.answered_s), key=lambda one: -one.answered_s)
    traces: Iterator[dict[str, Any]] = iter(told["traces"])
    trace = next(traces, None)
    for one in answered:
        while trace is not None and (trace["line"] - 1, trace["column"] - 1) != one.place:
            trace = next(traces, None)  # of a request that was withdrawn too late
        one.trace = trace
        trace = next(traces, None)


async def _flights(session: LspSession) -> dict[str, int]:
    counts: dict[str, int] = await session.editor.protocol.send_request_async(FLIGHTS, None)
    return counts


async def _resting(pid: int, seconds: float) -> float:
    """The share of one processor that a process and its children use while nobody types."""
    if not seconds:
        return 0.0
    before = _cpu_s(pid)
    await asyncio.sleep(seconds)
    return (_cpu_s(pid) - before) / seconds


def _cpu_s(pid: int) -> float:
    process = psutil.Process(pid)
    used = 0.0
    for one in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            times = one.cpu_times()
            used += times.user + times.system
    return used
