"""`bowerbird bench fuzz`: what counts as a fault, and how it is seen again."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.cli.bench.fuzz import watch
from bowerbird.cli.bench.fuzz.faults import KEPT_BYTES, Block, Log
from bowerbird.cli.bench.fuzz.run import fuzz
from bowerbird.cli.bench.fuzz.watch import IDLE_S, LONGEST_S, WORK_S, Hang, Load, Watch, patiently
from bowerbird.cli.bench.fuzz.wire import Wire

BLOCK = Block(seed=7, first=500, last=750, per_server=250, encoding="utf-32")

HANGS = """
import json, sys, time
def say(message):
    body = json.dumps(message).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n%b" % (len(body), body))
    sys.stdout.buffer.flush()
while True:
    length = int(sys.stdin.buffer.readline().split()[1])
    sys.stdin.buffer.readline()
    message = json.loads(sys.stdin.buffer.read(length))
    if message["method"] in ("initialize", "bowerbird/bench/holdings"):
        say({"id": message["id"], "result": {"tasks": 1, "files": 1, "children": {}, "documents": 0}})
    elif "id" in message:
        break
WHAT
"""


class Clock:
    """A watched process and the time, both told by the test."""

    def __init__(self) -> None:
        self.time = 0.0
        self.load = Load(0.0, awake=False)
        self.watch = Watch(lambda: self.load, lambda: self.time)

    def pass_by(self, seconds: float, cpu_s: float, awake: bool) -> None:
        """So much time in steps of a second, in each of which so much is worked."""
        for _ in range(int(seconds)):
            self.time += 1.0
            self.load = replace(self.load, cpu_s=self.load.cpu_s + cpu_s, awake=awake)
            self.watch.look()


def test_who_sleeps_for_long_hangs() -> None:
    """Pings every second are no work."""
    clock = Clock()
    clock.pass_by(IDLE_S - 5, 0.005, awake=False)
    with pytest.raises(Hang, match="sleeps"):
        clock.pass_by(10, 0.005, awake=False)


def test_who_works_for_long_without_a_word_hangs() -> None:
    """By the processor's time, however long that takes by the clock."""
    clock = Clock()
    clock.pass_by(10 * (WORK_S - 5), 0.1, awake=True)
    with pytest.raises(Hang, match="worked for"):
        clock.pass_by(100, 0.1, awake=True)


def test_who_is_given_no_processor_is_waited_for() -> None:
    """On a busy machine nothing is proven by the clock, up to an hour."""
    clock = Clock()
    clock.pass_by(LONGEST_S - 5, 0.0, awake=True)
    with pytest.raises(Hang, match="said nothing"):
        clock.pass_by(10, 0.0, awake=True)


def test_a_word_begins_a_new_silence() -> None:
    """A child that ended takes its time along, and counts for nothing."""
    clock = Clock()
    for _ in range(3):
        clock.pass_by(IDLE_S - 5, 0.0, awake=False)
        clock.load = Load(0.0, awake=False)
        clock.watch.heard()


async def test_patience_ends_with_the_answer_or_the_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is awaited, or `Hang`, and nothing is left."""
    monkeypatch.setattr(watch, "LOOK_S", 0.001)
    monkeypatch.setattr(watch, "IDLE_S", 0.01)
    calm = Watch(lambda: Load(0.0, awake=False))
    assert await patiently(asyncio.sleep(0, "said"), calm, lambda: 0) == "said"
    with pytest.raises(Hang):
        await patiently(asyncio.Event().wait(), calm, lambda: 0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


def test_a_fault_tells_how_it_is_seen_again() -> None:
    """Alone, and with what the same server had heard before."""
    told = str(BLOCK.fault(512, "it was wrong"))
    assert "seed 7, conversation 512, utf-32: it was wrong" in told
    assert "bench fuzz --seed 7 --first 512 --conversations 1 --per-server 250\n" in told
    assert told.endswith("bench fuzz --seed 7 --first 500 --conversations 13 --per-server 250")


def test_a_log_keeps_its_end() -> None:
    """Much is forgotten, never the last of it."""
    log = Log()
    log.add(b"a" * KEPT_BYTES)
    mark = log.taken
    log.add(b"the end")
    assert log.since(mark) == b"the end"
    assert log.since(0)[-8:] == b"athe end"
    assert len(log.since(0)) == KEPT_BYTES
    assert log.end().endswith("the end")


@pytest.mark.parametrize(
    "head", [b"nonsense\r\n\r\n", b"Content-Length: x\r\n\r\n", b"Content-Length: 2\r\n\r\n[]"]
)
async def test_what_is_no_message_is_told(head: bytes) -> None:
    """A client that just stopped listening would wait for ever."""
    reader, wire = asyncio.StreamReader(), Wire(asyncio.StreamReader())  # type: ignore[arg-type]
    reader.feed_data(head)
    reader.feed_eof()
    await wire.listen(reader)
    assert wire.ended
    assert wire.broken


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], list[str]]:
    """A server that begins well, and does something else than answer."""

    def write(what: str) -> list[str]:
        path = tmp_path / "server.py"
        path.write_text(HANGS.replace("WHAT", what))
        return [sys.executable, "-P", str(path)]

    return write


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("time.sleep(99999)", "sleeps"),
        ("while True: pass", "worked for"),
        ("sys.exit('this went wrong')", "this went wrong"),
        (
            "sys.stdout.buffer.write(b'printed\\r\\n\\r\\n'); sys.stdout.flush(); time.sleep(99999)",
            "ValueError",
        ),
    ],
)
async def test_a_server_that_gives_no_answer_is_a_fault(
    what: str, said: str, tmp_path: Path, program: Callable[[str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told with its conversation; the next ones are held with another server."""
    for name, value in {"IDLE_S": 2.0, "WORK_S": 2.0}.items():
        monkeypatch.setattr(watch, name, value)
    monkeypatch.setattr("bowerbird.cli.bench.fuzz.run.STORY_S", 0.1)
    found = await fuzz(tmp_path, 2, 5, 1, lambda _: None, program(what), first=40)
    assert [fault.conversation for fault in found.faults] == [40, 41]
    assert all(said in fault.what for fault in found.faults)
    assert found.servers == 2
