"""The frames of the pipe."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.inference import pipe
from bowerbird.inference.pipe import PipeError, pack, receive, receive_async

TEXTS = st.text(st.characters(codec=None), max_size=50)  # lone surrogates too: editors send them
MESSAGES = st.dictionaries(TEXTS, st.one_of(TEXTS, st.integers(), st.lists(st.integers()))).map(
    lambda fields: {**fields, "type": "token"}
)

BROKEN = {
    "half a header": b"\0\0",
    "half a body": b"\0\0\0\x10{}",
    "a length beyond reason": b"\xff\xff\xff\xff" + bytes(100),
    "no JSON": b"\0\0\0\x03abc",
    "no UTF-8": b'\0\0\0\x03"\xff"',
    "nested beyond reason": (200_000).to_bytes(4, "big") + b"[" * 200_000,
    "no object": b"\0\0\0\x02[]",
    "no type": b"\0\0\0\x02{}",
    "a type that is no text": b'\0\0\0\x0a{"type":1}',
    "printed text": b"llama_model_loader: loaded meta data with 28 key-value pairs\n",
}


def reader(data: bytes) -> Callable[[int], bytes]:
    source = io.BytesIO(data)

    def read(size: int) -> bytes:
        assert size <= pipe.MAX_FRAME_BYTES, "nobody sends so much"
        return source.read(size)

    return read


async def stream(data: bytes) -> asyncio.StreamReader:
    stream = asyncio.StreamReader()
    stream.feed_data(data)
    stream.feed_eof()
    return stream


@given(st.lists(MESSAGES, max_size=4))
async def test_messages_arrive_as_they_were_sent(messages: list[pipe.Message]) -> None:
    """Whatever texts a message holds, both ends read the same message, and then the end."""
    data = b"".join(map(pack, messages))
    read = reader(data)
    assert [receive(read) for _ in messages] == messages
    assert receive(read) is None
    source = await stream(data)
    assert [await receive_async(source) for _ in messages] == messages
    assert await receive_async(source) is None


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
async def test_what_is_no_frame_is_refused(data: bytes) -> None:
    """Garbage raises `PipeError` at both ends."""
    with pytest.raises(PipeError):
        receive(reader(data))
    with pytest.raises(PipeError):
        await receive_async(await stream(data))


async def test_announced_gigabytes_are_not_waited_for() -> None:
    """A length beyond reason is refused at once, while the pipe is still open."""
    source = asyncio.StreamReader()
    source.feed_data(b"\xff\xff\xff\xff")
    with pytest.raises(PipeError, match="4,294,967,295"):
        await asyncio.wait_for(receive_async(source), 10)


def test_a_message_beyond_the_limit_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message too long for the pipe is refused where it is made, in words."""
    monkeypatch.setattr(pipe, "MAX_FRAME_BYTES", 100)
    with pytest.raises(PipeError, match="too long"):
        pack({"type": "encode", "texts": ["x" * 100]})
