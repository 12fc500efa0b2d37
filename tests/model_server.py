"""A stand-in for model servers with OpenAI's interface, as vLLM, Ollama and gateways document it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Model:
    """What the stand-in serves, how, and what was asked of it."""

    name: str = "qwen2.5-coder:1.5b-base"
    owner: str = "library"
    """``vllm``, ``library`` (Ollama), ``organization_owner`` (LM Studio), or a gateway's own."""
    context_tokens: int = 0
    chunks: tuple[str, ...] = ("re", "turn ", "x\n")
    finish: str = "stop"
    key: str = ""
    """Wanted with every request."""
    statuses: list[int] = field(default_factory=list)
    """What the next answers to a completion are in place of a stream; 0 is a stream."""
    headers: str = ""
    body: bytes | None = None
    """What a completion is answered with, in place of a stream."""
    models_body: bytes | None = None
    lists: bool = True
    """Has it `/v1/models`?"""
    pause_s: float = 0.0
    """Before each chunk."""
    cut_after: int | None = None
    """Chunks after which the connection breaks."""
    vocabulary: dict[str, int] = field(default_factory=dict)
    """vLLM's special tokens; every other character is its code point and 1,000."""
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    """Method, path and body."""
    authorizations: list[str] = field(default_factory=list)
    sent: int = 0
    """Chunks of all completions."""
    broken_off: int = 0
    """Completions whose asker left."""
    url: str = ""
    at_once: int = 0
    most_at_once: int = 0

    def completions(self) -> list[Any]:
        """The bodies of all completions asked for."""
        return [body for _, path, body in self.asked if path.endswith("completions")]


@asynccontextmanager
async def serving(model: Model, ssl: Any = None, port: int = 0) -> AsyncIterator[Model]:
    """The model at `model.url`."""
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            while await _answer(model, reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            tasks.discard(task)
            writer.close()

    listener = await asyncio.start_server(connected, "127.0.0.1", port, ssl=ssl)
    port = listener.sockets[0].getsockname()[1]
    model.url = f"{'https' if ssl else 'http'}://127.0.0.1:{port}"
    try:
        yield model
    finally:
        listener.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _answer(model: Model, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """One request; False when the connection ends."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    method, path, _ = head.split(" ", 2)
    fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
    fields = {name.lower(): value for name, value in fields.items()}
    raw = await reader.readexactly(int(fields.get("content-length", "0")))
    body = json.loads(raw) if raw else None
    model.asked.append((method, path, body))
    model.authorizations.append(fields.get("authorization", ""))
    if model.key and fields.get("authorization") != f"Bearer {model.key}":
        _say(writer, 401, b'{"error": {"message": "Incorrect API key provided"}}')
    elif path == "/v1/models" and model.lists:
        _say(writer, 200, model.models_body or json.dumps(_models(model)).encode())
    elif path == "/tokenize" and model.owner == "vllm":
        tokens = _tokens(model, body)
        _say(
            writer, 200, json.dumps({"count": len(tokens), "max_model_len": 8192, "tokens": tokens}).encode()
        )
    elif path in ("/v1/completions", "/v1/chat/completions"):
        return await _complete(model, reader, writer, path, body)
    else:
        _say(writer, 404, b'{"detail": "Not Found"}')
    await writer.drain()
    return True


def _models(model: Model) -> dict[str, Any]:
    row = {"id": model.name, "object": "model", "created": 1, "owned_by": model.owner}
    if model.context_tokens:
        row["max_model_len"] = model.context_tokens
    return {"object": "list", "data": [row]}


def _tokens(model: Model, body: Any) -> list[int]:
    if "messages" in body:
        text = "".join(f"<{one['role']}>{one['content']}" for one in body["messages"])
        return [ord(letter) + 1000 for letter in text]
    text, tokens = body["prompt"], list[int]()
    while text:
        special = next((one for one in model.vocabulary if text.startswith(one)), None)
        tokens.append(model.vocabulary[special] if special else ord(text[0]) + 1000)
        text = text[len(special) if special else 1 :]
    return tokens


async def _complete(
    model: Model, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: Any
) -> bool:
    status = model.statuses.pop(0) if model.statuses else 0
    if status:
        _say(writer, status, b'{"error": {"message": "Something is wrong"}}', model.headers)
        await writer.drain()
        return True
    if model.body is not None:
        _say(writer, 200, model.body)
        await writer.drain()
        return True
    model.at_once += 1
    model.most_at_once = max(model.most_at_once, model.at_once)
    watching = asyncio.create_task(reader.read(1))
    try:
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        for place, text in enumerate(model.chunks):
            if place == model.cut_after:
                return False
            await asyncio.wait([watching], timeout=model.pause_s)
            if watching.done():
                model.broken_off += 1
                return False
            _event(writer, _step(path, text, ""))
            await writer.drain()
            model.sent += 1
        _event(writer, _step(path, "", model.finish))
        if (body.get("stream_options") or {}).get("include_usage"):
            usage = {"prompt_tokens": len(body["prompt"]), "completion_tokens": len(model.chunks)}
            _event(writer, {"choices": [], "usage": usage})
        _part(writer, b"data: [DONE]\n\n")
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return False
    finally:
        watching.cancel()
        model.at_once -= 1


def _step(path: str, text: str, finish: str) -> dict[str, Any]:
    choice: dict[str, Any] = {"index": 0, "finish_reason": finish or None, "logprobs": None}
    if "chat" in path:
        return {"object": "chat.completion.chunk", "choices": [{**choice, "delta": {"content": text}}]}
    return {"object": "text_completion", "choices": [{**choice, "text": text}]}


def _event(writer: asyncio.StreamWriter, event: dict[str, Any]) -> None:
    _part(writer, b"data: " + json.dumps(event).encode() + b"\n\n")


def _part(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%s\r\n" % (len(data), data))


def _say(writer: asyncio.StreamWriter, status: int, body: bytes, headers: str = "") -> None:
    writer.write(
        f"HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\n{headers}"
        f"Content-Length: {len(body)}\r\n\r\n".encode()
        + body
    )
