"""Anything at all through the pipe, in both directions: whoever reads it has a message or a `PipeError`."""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bowerbird.inference.answers import ELEMENTS, FIELDS, checked
from bowerbird.inference.pipe import HEADER_BYTES, Message, PipeError, pack, receive, receive_async
from bowerbird.inference.process import (
    CHILD_COMMAND,
    Call,
    ModelProcess,
    Patience,
    ProcessEnded,
    start_process,
)

END_S = 60.0  # for a process to end, on a machine that does much else
SLOW = settings(
    max_examples=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)

TEXTS = st.text(st.characters(codec=None), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=5,
)
IDS = st.sampled_from([0, 1, 2, 2, 1]) | VALUES
ANSWERS = st.fixed_dictionaries(
    {"type": st.sampled_from([*FIELDS, "sung"]) | VALUES, "id": IDS},
    optional=dict.fromkeys({*ELEMENTS, *(name for row in FIELDS.values() for name in row)}, VALUES),
)
GOOD = {(int,): st.integers(0, 9), (str,): TEXTS, (bool,): st.booleans(), (int, float): st.floats(0, 9)}
RIGHT = st.one_of(
    st.fixed_dictionaries(
        {
            "type": st.just(kind),
            "id": st.sampled_from([1, 2]),
            **{name: GOOD.get(types, st.just([])) for name, types in row.items()},
        }
    )
    for kind, row in FIELDS.items()
)
REQUESTS = st.fixed_dictionaries(
    {"type": st.sampled_from(["generate", "score", "embed", "encode", "load", "cancel"])},
    optional=dict.fromkeys(
        ("tokens", "texts", "own", "max_new_tokens", "written", "grammar", "path", "threads", "probe"), VALUES
    ),
)


def framed(message: Any) -> bytes:
    """`message` in a frame, whatever it is."""
    body = json.dumps(message).encode()
    return len(body).to_bytes(HEADER_BYTES, "big") + body


@st.composite
def streams(draw: st.DrawFn, messages: st.SearchStrategy[Any]) -> bytes:
    """Frames, of which one may be cut, swollen, or mixed with something else."""
    data = bytearray(b"".join(map(framed, draw(st.lists(messages, max_size=5)))))
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(data)))
        end = draw(st.integers(at, min(len(data), at + 8)))
        data[at:end] = draw(st.binary(max_size=8))
    return bytes(data)


def pieces(data: bytes, cuts: list[int]) -> Iterator[bytes]:
    """`data` as it may arrive."""
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return (data[start:stop] for start, stop in pairwise(places))


def read_all(read: Callable[[int], bytes]) -> tuple[list[Message], bool]:
    """The messages before the end or the first that is none, and whether there is such a one."""
    found: list[Message] = []
    try:
        while (message := receive(read)) is not None:
            found.append(message)
    except PipeError:
        return found, True
    return found, False


async def read_all_async(data: bytes, cuts: list[int]) -> tuple[list[Message], bool]:
    """The same, as it arrives piece by piece."""
    stream = asyncio.StreamReader()

    async def feed() -> None:
        for piece in pieces(data, cuts):
            stream.feed_data(piece)
            await asyncio.sleep(0)
        stream.feed_eof()

    feeding = asyncio.create_task(feed())
    found: list[Message] = []
    try:
        while (message := await receive_async(stream)) is not None:
            found.append(message)
    except PipeError:
        return found, True
    finally:
        await feeding
    return found, False


@given(streams(ANSWERS | REQUESTS), st.lists(st.integers(0), max_size=6))
@example(b"\0\0\0\x12" + b'{"type":"\xff\xfe","id":1}'[:18], [])
@example(framed({"type": "x"})[:-1], [1, 2, 3])
@example(b"\x04\0\0\x01", [])
async def test_both_ends_read_the_same(data: bytes, cuts: list[int]) -> None:
    """However frames are cut, merged and spoiled: the same messages at both ends, and the same verdict."""
    messages, broken = read_all(io.BytesIO(data).read)
    assert await read_all_async(data, cuts) == (messages, broken)
    assert all(isinstance(message["type"], str) for message in messages)
    again, still = read_all(io.BytesIO(b"".join(map(pack, messages))).read)
    assert (again, still) == (messages, False)


@given(RIGHT)
def test_right_answers_are_let_through(message: Message) -> None:
    """Each kind of the table."""
    assert checked(message) is message


@given(RIGHT, st.data())
def test_wrong_answers_are_noticed(message: Message, data: st.DataObject) -> None:
    """A field that is missing, or of another type."""
    name = data.draw(st.sampled_from(sorted({*FIELDS[message["type"]], "id"})))
    wrong = {**message, name: data.draw(st.none() | st.just({"a": []}))}
    with pytest.raises(PipeError):
        checked(wrong)


