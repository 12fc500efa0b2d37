"""Carries the protocol over stdin and stdout, or over one loopback connection."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import socket
import sys
import threading
from contextlib import suppress
from typing import BinaryIO, NoReturn, Protocol

from pygls.io_ import run_async

from bowerbird.knowledge.secrets import redact
from bowerbird.lsp.host import BowerbirdServer

CHUNK_BYTES = 1 << 16
HEADER_LIMIT_BYTES = 1 << 20  # of a header line; bodies have no limit
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"

logger = logging.getLogger(__name__)


class Sink(Protocol):
    """Where messages go."""

    def write(self, data: bytes) -> None: ...

    def close(self) -> None: ...


class MaskedFormatter(logging.Formatter):
    """Errors quote what the editor sent, which may hold secrets."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


def serve_stdio() -> NoReturn:
    """`bowerbird serve`: serve the editor at the other end of stdin and stdout, then exit."""
    from bowerbird.lsp.server import create_server

    log_to_stderr()
    server = create_server()
    with suppress(KeyboardInterrupt):
        server.start_io()
    leave(server.exit_code)


def serve_tcp(host: str, port: int) -> NoReturn:
    """`bowerbird serve --tcp`: serve the first editor that connects, then exit."""
    from bowerbird.lsp.server import create_server

    log_to_stderr()
    server = create_server()
    with suppress(KeyboardInterrupt):
        server.start_tcp(host, port)
    leave(server.exit_code)


def log_to_stderr() -> None:
    """Warnings to stderr, where editors keep a server's log; with ``BOWERBIRD_DEBUG=1`` everything."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(MaskedFormatter(LOG_FORMAT))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    if os.environ.get("BOWERBIRD_DEBUG", "0") not in ("", "0"):
        logging.getLogger("bowerbird").setLevel(logging.DEBUG)
    logging.getLogger("pygls").setLevel(logging.ERROR)  # it warns of each cancellation that came too late


def leave(exit_code: int) -> NoReturn:
    """End the process now: a thread that is stuck in a slow file system must not keep it."""
    sys.stderr.flush()
    os._exit(exit_code)


async def over_pipes(server: BowerbirdServer, stdin: BinaryIO | None, stdout: BinaryIO | None) -> None:
    """Serve until stdin ends or the editor says `exit`."""
    source, sink = (
        _own_descriptors() if stdin is None or stdout is None else (stdin.fileno(), stdout.fileno())
    )
    incoming = Incoming(limit=HEADER_LIMIT_BYTES)
    pump = threading.Thread(target=_pump, args=(source, incoming, asyncio.get_running_loop()), daemon=True)
    pump.start()
    await converse(server, incoming, PipeSink(sink, incoming))


async def over_tcp(server: BowerbirdServer, host: str, port: int) -> None:
    """Serve the first connection until it ends. Port 0 takes a free one; stderr says which."""
    address = await _loopback(host, port)
    first: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]]
    first = asyncio.get_running_loop().create_future()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if first.done():
            writer.close()  # a server serves one editor
        else:
            first.set_result((reader, writer))

    listening = await asyncio.start_server(connected, address, port, limit=HEADER_LIMIT_BYTES)
    print(
        f"bowerbird: listening on {address}:{listening.sockets[0].getsockname()[1]}",
        file=sys.stderr,
        flush=True,
    )
    reader, writer = await first
    listening.close()
    await converse(server, reader, writer)


async def converse(server: BowerbirdServer, reader: asyncio.StreamReader, sink: Sink) -> None:
    """Read messages and have them handled, until the stream ends or the editor says `exit`."""
    stop = threading.Event()
    server.ended = stop.set
    server.protocol.set_writer(sink)
    try:
        await run_async(
            stop_event=stop, reader=reader, protocol=server.protocol, error_handler=server.report_server_error
        )
    except (asyncio.IncompleteReadError, ConnectionError):
        logger.warning("The editor's end of the line broke in the middle of a message.")
    except ValueError as error:  # a header line without end
        logger.error("What arrives is not the Language Server Protocol: %s", error)
    finally:
        await server.close()
        sink.close()


class Incoming(asyncio.StreamReader):
    """What arrives by a pipe. It ends when the pipe does, or when nobody takes our answers any more."""

    ended = False

    def deliver(self, data: bytes) -> None:
        """The next bytes; none at the pipe's end."""
        if not data:
            self.end()
        elif not self.ended:
            self.feed_data(data)

    def end(self) -> None:
        if not self.ended:
            self.ended = True
            self.feed_eof()


class PipeSink:
    """Writes to a pipe; when its other end is gone, ends the conversation instead of raising."""

    def __init__(self, descriptor: int, incoming: Incoming) -> None:
        self._descriptor = descriptor
        self._incoming = incoming
        self._broken = False

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest and not self._broken:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
            except OSError as error:
                logger.warning("The editor no longer listens: %s", error)
                self._broken = True
                self.close()

    def close(self) -> None:
        """The descriptor stays open, as it is not ours."""
        self._incoming.end()


def _pump(source: int, incoming: Incoming, loop: asyncio.AbstractEventLoop) -> None:
    """Deliver what arrives at `source`; in a thread, as not every system can await a pipe."""
    data = b"begin"
    while data:
        try:
            data = os.read(source, CHUNK_BYTES)
        except OSError:
            data = b""
        try:
            loop.call_soon_threadsafe(incoming.deliver, data)
        except RuntimeError:  # the loop has ended
            return


def _own_descriptors() -> tuple[int, int]:
    """Our stdin and stdout under other numbers.

    What is left under theirs leads nowhere and to stderr, so that neither a library's `print` nor a child
    process can put a word into the protocol.
    """
    sys.stdout.flush()
    source, sink = os.dup(0), os.dup(1)
    if os.name != "nt":  # a parent may share them as non-blocking, for which read and write here are not made
        os.set_blocking(source, True)
        os.set_blocking(sink, True)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    os.dup2(2, 1)
    return source, sink


async def _loopback(host: str, port: int) -> str:
    """`host` as an address of the loopback; raises `ValueError` if others can reach it."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    address = str(found[0][4][0])
    if not ipaddress.ip_address(address).is_loopback:
        raise ValueError(f"{host} can be reached from other machines, and the protocol knows no password.")
    return address
