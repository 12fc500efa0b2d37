"""The door of a shared model: a socket of the user's own, and a proof that both sides are of one user.

A client says ``hello`` with a nonce, the broker ``welcome`` with a proof and a nonce of its own, the client
``enter`` with its proof. From then on both speak as `pipe.py` says.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
import socket
import struct
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from bowerbird.inference.broker_place import Note, socket_path
from bowerbird.inference.pipe import Message, PipeError, pack, receive_async

GREETING_SECONDS = 20.0  # who says nothing for so long is stopped, or no Bowerbird
LOOPBACK = "127.0.0.1"

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Refused(Exception):  # noqa: N818 - an answer as any other
    """The other side is not who we thought."""


async def listen(folder: Path, serve: Serve) -> tuple[asyncio.Server, int]:
    """Listen for other processes of this user; the second is the port, 0 for the socket in `folder`."""
    path = socket_path(folder)
    if path is None or sys.platform == "win32":
        server = await asyncio.start_server(serve, LOOPBACK, 0)
        return server, int(server.sockets[0].getsockname()[1])
    path.unlink(missing_ok=True)  # of one that was killed; we hold the lock
    server = await asyncio.start_unix_server(serve, path)
    path.chmod(0o600)
    return server, 0


async def connect(folder: Path, note: Note) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Through the broker's door; raises `OSError`, `Refused`, and `TimeoutError` where nobody answers."""
    async with asyncio.timeout(GREETING_SECONDS):
        path = socket_path(folder)
        if note.port or path is None or sys.platform == "win32":
            reader, writer = await asyncio.open_connection(LOOPBACK, note.port)
        else:
            reader, writer = await asyncio.open_unix_connection(path)
        try:
            _check_user(writer)
            nonce = secrets.token_hex(16)
            writer.write(pack({"type": "hello", "nonce": nonce}))
            welcome = await _hear(reader, "welcome")
            _check(welcome["proof"], _proof(note.token, "broker", nonce))
            writer.write(pack({"type": "enter", "proof": _proof(note.token, "client", welcome["nonce"])}))
        except BaseException:
            writer.close()
            raise
        return reader, writer


async def let_in(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str) -> None:
    """The broker's side of the door; raises `OSError`, `Refused`, `TimeoutError`."""
    async with asyncio.timeout(GREETING_SECONDS):
        _check_user(writer)
        hello = await _hear(reader, "hello")
        nonce = secrets.token_hex(16)
        proof = _proof(token, "broker", hello["nonce"])
        writer.write(pack({"type": "welcome", "proof": proof, "nonce": nonce}))
        enter = await _hear(reader, "enter")
        _check(enter["proof"], _proof(token, "client", nonce))


async def _hear(reader: asyncio.StreamReader, kind: str) -> Message:
    try:
        message = await receive_async(reader)
    except PipeError as error:
        raise Refused(str(error)) from error
    if message is None or message["type"] != kind:
        raise Refused(f"It did not say {kind}.")
    if not all(isinstance(message.get(name, ""), str) for name in ("nonce", "proof")):
        raise Refused(f"Its {kind} is none.")
    return {"nonce": "", "proof": "", **message}


def _proof(token: str, side: str, nonce: str) -> str:
    told = f"{side} {nonce}".encode("utf-8", "surrogatepass")  # JSON carries halves of characters, too
    return hmac.digest(token.encode(), told, "sha256").hex()


def _check(proof: str, expected: str) -> None:
    if not hmac.compare_digest(proof.encode("utf-8", "surrogatepass"), expected.encode()):
        raise Refused("It does not know the token.")


def _check_user(writer: asyncio.StreamWriter) -> None:
    """Raise `Refused` where the system says that another user is at the other end."""
    user = peer_user(writer.get_extra_info("socket"))
    if user is not None and user != os.getuid():
        raise Refused(f"It belongs to the user {user}.")


def peer_user(peer: socket.socket) -> int | None:
    """The id of the user at the other end, if the system tells."""
    user: int | None = None
    if sys.platform == "linux":
        if peer.family == socket.AF_UNIX:
            told = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            user = int(struct.unpack("3i", told)[1])
    elif sys.platform == "darwin":
        if peer.family == socket.AF_UNIX:
            told = peer.getsockopt(0, 1, 76)  # SOL_LOCAL, LOCAL_PEERCRED: a `struct xucred`
            user = int(struct.unpack_from("II", told)[1])
    return user
