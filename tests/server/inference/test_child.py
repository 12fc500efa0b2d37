"""The model's process at its pipe: what it answers, and how it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import psutil  # type: ignore[import-untyped]
import pytest

from bowerbird.inference.pipe import Message, pack, receive
from bowerbird.inference.process import CHILD_COMMAND

END_SECONDS = 2.0  # a dead parent leaves no child behind for longer

NOISY = """
import ctypes, os, sys
from bowerbird.inference import child, decoder
load = decoder.Decoder.__init__
def noisy(*arguments):
    print("noise " * 1000, flush=True)
    os.write(1, b"noise\\n" * 1000)
    ctypes.CDLL(None).puts(b"noise")
    ctypes.CDLL(None).fflush(None)
    assert sys.stdin.read() == ""
    load(*arguments)
decoder.Decoder.__init__ = noisy
child.main()
"""


class Pipe:
    """A model's process and our end of its pipe."""

    def __init__(self, command: tuple[str, ...], log: IO[bytes]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        self.log = Path(log.name)

    def send(self, **message: object) -> None:
        self.write(pack(dict(message)))

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def receive(self) -> Message:
        assert self.process.stdout is not None
        message = receive(self.process.stdout.read)
        assert message is not None, self.log.read_text(errors="replace")[-2000:]
        return message

    def answer(self, request: int) -> Message:
        """The last answer to `request`."""
        while (message := self.receive())["id"] != request or message["type"] in ("progress", "token"):
            pass
        return message


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Pipe]]:
    """`start()` starts a process; all are ended with the test."""
    pipes: list[Pipe] = []

    def build(command: tuple[str, ...] = CHILD_COMMAND) -> Pipe:
        with (tmp_path / f"log-{len(pipes)}").open("wb") as log:
            pipes.append(Pipe(command, log))
        return pipes[-1]

    yield build
    for pipe in pipes:
        pipe.process.kill()
        pipe.process.wait()
        for end in (pipe.process.stdin, pipe.process.stdout):
            assert end is not None
            with contextlib.suppress(BrokenPipeError):
                end.close()


@pytest.fixture
def loaded(start: Callable[..., Pipe], load_message: Callable[..., Message], model: Path) -> Pipe:
    """A process with the built-in model, which was request 1."""
    pipe = start()
    pipe.send(**load_message(model), id=1)
    assert pipe.answer(1)["type"] == "loaded"
    return pipe


def generate(pipe: Pipe, request: int, tokens: int = 8, max_new_tokens: int = 900) -> None:
    repeated = [300] * tokens  # which the model goes on repeating
    pipe.send(type="generate", id=request, tokens=repeated, max_new_tokens=max_new_tokens, visible_first=True)


def test_requests_are_answered(loaded: Pipe) -> None:
    """Each kind of request gets its answers, and an order to quit ends the process with 0."""
    loaded.send(type="ping", id=2)
    assert loaded.receive() == {"type": "pong", "id": 2}
    loaded.send(type="encode", id=3, texts=["def f", ""])
    answer = loaded.receive()
    assert (answer["type"], len(answer["tokens"]), answer["tokens"][1]) == ("encoded", 2, [])
    generate(loaded, 4, tokens=130, max_new_tokens=2)
    kinds = []
    while (message := loaded.receive())["type"] != "done":
        kinds.append((message["type"], message["id"]))
    assert kinds == [("progress", 4)] * 3 + [("token", 4)] * 2
    assert (message["tokens_evaluated"], message["tokens_generated"], message["stopped"]) == (
        130,
        2,
        "length",
    )
    loaded.send(type="score", id=5, tokens=[5], continuation="def f")
    assert len(loaded.answer(5)["logprobs"]) == len(answer["tokens"][0])
    loaded.send(type="quit")
    assert loaded.process.wait(END_SECONDS) == 0


def test_texts_are_counted_beside_a_generation(loaded: Pipe) -> None:
    """Encoding and pings are answered before a generation that began earlier ends."""
    generate(loaded, 2)
    assert loaded.receive()["id"] == 2
    loaded.send(type="encode", id=3, texts=["x"] * 100)
    loaded.send(type="ping", id=4)
    order: list[int] = []
    while len(order) < 3:
        message = loaded.receive()
        if message["type"] not in ("token", "progress"):
            order.append(message["id"])
    assert set(order[:2]) == {3, 4}
    assert order[2] == 2


def test_a_cancelled_request_ends_early_and_the_next_is_served(loaded: Pipe) -> None:
    """A running request ends with `cancelled`, so does one that waits, and no other is touched."""
    generate(loaded, 2)
    generate(loaded, 3)
    generate(loaded, 4, max_new_tokens=3)
    loaded.send(type="cancel", id=3)
    loaded.send(type="cancel", id=99)
    while loaded.receive()["type"] != "token":
        pass
    loaded.send(type="cancel", id=2)
    first, second, third = (loaded.answer(request) for request in (2, 3, 4))
    assert first["stopped"] == "cancelled"
    assert 0 < first["tokens_generated"] < 900
    assert (second["stopped"], second["tokens_generated"]) == ("cancelled", 0)
    assert (third["stopped"], third["tokens_generated"]) == ("length", 3)


