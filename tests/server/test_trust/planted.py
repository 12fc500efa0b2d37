"""A secret in every source of context, a session that draws on all of them, and all that it left anywhere."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bowerbird.cli.bench.fuzz.wire import Wire
from bowerbird.knowledge.soup import soup_file
from model_server import Model, serving

ANSWER_S = 120.0
LETTERS = "9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT9uV8"


def token(number: int) -> str:
    """An access token by its form, and nobody's."""
    return f"ghp_{number:02}{LETTERS}"


SECRETS = {
    "file": token(10),
    "api key": "AKIAQ7MZ3NWLXRT5VBCD",
    "private key": "MIIEpAIBAAKCAQEAx7Zk3Qw9TnVbR2mLpY8sHd4GfJ6uCe1oXiWaKtMzNrPqSvBy",
    "password": "Tr0ub4dor_3xQz",
    "behind the cursor": token(11),
    "cut by the cursor": token(12),
    "dotenv": token(13),
    "notebook file": token(14),
    "notebook cell": token(15),
    "commit message": token(16),
    "pack": token(17),
    "soup": token(18),
    "diagnostics": token(19),
    "example": token(20),
    "path of a document": token(21),
    "path of a file": token(22),
    "unreadable message": token(23),
    "request in a comment": token(24),
    "environment": "k3yOfTheGateway9xQ7zW",
}
"""By the source in which each stands."""

MARKS = {
    "file": "heron_of_files",
    "private key": "heron_of_documents",
    "password": "heron_of_documents",
    "behind the cursor": "heron_behind",
    "notebook cell": "heron_of_cells",
    "commit message": "heron of messages",
    "pack": "heronOfPacks",
    "request in a comment": "heron of comments",
    "path of a document": "heron_of_paths",
    "example": "heron_of_examples",
}
"""What of the same source does reach the model: without it the source was not drawn upon."""

BODY = "def total(items):\n    heron_of_files = sum(items)\n    return heron_of_files\n"
EXAMPLE = 'def {}(prices):\n    """sum of the prices in a list"""\n    {}\n'
PEM = "-----BEGIN RSA PRIVATE KEY-----\n{}\n{}\n-----END RSA PRIVATE KEY-----"


def files() -> dict[str, str]:
    """The workspace."""
    secret = SECRETS
    return {
        "plain.py": BODY,
        "example.py": EXAMPLE.format("heron_of_examples", "return sum(prices)"),
        "secret_example.py": EXAMPLE.format("cost", f'return "{secret["example"]}"'),
        "keys.py": f'def total(items):\n    heron_of_files = sum(items)\n    token = "{secret["file"]}"\n',
        "cloud.py": f'def total(items):\n    heron_of_files = 1\n    AWS_KEY = "{secret["api key"]}"\n',
        ".env": f"heron_of_files={secret['dotenv']}\nTOKEN={secret['dotenv']}\n",
        f"{secret['path of a file']}.py": BODY.replace("total", "sum_of_path"),
        "notes.ipynb": json.dumps(
            {
                "cells": [{"cell_type": "code", "source": [f'{BODY}token = "{secret["notebook file"]}"\n']}],
                "metadata": {"language_info": {"name": "python"}},
                "nbformat": 4,
                "nbformat_minor": 5,
            }
        ),
    }


PACK_TOML = 'format = 1\nname = "herons"\nlanguage = "ring"\ntitle = "Herons"\ncase_sensitive = false\n'
PACK_PAGE = """\
## heronOfPacks
- kind: function
- signature: `heronOfPacks(aBirds)`

Counts birds.

## countHerons
- kind: function
- signature: `countHerons(aBirds)`

Counts birds with the token "{secret}".
"""


@dataclass
class Left:
    """All that a session left, by the sink's name."""

    sinks: dict[str, bytes] = field(default_factory=dict)


@asynccontextmanager
async def tapped(url: str, heard: bytearray) -> AsyncIterator[str]:
    """Another address of the same server, where every byte of a client is heard."""
    target = urlsplit(url)
    tasks: set[asyncio.Task[None]] = set()

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, keep: bool) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65536):
                if keep:
                    heard.extend(data)
                writer.write(data)
                await writer.drain()
        writer.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(target.hostname, target.port)
        for work in (copy(reader, back, True), copy(there, writer, False)):
            task = asyncio.create_task(work)
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    listener = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    finally:
        listener.close()
        for task in tuple(tasks):
            task.cancel()


