"""Anything at all at the broker's door and behind it: it stays, and serves the next one."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bowerbird.inference.broker_door import connect, listen
from bowerbird.inference.broker_place import Note
from bowerbird.inference.broker_service import Broker
from bowerbird.inference.pipe import HEADER_BYTES, Message, PipeError, pack, receive_async

ANSWER_S = 60.0
LAST = {"type": "encode", "id": 99, "texts": []}
TOKEN = "nobody guesses this"
SLOW = settings(
    max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)

MODEL = """
import sys
from bowerbird.inference.pipe import pack, receive
ANSWERS = {
    "load": {"type": "loaded"},
    "encode": {"type": "encoded", "tokens": []},
    "score": {"type": "scored", "logprobs": []},
    "embed": {"type": "embedded", "vectors": ""},
    "generate": {
        "type": "done", "tokens_reused": 0, "tokens_evaluated": 0, "tokens_generated": 0, "evaluate_ms": 0,
        "generate_ms": 0, "stopped": "end", "tokens_drafted": 0, "tokens_accepted": 0, "grammar": "",
        "written": [],
    },
}
while (message := receive(sys.stdin.buffer.read)) is not None and message["type"] != "quit":
    answer = {"type": "pong"} if message["type"] == "ping" else ANSWERS.get(message["type"])
    if answer is not None:
        sys.stdout.buffer.write(pack({**answer, "id": message["id"]}))
        sys.stdout.buffer.flush()
"""
COMMAND = (sys.executable, "-P", "-c", MODEL)
"""A model's process that answers at once, whatever it is asked."""

TEXTS = st.text(st.characters(codec=None), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
GREETINGS = st.fixed_dictionaries(
    {"type": st.sampled_from(["hello", "enter", "welcome", "load"]) | VALUES},
    optional={"nonce": VALUES, "proof": VALUES},
)
REQUESTS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            ["generate", "score", "embed", "encode", "load", "cancel", "state", "ping", "x"]
        ),
        "id": st.integers(1, 4) | VALUES,
    },
    optional=dict.fromkeys(
        ("tokens", "texts", "written", "priority", "slot", "path", "max_new_tokens"), VALUES
    ),
)


def framed(message: Any) -> bytes:
    body = json.dumps(message).encode()
    return len(body).to_bytes(HEADER_BYTES, "big") + body


@st.composite
def streams(draw: st.DrawFn, messages: st.SearchStrategy[Any]) -> bytes:
    """Frames, perhaps with something else behind them."""
    data = b"".join(map(framed, draw(st.lists(messages, max_size=5))))
    return draw(st.sampled_from([data, data + b"\xff\xff\xff\xff\0"]))


@pytest.fixture
def folder() -> Iterator[Path]:
    """With a path that is short enough for a socket."""
    place = Path(tempfile.mkdtemp(prefix="bb-"))
    yield place
    shutil.rmtree(place)


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[tuple[Broker, Note]]:
    """A broker behind its door; at the end nothing that went wrong in it is left unheard."""
    unheard: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unheard.append(context))
    broker = Broker(COMMAND, TOKEN)
    server, port = await listen(folder, broker.admit)
    try:
        yield broker, Note(os.getpid(), port, TOKEN)
    finally:
        server.close()
        await broker.close()
    assert unheard == []


async def throw(folder: Path, note: Note, data: bytes) -> None:
    """Say this at the door, and leave once nothing comes back any more."""
    if note.port:
        reader, writer = await asyncio.open_connection("127.0.0.1", note.port)
    else:
        reader, writer = await asyncio.open_unix_connection(folder / "socket")
    with suppress(ConnectionError):
        writer.write(data)
        writer.write_eof()
        while await reader.read(1 << 16):
            pass
    writer.close()


async def asked(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, message: Message
) -> list[Message]:
    """All that comes up to the answer to this, or until we are left."""
    heard: list[Message] = []
    with suppress(ConnectionError):
        writer.write(pack(message))
        while (answer := await receive_async(reader)) is not None:
            heard.append(answer)
            if answer["id"] == message["id"]:
                break
    return heard


async def is_served(folder: Path, note: Note) -> bool:
    """Does the broker take an honest client in, and answer?"""
    reader, writer = await connect(folder, note)
    writer.write(pack({"type": "ping", "id": 7}))
    answer = await receive_async(reader)
    writer.close()
    return answer == {"type": "pong", "id": 7}


@SLOW
@given(st.lists(streams(GREETINGS | VALUES) | st.binary(max_size=40), min_size=1, max_size=4))
@example([framed({"type": "hello"})[:-2], b"\0\0"])
@example([framed({"type": "hello", "nonce": "\ud800"}) + framed({"type": "enter", "proof": "\udfff"})])
@example([framed({"type": "hello", "nonce": []}), b"\xff\xff\xff\xff", b"GET / HTTP/1.1\r\n\r\n"])
def test_strangers_at_the_door(folder: Path, callers: list[bytes]) -> None:
    """Nobody comes in, nobody is forgotten there, and an honest client is served meanwhile."""

    async def call() -> None:
        async with asyncio.timeout(ANSWER_S), serving(folder) as (broker, note):
            await asyncio.gather(*(throw(folder, note, data) for data in callers), is_served(folder, note))
            assert await is_served(folder, note)
            assert broker._arriving == 0

    asyncio.run(call())


@SLOW
@given(streams(REQUESTS | VALUES))
@example(framed({"type": "generate", "id": 1, "written": 5}) + framed({"type": "cancel", "id": 1}))
@example(framed({"type": "generate", "id": 1, "priority": []}) + framed({"type": "encode", "id": 1}))
@example(framed({"type": "load", "id": 1}) + framed({"type": "load", "id": 2, "path": 5}))
@example(framed({"type": "load", "id": 1}) + framed({"type": "generate", "id": 2, "slot": {}}))
def test_a_client_that_says_anything(folder: Path, data: bytes) -> None:
    """It is answered in frames or left; the others are served all the same."""

    async def talk() -> None:
        async with asyncio.timeout(ANSWER_S), serving(folder) as (_, note):
            honest = await connect(folder, note)
            assert (await asked(*honest, {"type": "load", "id": 1}))[-1]["type"] == "loaded"
            wild = await connect(folder, note)
            wild[1].write(data)
            assert all(isinstance(one["id"], int) for one in await asked(*wild, LAST))
            wild[1].close()
            assert (await asked(*honest, LAST))[-1]["type"] == "encoded"
            assert await is_served(folder, note)
            honest[1].close()

    try:
        asyncio.run(talk())
    except PipeError as error:
        pytest.fail(f"The broker sent no frame: {error}")