def test_a_cancelled_score_fails_and_the_next_is_served(loaded: Pipe) -> None:
    """A score that is cancelled while it waits ends with a failure instead of half a list."""
    generate(loaded, 2)
    loaded.send(type="score", id=3, tokens=[5] * 8, continuation="def f")
    loaded.send(type="cancel", id=3)
    loaded.send(type="cancel", id=2)
    assert loaded.answer(2)["stopped"] == "cancelled"
    assert loaded.answer(3)["kind"] == "cancelled"
    loaded.send(type="score", id=4, tokens=[5] * 8, continuation="def f")
    assert loaded.answer(4)["type"] == "scored"


def test_prints_do_not_reach_the_pipe(
    start: Callable[..., Pipe], load_message: Callable[..., Message], model: Path
) -> None:
    """What Python or C print while loading lands in the log, and their input is empty."""
    pipe = start((sys.executable, "-P", "-c", NOISY))
    pipe.send(**load_message(model), id=1)
    assert pipe.answer(1)["type"] == "loaded"
    generate(pipe, 2, max_new_tokens=3)
    assert pipe.answer(2)["stopped"] == "length"
    assert pipe.log.read_bytes().count(b"noise") == 2001


def test_the_process_gives_way(loaded: Pipe) -> None:
    """The model runs at a lower priority than the editor."""
    assert psutil.Process(loaded.process.pid).nice() > psutil.Process().nice()


@pytest.mark.parametrize("after", ["nothing", "load", "generate", "encode"])
def test_the_end_of_input_ends_the_process(
    after: str, start: Callable[..., Pipe], load_message: Callable[..., Message], model: Path
) -> None:
    """Whatever it is doing, the process ends soon after its parent's end of the pipe is closed."""
    pipe = start()
    if after != "nothing":
        pipe.send(**load_message(model), id=1)
    if after in ("generate", "encode"):
        pipe.answer(1)
        generate(pipe, 2)
        pipe.receive()
    if after == "encode":
        pipe.send(type="encode", id=3, texts=["x = 1\n" * 1_000_000])
    assert pipe.process.stdin is not None
    pipe.process.stdin.close()
    pipe.process.wait(END_SECONDS)


def test_a_closed_output_ends_the_process(loaded: Pipe) -> None:
    """With nobody left to read its answers the process ends."""
    assert loaded.process.stdout is not None
    loaded.process.stdout.close()
    generate(loaded, 2)
    loaded.process.wait(END_SECONDS)


@pytest.mark.parametrize(
    "garbage",
    [b"\xff" * 64, b"\0\0\0\x03abc", pack({"type": "dance", "id": 9}), pack({"type": "cancel"}), b"\0\0"],
    ids=["noise", "no JSON", "an unknown message", "no id", "an incomplete frame"],
)
def test_garbage_on_the_pipe_ends_the_process(garbage: bytes, loaded: Pipe) -> None:
    """A parent that speaks nonsense is not guessed at: the process ends with code 2 and a log of why."""
    loaded.write(garbage)
    assert loaded.process.stdin is not None
    if len(garbage) < 4:
        loaded.process.stdin.close()
    assert loaded.process.wait(END_SECONDS) == 2
    assert b"Error" in loaded.log.read_bytes()


def test_a_request_before_any_model_fails(start: Callable[..., Pipe]) -> None:
    """Work without a model is refused, and the process goes on."""
    pipe = start()
    generate(pipe, 1)
    pipe.send(type="encode", id=2, texts=["x"])
    assert {pipe.receive()["type"], pipe.receive()["type"]} == {"failed"}
    pipe.send(type="ping", id=3)
    assert pipe.receive()["type"] == "pong"


def test_a_wrong_request_fails_and_the_next_is_served(loaded: Pipe) -> None:
    """A prompt that does not fit, or a request without its fields, is told; the process goes on."""
    generate(loaded, 2, tokens=200, max_new_tokens=900)
    answer = loaded.answer(2)
    assert (answer["type"], answer["kind"]) == ("failed", "prompt")
    assert "context holds 1,024" in answer["message"]
    loaded.send(type="generate", id=3)
    assert loaded.answer(3)["kind"] == "internal"
    loaded.send(type="encode", id=4)
    assert loaded.answer(4)["kind"] == "internal"
    generate(loaded, 5, max_new_tokens=3)
    assert loaded.answer(5)["type"] == "done"


def test_interrupts_are_the_parents_business(loaded: Pipe) -> None:
    """Ctrl-C in a terminal reaches the whole group; the model's process leaves it to its parent."""
    os.kill(loaded.process.pid, signal.SIGINT)
    generate(loaded, 2, max_new_tokens=3)
    assert loaded.answer(2)["type"] == "done"


def test_an_answer_too_long_for_the_pipe_fails(
    start: Callable[..., Pipe], load_message: Callable[..., Message], model: Path
) -> None:
    """The process says that an answer is too long instead of sending it."""
    script = "from bowerbird.inference import child, pipe; pipe.MAX_FRAME_BYTES = 20_000; child.main()"
    pipe = start((sys.executable, "-P", "-c", script))
    pipe.send(**load_message(model), id=1)
    pipe.answer(1)
    pipe.send(type="encode", id=2, texts=["!?" * 9_000])
    answer = pipe.answer(2)
    assert answer["type"] == "failed"
    assert "too long" in answer["message"]
    pipe.send(type="ping", id=3)
    assert pipe.receive()["type"] == "pong"