async def session(home: Path) -> Left:
    """Draw on every source, with a model on a server; what was sent, logged and kept."""
    folder = home / "work"
    for name, text in files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    env = {**os.environ, "BOWERBIRD_DEBUG": "1", "BOWERBIRD_API_KEY": SECRETS["environment"]}
    env |= {f"XDG_{kind.upper()}_HOME": str(home / kind) for kind in ("cache", "state", "data", "config")}
    _plant_pack(home / "data" / "bowerbird" / "packs" / "herons")
    _plant_soup(soup_file(folder, home / "data" / "bowerbird" / "soup"))
    heard, left = bytearray(), Left()
    async with serving(Model(chunks=("return ", "1\n"))) as model, tapped(model.url, heard) as url:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "bowerbird", "serve", stdin=pipe, stdout=pipe, stderr=pipe, env=env
        )
        assert process.stdin
        assert process.stdout
        assert process.stderr
        wire = Wire(process.stdin)
        listening = asyncio.create_task(wire.listen(process.stdout))
        logging = asyncio.create_task(process.stderr.read())
        try:
            told = await _talk(wire, folder, url)
            await wire.result("shutdown", None, ANSWER_S)
            wire.tell("exit", None)
        finally:
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), 20)
            if process.returncode is None:
                process.kill()
            await listening
        left.sinks["log"] = await logging
    left.sinks["remote"] = bytes(heard)
    left.sinks["prompts"] = "\n".join(told).encode()
    for kind in ("cache", "state", "data"):
        left.sinks[kind] = b"".join(
            os.fsencode(path) + b"\n" + (path.read_bytes() if path.is_file() else b"")
            for path in sorted((home / kind).rglob("*"))
        )
    return left


def _plant_pack(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "pack.toml").write_text(PACK_TOML)
    (folder / "birds.md").write_text(PACK_PAGE.format(secret=SECRETS["pack"]))


def _plant_soup(path: Path) -> None:
    path.parent.mkdir(parents=True)
    entry = {
        "requirement": "sum of the prices in a list",
        "language": "python",
        "program": f'def cost(prices):\n    k = "{SECRETS["soup"]}"\n    return k',
        "passed": True,
        "by": "python (run)",
        "made_at": 4e9,
    }
    path.write_text(json.dumps(entry) + "\n")


async def _talk(wire: Wire, folder: Path, url: str) -> list[str]:
    """The session; what `bowerbird/explain` tells of each prompt."""
    options = {
        "completion": {
            "model": url,
            "timeBudgetMs": 60_000,
            "inCommitMessages": True,
            "inComments": True,
            "inStrings": True,
        },
        "remote": {"timeoutMs": 20_000},
        "generation": {"rounds": 2},
    }
    params = {
        "processId": os.getpid(),
        "capabilities": {
            "textDocument": {"inlineCompletion": {}},
            "notebookDocument": {"synchronization": {}},
        },
        "workspaceFolders": [{"uri": folder.as_uri(), "name": "work"}],
        "rootUri": folder.as_uri(),
        "initializationOptions": options,
    }
    await wire.result("initialize", params, ANSWER_S)
    wire.tell("initialized", {})
    while (await wire.result("bowerbird/status", None, ANSWER_S))["state"] == "indexing":  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    told: list[str] = []
    for name, language, text in documents():
        before, behind = text.split("|")
        uri = f"{folder.as_uri()}/{name}"
        item = {"uri": uri, "languageId": language, "version": 1, "text": before + behind}
        wire.tell("textDocument/didOpen", {"textDocument": item})
        told += await _complete(wire, uri, before)
    told += await _complete(wire, _open_notebook(wire, folder), "heron_of_cells = 1\nheron")
    _say_nonsense(wire)
    await _generate(wire, folder)
    return told


