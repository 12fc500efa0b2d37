"""A broker's clients, and what each of them has asked."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

from bowerbird.inference.greedy import Outcome
from bowerbird.inference.pipe import MAX_FRAME_BYTES, Message, PipeError, pack
from bowerbird.inference.process import Call
from bowerbird.inference.turns import Priority


class Client:
    """One editor, and its open requests by its own numbers."""

    def __init__(self, number: int, writer: asyncio.StreamWriter) -> None:
        self.number = number
        """The lowest that is free: its caches' slots come from it."""
        self.writer = writer
        self.is_editor = False
        """Has asked for more than how the broker fares; `doctor` has not, and may not have hung up yet."""
        self.requests: dict[int, Request] = {}
        self.lines = {priority: asyncio.Lock() for priority in Priority}
        """Whoever has many requests, has one of each priority in the queue: so equals go by turns."""

    def send(self, message: Message) -> None:
        """Never waits: who does not read is left, before its answers fill the memory."""
        if self.writer.is_closing():
            return
        self.writer.write(pack(message))
        if self.writer.transport.get_write_buffer_size() > 2 * MAX_FRAME_BYTES:
            self.writer.transport.abort()


class Request:
    """One request of a client, from when it came to its last answer."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.call: Call | None = None
        """With the model's process; None while it waits for its turn."""
        self.cancelled = False
        self.task: asyncio.Task[None] | None = None

    def as_told(self) -> Message:
        """For `doctor`; nothing of its contents."""
        told = self.message
        return {"type": told["type"], "priority": told.get("priority"), "running": self.call is not None}


def priority_of(message: Message) -> Priority:
    """Whose turn is first; raises `PipeError`."""
    try:
        return Priority(message.get("priority", Priority.AUTOMATIC))
    except ValueError as error:
        raise PipeError("There is no such priority.") from error


def unbegun(message: Message) -> Message:
    """The last answer to a request that was cancelled before its turn came."""
    if message["type"] == "generate":
        written = message.get("written")
        return {"type": "done", **asdict(Outcome(written=written if isinstance(written, list) else []))}
    return {"type": "failed", "kind": "cancelled", "message": "Cancelled."}
