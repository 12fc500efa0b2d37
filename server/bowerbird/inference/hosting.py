"""llama-servers on this machine: the user's own that runs already, and one that we start and end."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from bowerbird.inference.loading import threads_for
from bowerbird.inference.log_tail import LogTail
from bowerbird.settings import InferenceSettings

DEFAULT_CONTEXT_TOKENS = 4096
ALL_LAYERS = 999
END_SECONDS = 3.0
WORDS_BEFORE_OPTIONS = 5  # a program may be run by another, such as a loader with its library path
ALIAS = "bowerbird"
"""The name under which ours serve, so that no other Bowerbird takes one for a user's own."""


class HostedServer:
    """A llama-server that we started. Made by `start_server`."""

    def __init__(self, process: asyncio.subprocess.Process, url: str, key: str) -> None:
        self._process = process
        self.url = url
        self.key = key
        """Other users of this machine do not know it, so they cannot read prompts."""
        self.log = LogTail()
        assert process.stdout is not None
        self._reading = asyncio.create_task(self.log.follow(process.stdout))

    @property
    def pid(self) -> int:
        """Of the keeper, whose child the llama-server is."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs."""
        return self._process.returncode

    async def close(self) -> None:
        """End it. Can be called twice."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(END_SECONDS):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        await self._reading


async def start_server(executable: Path, model: Path, settings: InferenceSettings) -> HostedServer:
    """Start a llama-server for `model` on a free port of the loopback address; it is not ready yet."""
    port = _free_port()
    key = secrets.token_urlsafe(24)
    layers = settings.gpu_layers if settings.gpu_layers >= 0 else ALL_LAYERS
    options = {
        "--model": str(model),
        "--alias": ALIAS,
        "--host": "127.0.0.1",
        "--port": str(port),
        "--parallel": "1",
        "--threads": str(threads_for(settings.threads)),
        "--ctx-size": str(settings.context_tokens or DEFAULT_CONTEXT_TOKENS),
        "--batch-size": str(settings.micro_batch_tokens),  # it looks for closed requests between batches
        "--ubatch-size": str(settings.micro_batch_tokens),
        "--n-gpu-layers": str(layers),
    }
    environment = {"LLAMA_API_KEY": key}  # not on the command line, which everybody can read
    if layers == 0:
        environment["LLAMA_ARG_FLASH_ATTN"] = "off"  # see `context.Context`; older ones know no such option
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "bowerbird.inference.keeper", str(executable)),
        *(word for option in options.items() for word in option),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, **environment},
    )
    return HostedServer(process, f"http://127.0.0.1:{port}", key)


def find_running_server() -> str:
    """The URL of a llama-server that this user runs on this machine, or ""; blocking, some 50 ms.

    Found among the user's processes, not by knocking at ports: what listens at a port may be somebody else's.
    """
    own = psutil.Process().username()
    for process in psutil.process_iter():
        try:
            if process.username() == own and _is_foreign_server(process.cmdline()):
                for port in _listening_ports(process):
                    return f"http://127.0.0.1:{port}"
        except psutil.Error:
            continue
    return ""


def _is_foreign_server(command: list[str]) -> bool:
    names = {Path(word).name.removesuffix(".exe") for word in command[:WORDS_BEFORE_OPTIONS]}
    return "llama-server" in names and ALIAS not in command and "bowerbird.inference.keeper" not in command


def _listening_ports(process: psutil.Process) -> Iterator[int]:
    for connection in process.net_connections(kind="tcp"):
        if connection.status == psutil.CONN_LISTEN and connection.laddr.ip in ("127.0.0.1", "0.0.0.0", "::"):
            yield connection.laddr.port


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
