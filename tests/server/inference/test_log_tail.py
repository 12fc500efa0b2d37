"""The last lines of a process."""

from __future__ import annotations

import asyncio

from bowerbird.inference.log_tail import LINES, LONGEST_LINE_BYTES, LogTail


async def followed(*chunks: bytes) -> LogTail:
    """The tail of a stream that came in these pieces."""
    stream = asyncio.StreamReader()
    for chunk in chunks:
        stream.feed_data(chunk)
    stream.feed_eof()
    tail = LogTail()
    await tail.follow(stream)
    return tail


async def test_the_last_lines_are_kept() -> None:
    """Lines come whole however they were cut, odd bytes do no harm, and old ones leave."""
    tail = await followed(b"on", b"e\r\ntw\xff", b"o\n", *(b"%d\n" % number for number in range(LINES - 1)))
    assert list(tail.lines)[:2] == ["tw\ufffdo", "0"]
    assert len(tail.lines) == LINES


async def test_an_endless_line_takes_no_more_room() -> None:
    """A process that prints dots without a line break does not fill the memory."""
    tail = await followed(b"." * (3 * LONGEST_LINE_BYTES), b"\n")
    assert [len(line) for line in tail.lines] == [LONGEST_LINE_BYTES]


async def test_the_first_complaint_counts() -> None:
    """The first line about an error says most, without llama.cpp's words before it."""
    log = b"loading\nllama_model_load: error loading model: tensor is gone\nfailed to load model\n"
    assert (await followed(log)).complaint() == "tensor is gone"
    assert (await followed(b"all is well\n")).complaint() == ""
