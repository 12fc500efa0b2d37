"""Servers that are not Bowerbird's: what a user may have in its place, and what a test must have at will."""

from __future__ import annotations

import sys
from pathlib import Path

STARTED = 'with open("{marker}", "a") as marker: marker.write("started\\n")'

CRASHES = """
sys.exit("the library libbird.so was not found")
"""

REFINES = """
import asyncio

from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("bowerbird", "9.9.9")
asked = 0

@server.feature(types.INITIALIZED)
def ready(params):
    figures = {"latencyMs": None, "files": 0, "shown": 0, "accepted": 0}
    told = {"state": "ready", "reason": "ok", "message": "", "model": "", **figures}
    server.protocol.notify("bowerbird/status", told)

@server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION, types.InlineCompletionOptions())
def complete(params):
    global asked
    asked += 1
    if asked == 1:
        where = {"uri": params.text_document.uri, "line": params.position.line}
        asyncio.get_running_loop().call_later(0.2, server.protocol.notify, "bowerbird/refined", where)
    here = types.Range(params.position, params.position)
    return [types.InlineCompletionItem("first" if asked == 1 else "second", range=here)]

server.start_io()
"""
"""A moment after its first answer it says that it has a better one."""


def write_server(path: Path, version: str, serve: str) -> Path:
    """An executable that has this version, and a file beside it with a line for each time it was started."""
    path.write_text(
        f"""#!{sys.executable}
import sys
if "--version" in sys.argv:
    print("bowerbird {version}")
    sys.exit()
{STARTED.format(marker=starts_of(path))}
{serve}"""
    )
    path.chmod(0o755)
    return path


def starts_of(path: Path) -> Path:
    """Where a written server notes its starts."""
    return path.with_suffix(".starts")


def starts(path: Path) -> int:
    """How often a written server was started."""
    return len(starts_of(path).read_text().splitlines()) if starts_of(path).exists() else 0
