"""`bowerbird serve`: the language server."""

from __future__ import annotations

import ipaddress
from typing import Annotated

import typer

from bowerbird.cli.errors import UsageError

LOOPBACK = "127.0.0.1"
MAX_PORT = 65_535


def serve_command(
    tcp: Annotated[
        str | None,
        typer.Option(
            metavar="[HOST:]PORT", help="Listen here instead of on stdin; only on this machine's loopback."
        ),
    ] = None,
) -> None:
    """Serve an editor over the Language Server Protocol, on stdin and stdout unless --tcp is given."""
    address = None if tcp is None else parse_address(tcp)
    from bowerbird.lsp import serve

    if address is None:
        serve.serve_stdio()
    else:
        serve.serve_tcp(*address)


def parse_address(text: str) -> tuple[str, int]:
    """``[HOST:]PORT``; raises `UsageError` for a host that other machines could reach."""
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or LOOPBACK
    if not port.isdecimal() or int(port) > MAX_PORT:
        raise UsageError(f"--tcp takes [HOST:]PORT, such as 127.0.0.1:2087; not {text!r}.")
    if not _is_loopback(host):
        raise UsageError(
            f"--tcp listens on this machine only (127.0.0.1, ::1, localhost), not on {host}: "
            "the protocol knows no password."
        )
    return host, int(port)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
