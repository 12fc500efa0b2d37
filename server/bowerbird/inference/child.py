"""The model's process: reads requests from its input, answers through a private copy of its output.

Started as ``python -P -m bowerbird.inference.child``. Three threads: one reads and never works, so that
a cancellation or the parent's end is seen at once; one counts tokens; the main one loads, generates and
scores. llama.cpp prints to file descriptors 1 and 2 as it likes; both are the log.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
import traceback
from dataclasses import asdict
from typing import TYPE_CHECKING, BinaryIO

from bowerbird.inference.greedy import Terms
from bowerbird.inference.outbox import Outbox
from bowerbird.inference.pipe import Message, PipeError, pack, receive

if TYPE_CHECKING:
    from bowerbird.inference.context import AbortFlag
    from bowerbird.inference.decoder import Decoder
    from bowerbird.inference.pooled import Pooled

NICENESS = 5  # the editor comes first
PROGRESS_SECONDS = 0.25  # between two messages while loading; a load reports thousands of steps


class Child:
    """The threads and what they share."""

    def __init__(self, source: BinaryIO, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._sending = threading.Lock()
        self._work: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._texts: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._decoder: Decoder | None = None
        self._pooled: Pooled | None = None
        """In its place, where the model gives vectors."""
        self._turn = threading.Lock()
        """Guards the three below."""
        self._current: int | None = None
        self._cancelled: set[int] = set()
        self._abort: AbortFlag | None = None

    def run(self) -> None:
        """Serve until the input ends; never returns."""
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._count, daemon=True).start()
        while True:
            message = self._work.get()
            self._begin(message["id"])
            try:
                self._answer(message)
            finally:
                self._end(message["id"])

    def _read(self) -> None:
        """Take messages in. Whatever ends the input ends the process, also in the middle of a decode."""
        code = 0
        try:
            while (message := receive(self._source.read)) is not None and message["type"] != "quit":
                self._take(message)
        except Exception:
            traceback.print_exc()
            code = 2
        sys.stderr.flush()
        os._exit(code)

    def _take(self, message: Message) -> None:
        if type(message.get("id")) is not int:
            raise PipeError("A request has no number.")
        match message["type"]:
            case "ping":
                self._send({"type": "pong", "id": message["id"]})
            case "cancel":
                self._cancel(message["id"])
            case "encode":
                self._texts.put(message)
            case "load" | "generate" | "score" | "embed":
                self._work.put(message)
            case unknown:
                raise PipeError(f"There is no message {unknown!r}.")

    def _cancel(self, request: int) -> None:
        with self._turn:
            self._cancelled.add(request)
            if self._current == request and self._abort is not None:
                self._abort.set()

    def _begin(self, request: int) -> None:
        with self._turn:
            self._current = request
            if self._abort is not None:
                self._abort.set(request in self._cancelled)

    def _end(self, request: int) -> None:
        with self._turn:
            self._current = None
            # Requests come in rising order, so what is older will not come any more.
            self._cancelled = {other for other in self._cancelled if other > request}

    def _answer(self, message: Message) -> None:
        """Do one piece of work and say how it went."""
        request = message["id"]
        try:
            self._send({"id": request, **self._perform(message)})
        except PipeError as error:
            self._fail(request, "prompt", str(error))
        except Exception as error:
            kind = getattr(error, "kind", "internal")
            if kind == "internal":
                traceback.print_exc()
            self._fail(request, kind, str(error) or type(error).__name__)

    def _perform(self, message: Message) -> Message:
        if message["type"] == "load":
            return self._load(message)
        request = message["id"]

        def progress() -> None:
            self._send({"type": "progress", "id": request})

        if message["type"] == "embed" and self._pooled is not None:
            return {"type": "embedded", "vectors": self._pooled.embed(message["texts"], progress)}
        if self._decoder is None:
            raise RuntimeError("No such model is loaded.")
        if message["type"] == "score":
            logprobs = self._decoder.score(message["tokens"], message["continuation"], progress)
            return {"type": "scored", "logprobs": logprobs}
        outbox = Outbox(
            lambda text, count: self._send({"type": "token", "id": request, "text": text, "count": count})
        )
        terms = Terms(
            message["max_new_tokens"],
            message["visible_first"],
            message.get("first_choice", 0),
            message.get("grammar", ""),
            message.get("written", ()),
        )
        slot = message.get("slot", 0)
        try:
            outcome = self._decoder.generate(message["tokens"], terms, outbox.add, progress, slot)
        finally:
            outbox.flush()
        return {"type": "done", **asdict(outcome)}

    def _load(self, message: Message) -> Message:
        try:
            from bowerbird.inference.context import AbortFlag
            from bowerbird.inference.decoder import Decoder
            from bowerbird.inference.pooled import Pooled
        except (ImportError, OSError, RuntimeError) as error:
            return {"type": "failed", "kind": "engine", "message": str(error)}
        last = time.monotonic()

        def progress() -> None:
            nonlocal last
            if time.monotonic() - last > PROGRESS_SECONDS:
                last = time.monotonic()
                self._send({"type": "progress", "id": message["id"]})

        abort = AbortFlag()
        model: Decoder | Pooled
        if message.get("embeddings"):
            model = self._pooled = Pooled(message, abort, progress)
        else:
            model = self._decoder = Decoder(message, abort, progress)
        with self._turn:
            self._abort = abort
        return {"type": "loaded", **model.report()}

    def _count(self) -> None:
        """Tokenise; llama.cpp's vocabulary may be read beside a running decode."""
        while True:
            message = self._texts.get()
            request = message["id"]
            try:
                if self._decoder is None:
                    raise RuntimeError("No model is loaded.")
                vocabulary = self._decoder.vocabulary
                encode = vocabulary.encode_own if message.get("own") else vocabulary.encode
                tokens = [encode(text) for text in message["texts"]]
                self._send({"type": "encoded", "id": request, "tokens": tokens})
            except Exception as error:
                traceback.print_exc()
                self._fail(request, "internal", str(error))

    def _fail(self, request: int, kind: str, message: str) -> None:
        self._send({"type": "failed", "id": request, "kind": kind, "message": message})

    def _send(self, message: Message) -> None:
        frame = memoryview(pack(message))
        with self._sending:
            while frame:
                try:
                    frame = frame[os.write(self._sink, frame) :]
                except OSError:
                    os._exit(1)  # nobody reads any more


def take_private_pipe() -> tuple[BinaryIO, int]:
    """Our own copies of input and output. Anybody else reads nothing, and prints into the log."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(source, os.O_BINARY)
        msvcrt.setmode(sink, os.O_BINARY)
    return os.fdopen(source, "rb"), sink


def lower_priority() -> None:
    """Let the editor and the compiler go first."""
    if sys.platform == "win32":
        import psutil

        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
    else:
        os.nice(NICENESS)


def main() -> None:
    """Serve the parent at the other end of our input and output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the parent, whose end we see
    lower_priority()
    Child(*take_private_pipe()).run()


if __name__ == "__main__":
    main()
