"""One random conversation: what the editor says, and what every document must say in the end."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

from bowerbird.cli.bench.fuzz.reference import edited, readable
from bowerbird.cli.bench.fuzz.wire import Wire
from bowerbird.cli.bench.fuzz.words import (
    BODIES,
    COMMANDS,
    NAMES,
    OWN_REQUESTS,
    REQUESTS,
    SETTINGS,
    TEXTS,
    nonsense,
)

MOST_MOVES = 24
LONGEST_PAUSE_S = 0.02
CRASHES = 0.002
"""Of the model's process, at each move."""

FAR = 2**31 - 1
"""A position that no document has; the protocol's greatest."""


class Conversation:
    """Moves drawn by lot; the same seed makes the same ones."""

    def __init__(
        self, wire: Wire, chance: random.Random, root: str, encoding: str, crash: Callable[[], int]
    ) -> None:
        """`root` is the URI of the folder; `crash` kills the model's process, if there is one: how many."""
        self.texts: dict[str, str] = {}
        """What must be open, by URI, and what it must say."""
        self.moves = self.crashes = 0
        self._wire = wire
        self._chance = chance
        self._root = root
        self._encoding = encoding
        self._crash = crash
        self._asked: list[str] = []
        self._versions = 0

    async def hold(self) -> None:
        """All moves, and in the end every document is closed but for what the test wants to compare."""
        moves = (
            (self._open, 4),
            (self._change, 9),
            (self._ask, 9),
            (self._ask_own, 2),
            (self._cancel, 3),
            (self._close, 2),
            (self._files, 2),
            (self._configure, 1),
            (self._command, 1),
            (self._garbage, 2),
            (self._wrong_request, 2),
            (self._notebook, 1),
            (self._pause, 3),
        )
        kinds, weights = zip(*moves, strict=True)
        self._open()
        for _ in range(self._chance.randrange(1, MOST_MOVES)):
            move = self._chance.choices(kinds, weights)[0]
            pause = move()
            self.moves += 1
            if self._chance.random() < CRASHES:
                self.crashes += self._crash()
            if pause:
                await asyncio.sleep(pause)

    def close_all(self) -> None:
        """Leave no document open."""
        for uri in tuple(self.texts):
            self._wire.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
        self.texts.clear()

    def _uri(self) -> tuple[str, str]:
        name, language = self._chance.choice(NAMES)
        return f"{self._root}/{name.replace(' ', '%20').replace('ü', '%C3%BC')}", language

    def _text(self) -> str:
        return "".join(self._chance.choices(TEXTS, k=self._chance.randrange(1, 8)))

    def _place(self) -> dict[str, int]:
        line = self._chance.choice((0, 0, 1, 1, 2, 3, 7, FAR))
        return {"line": line, "character": self._chance.choice((0, 1, 2, 3, 5, 9, 30, FAR))}

    def _range(self) -> dict[str, Any]:
        return {"start": self._place(), "end": self._place()}

    def _open(self) -> None:
        uri, language = self._uri()
        text = self._text()
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self._wire.tell("textDocument/didOpen", {"textDocument": item})
        self.texts[uri] = readable(text)

    def _close(self) -> None:
        uri, _ = self._uri()
        self._wire.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
        self.texts.pop(uri, None)

    def _change(self) -> None:
        uri, _ = self._uri() if self._chance.random() < 0.1 or not self.texts else self._open_one()
        changes: list[dict[str, Any]] = []
        for _ in range(self._chance.randrange(1, 4)):
            change: dict[str, Any] = {"text": self._chance.choice(TEXTS)}
            if self._chance.random() < 0.9:
                change["range"] = self._range()
            changes.append(change)
        broken = self._chance.random() < 0.05
        if broken:  # what cannot be read is passed over whole
            changes[-1] = {
                "range": {"start": {"line": -1, "character": 0}, "end": self._place()},
                "text": "x",
            }
        self._versions += 1
        identifier = {"uri": uri, "version": self._versions}
        params = {"textDocument": identifier, "contentChanges": changes}
        self._wire.tell("textDocument/didChange", params)
        if uri in self.texts and not broken:
            for change in changes:
                self.texts[uri] = edited(self.texts[uri], change, self._encoding)

    def _open_one(self) -> tuple[str, str]:
        return self._chance.choice(tuple(self.texts)), ""

    def _ask(self) -> None:
        uri = self._open_one()[0] if self.texts and self._chance.random() < 0.9 else self._uri()[0]
        context: dict[str, Any] = {
            "triggerKind": self._chance.choice((1, 2)),
            "isRetrigger": False,
            "diagnostics": [],
        }
        params = {
            "textDocument": {"uri": uri},
            "position": self._place(),
            "range": self._range(),
            "context": context,
        }
        self._asked.append(self._wire.ask(self._chance.choice(REQUESTS), params))

    def _ask_own(self) -> None:
        params = self._chance.choice(
            (None, {}, {"query": "add a column", "language": "powerquery"}, {"last": 3})
        )
        self._asked.append(self._wire.ask(self._chance.choice(OWN_REQUESTS), params))

    def _cancel(self) -> None:
        name = self._chance.choice((*self._asked[-4:], "r999999", 5))
        self._wire.tell("$/cancelRequest", {"id": name})

    def _files(self) -> None:
        uri, other = self._uri()[0], self._uri()[0]
        method, params = self._chance.choice(
            (
                ("workspace/didRenameFiles", {"files": [{"oldUri": uri, "newUri": other}]}),
                ("workspace/didDeleteFiles", {"files": [{"uri": uri}]}),
                ("workspace/didCreateFiles", {"files": [{"uri": "file:///no/such/place"}]}),
                ("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]}),
                ("textDocument/didSave", {"textDocument": {"uri": uri}}),
            )
        )
        self._wire.tell(method, params)

    def _configure(self) -> None:
        settings = {"settings": self._chance.choice(SETTINGS)}
        self._wire.tell("workspace/didChangeConfiguration", settings)

    def _command(self) -> None:
        arguments = self._chance.choice(([], [None], [{"last": 2}], ["x", -1, {}]))
        params = {"command": self._chance.choice(COMMANDS), "arguments": arguments}
        self._asked.append(self._wire.ask("workspace/executeCommand", params))

    def _garbage(self) -> None:
        self._wire.send_body(self._chance.choice(BODIES))

    def _wrong_request(self) -> None:
        method = self._chance.choice(
            (*REQUESTS, *OWN_REQUESTS, "workspace/executeCommand", "no/such/request")
        )
        self._asked.append(self._wire.ask(method, nonsense(self._chance)))

    def _notebook(self) -> None:
        method = self._chance.choice(("didOpen", "didChange", "didSave", "didClose"))
        self._wire.tell(f"notebookDocument/{method}", nonsense(self._chance))

    def _pause(self) -> float:
        return self._chance.random() * LONGEST_PAUSE_S
