"""A client that says anything: raw messages, and a count of the answers to each request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Protocol

Message = dict[str, Any]


class Sink(Protocol):
    """Where messages are written."""

    def write(self, data: bytes) -> None: ...


class Wire:
    """Writes messages, reads answers, and answers what the server itself asks."""

    def __init__(self, sink: Sink) -> None:
        self.answers: dict[str, list[Message]] = {}
        """All answers to each request, by its id. There should be one."""
        self.strangers: list[Message] = []
        """Answers to nothing that was asked."""
        self.notified = 0
        self.heard = 0
        """Messages of any kind."""
        self.ended = False
        """Nothing will come any more: the stream is over, or what came was no message."""
        self.broken = ""
        """What came in the place of a message."""
        self._sink = sink
        self._asked = 0
        self._news = asyncio.Event()

    async def listen(self, reader: asyncio.StreamReader) -> None:
        """Take in what the server says until its stream ends, or carries something else than messages."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii")
                fields = dict(line.split(": ", 1) for line in head.strip().split("\r\n"))
                self._take(json.loads(await reader.readexactly(int(fields["Content-Length"]))))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        except (asyncio.LimitOverrunError, ValueError, KeyError, TypeError, AttributeError) as error:
            self.broken = f"{type(error).__name__}: {error}"
        finally:
            self.ended = True
            self._news.set()

    def ask(self, method: str, params: Any) -> str:
        """Send a request; its id."""
        self._asked += 1
        name = f"r{self._asked}"
        self.answers[name] = []
        self.send({"jsonrpc": "2.0", "id": name, "method": method, "params": params})
        return name

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def send(self, message: Mapping[str, Any]) -> None:
        """Any JSON."""
        self.send_body(json.dumps(message).encode())

    def send_body(self, body: bytes) -> None:
        """Anything in a proper frame."""
        self._sink.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    @property
    def unanswered(self) -> list[str]:
        """Requests that have no answer yet."""
        return [name for name, answers in self.answers.items() if not answers]

    async def answered(self, timeout_s: float | None) -> list[str]:
        """Wait until every request has an answer; those that have none when the time is over."""
        try:
            async with asyncio.timeout(timeout_s):
                while not self.ended and not all(self.answers.values()):
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            pass
        return self.unanswered

    async def result(self, method: str, params: Any, timeout_s: float | None) -> Any:
        """Ask, and wait for this answer alone; raises `TimeoutError` or, for an error, `ValueError`."""
        name = self.ask(method, params)
        async with asyncio.timeout(timeout_s):
            while not self.answers[name]:
                if self.ended:
                    raise ValueError("The server has ended.")
                self._news.clear()
                await self._news.wait()
        (answer,) = self.answers[name]
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer["result"]

    def _take(self, message: Message) -> None:
        self.heard += 1
        if "method" not in message:
            self.answers.get(str(message.get("id")), self.strangers).append(message)
            self._news.set()
        elif "id" in message:
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": self._reply(message)})
        else:
            self.notified += 1

    @staticmethod
    def _reply(message: Message) -> Any:
        return [None] if message["method"] == "workspace/configuration" else None