class Mouth:
    """A peer that says what it is told to say."""

    returncode = 0
    pid = 0

    def __init__(self) -> None:
        self.stdout: asyncio.StreamReader | None = asyncio.StreamReader()
        self.stderr: asyncio.StreamReader | None = asyncio.StreamReader()
        self.stderr.feed_eof()
        self.stdin: Any = self
        self._gone = asyncio.Event()

    def write(self, _data: bytes) -> None: ...

    async def drain(self) -> None: ...

    def is_closing(self) -> bool:
        return self._gone.is_set()

    def kill(self) -> None:
        if not self._gone.is_set():
            self._gone.set()
            assert self.stdout is not None
            self.stdout.feed_eof()

    async def wait(self) -> int:
        await self._gone.wait()
        return 0


async def last_word(process: ModelProcess, opened: list[Call]) -> str:
    """How a request ends."""
    try:
        async with process.call({"type": "generate"}) as call:
            opened.append(call)
            while not call.over:
                assert FIELDS[(await call.next())["type"]] is not None
    except ProcessEnded as ended:
        return str(ended)
    return "answered"


@given(streams(RIGHT | ANSWERS), st.lists(st.integers(0), max_size=4))
@example(framed({"type": "token", "id": []}), [])
@example(framed({"type": "pong", "id": 1, "log": 5}), [])
@example(framed({"type": "ended", "id": 0}), [])
async def test_the_server_outlives_whatever_the_model_says(data: bytes, cuts: list[int]) -> None:
    """Each open request ends, by an answer or by the end of a process that is told of in words."""
    peer, opened = Mouth(), list[Call]()
    process = ModelProcess(peer, Patience(quit_seconds=0.01))
    asking = [asyncio.create_task(last_word(process, opened)) for _ in range(2)]
    while len(opened) < len(asking):  # noqa: ASYNC110
        await asyncio.sleep(0)
    for piece in pieces(data, cuts):
        if not peer.is_closing():
            assert peer.stdout is not None
            peer.stdout.feed_data(piece)
        await asyncio.sleep(0)
    if not peer.is_closing():
        peer.kill()
    async with asyncio.timeout(END_S):
        assert len(await asyncio.gather(*asking)) == len(asking)
        await process.close()
    assert process.ended is not None
    assert all(task.cancelled() or task.exception() is None for task in process._tasks)


async def test_a_flood_behind_garbage_ends() -> None:
    """More than a pipe and its reader hold, so that the end of the process would never be seen."""
    flood = "import os\nwhile True: os.write(1, b'noise' * 100_000)"
    process = await start_process((sys.executable, "-c", flood), Patience(quit_seconds=END_S))
    async with asyncio.timeout(2 * END_S):
        with pytest.raises(ProcessEnded, match="no message"):
            async with process.call({"type": "ping"}) as call:
                await call.next()
        await process.close()


def child_hears(data: bytes) -> tuple[int, list[Message]]:
    """The exit code of the model's process after this, and what it answered."""
    done = subprocess.run(CHILD_COMMAND, input=data, capture_output=True, timeout=END_S, check=False)
    messages, broken = read_all(io.BytesIO(done.stdout).read)
    assert not broken, done.stdout[:200]
    assert b"Fatal" not in done.stderr
    return done.returncode, messages


@SLOW
@given(streams(REQUESTS | ANSWERS | VALUES))
@example(framed({"type": "cancel", "id": "x"}) + framed({"type": "generate", "id": 1}))
@example(framed({"type": "generate"}))
@example(framed({"type": "score", "id": 1}) + framed({"type": "embed", "id": [], "texts": []}))
@example(b"\xff\xff\xff\xff" + bytes(1000))
def test_the_models_process_ends_by_what_is_none(data: bytes) -> None:
    """It answers in frames or not at all, and its input's end is its own."""
    code, messages = child_hears(data)
    assert code in (0, 2)
    assert all(checked(message) for message in messages)


@SLOW
@given(st.lists(REQUESTS, min_size=1, max_size=6))
def test_requests_of_any_fields_are_refused(requests: list[Message]) -> None:
    """Without a model nothing can be done, and each request is told so: none ends the process."""
    asked = [{**request, "id": number} for number, request in enumerate(requests, 1)]
    pings = [{"type": "ping", "id": 99}]
    with subprocess.Popen(CHILD_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"".join(map(framed, asked + pings)))
        process.stdin.flush()
        wanted = {one["id"] for one in asked + pings if one["type"] != "cancel"}
        while wanted:
            message = receive(process.stdout.read)
            assert message is not None, "the process ended"
            assert checked(message)["type"] in ("failed", "pong")
            wanted.remove(message["id"])
        process.stdin.close()
        assert process.wait(END_S) == 0