def documents() -> list[tuple[str, str, str]]:
    """Name, language and text with the cursor as ``|``, of what is open and completed."""
    secret = SECRETS
    pem = PEM.format(secret["private key"], secret["private key"][::-1])
    cut = secret["cut by the cursor"]
    return [
        ("open.py", "python", "def total(items):\n    heron_of_files = |\n"),
        (
            "here.py",
            "python",
            f'heron_of_documents = 1\nKEY = """{pem}"""\npassword = "{secret["password"]}"\nheron = |'
            f'\nheron_behind = 1\napi_token = "{secret["behind the cursor"]}"\n',
        ),
        ("cut.py", "python", f'heron_at_cursor = 1\ntoken = "{cut[:20]}|{cut[20:]}"\n'),
        (".env", "dotenv", f"heron={secret['dotenv']}\nheron=|\n"),
        ("COMMIT_EDITMSG", "git-commit", f"heron of messages\n\npassword = {secret['commit message']}\n|"),
        (f"{secret['path of a document']}.py", "python", "heron_of_paths = 1\nheron = |\n"),
        ("birds.ring", "ring", "aBirds = 1\n? heronOfPacks(aBirds)\n? countHerons(|"),
    ]


async def _complete(wire: Wire, uri: str, before: str) -> list[str]:
    lines = before.split("\n")
    params = {
        "textDocument": {"uri": uri},
        "position": {"line": len(lines) - 1, "character": len(lines[-1])},
        "context": {"triggerKind": 1},
    }
    await wire.result("textDocument/inlineCompletion", params, ANSWER_S)
    trace = (await wire.result("bowerbird/explain", {}, ANSWER_S))["trace"]
    return [one["prompt"] for one in (trace or {}).get("iterations", ())]


def _open_notebook(wire: Wire, folder: Path) -> str:
    notebook, cells = f"{folder.as_uri()}/open.ipynb", []
    texts = [f'token = "{SECRETS["notebook cell"]}"\n', "heron_of_cells = 1\nheron"]
    for number, text in enumerate(texts):
        uri = f"vscode-notebook-cell:{notebook.partition(':')[2]}#c{number}"
        cells.append({"uri": uri, "languageId": "python", "version": 1, "text": text})
    document = {
        "uri": notebook,
        "notebookType": "jupyter-notebook",
        "version": 1,
        "cells": [{"kind": 2, "document": cell["uri"]} for cell in cells],
    }
    wire.tell("notebookDocument/didOpen", {"notebookDocument": document, "cellTextDocuments": cells})
    return str(cells[1]["uri"])


def _say_nonsense(wire: Wire) -> None:
    """Messages that cannot be read, with a secret in each place that an error may quote."""
    secret = SECRETS["unreadable message"]
    position: dict[str, Any] = {"line": secret, "character": secret}
    item = {"uri": "file:///x.py", "languageId": "python", "version": secret, "text": f'token = "{secret}"'}
    wire.tell("textDocument/didOpen", {"textDocument": item})
    wire.tell("textDocument/didChange", {"textDocument": {"uri": "file:///x.py"}, "contentChanges": secret})
    wire.ask("textDocument/hover", {"textDocument": {"uri": "file:///x.py"}, "position": position})
    wire.ask("textDocument/inlineCompletion", {"context": {"triggerKind": secret}, "position": position})
    wire.ask("workspace/executeCommand", {"command": secret})
    wire.send_body(f'{{"jsonrpc": "2.0", "method": "x", "params": "{secret}'.encode())
    wire.tell(
        "workspace/didChangeConfiguration", {"settings": {"bowerbird": {"completion": {"mode": secret}}}}
    )


async def _generate(wire: Wire, folder: Path) -> None:
    uri = f"{folder.as_uri()}/wish.py"
    text = f'# sum of the prices in a list, heron of comments, token = "{SECRETS["request in a comment"]}"\n'
    item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    wire.tell("textDocument/didOpen", {"textDocument": item})
    place = {"line": 0, "character": 0}
    diagnostic = {
        "range": {"start": place, "end": place},
        "message": f'token "{SECRETS["diagnostics"]}" is bad',
    }
    params = {
        "textDocument": {"uri": uri},
        "range": {"start": place, "end": place},
        "context": {"diagnostics": [diagnostic]},
    }
    await wire.result("textDocument/codeAction", params, ANSWER_S)
    command = {"command": "bowerbird.generate", "arguments": [uri, 0]}
    await wire.result("workspace/executeCommand", command, ANSWER_S)
