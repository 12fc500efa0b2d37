"""What random conversations are made of: texts, names, garbage."""

from __future__ import annotations

import random
from typing import Any

TEXTS = (
    "",
    "x",
    "\n",
    "\r\n",
    "\r",
    "    return total",
    "def f(a, b):\n    ",
    "é🐦ß",
    "\U0001f600\U0001f600",
    "\ud83d",
    "\udc26",
    "\x0c\x85\u2028",
    "\0",
    "class A:\r\n    pass\r\n",
    'password = "Tr0ub4dor&3"\n',
    "let\n  a = Table.AddColumn(",
    "(((((((((((((((((((((((((",
    "<|fim_middle|><|endoftext|>",
    "a" * 3000,
    "# sum of a list\n",
)
"""What is typed: line ends of all kinds, wide characters and halves of them, code, code's enemies."""

NAMES = (
    ("a.py", "python"),
    ("b.py", "python"),
    ("sub dir/ü%25.pq", "powerquery"),
    ("c.ring", "ring"),
    ("d.pony", "pony"),
    ("e.txt", ""),
    ("COMMIT_EDITMSG", "git-commit"),
)

REQUESTS = (
    "textDocument/inlineCompletion",
    "textDocument/completion",
    "textDocument/hover",
    "textDocument/signatureHelp",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/definition",
    "textDocument/codeAction",
)

OWN_REQUESTS = ("bowerbird/explain", "bowerbird/search", "bowerbird/status", "bowerbird/unheard-of")

COMMANDS = (
    "bowerbird.explain",
    "bowerbird.accepted",
    "bowerbird.restartModel",
    "bowerbird.togglePause",
    "bowerbird.resume",
    "bowerbird.reindex",
    "bowerbird.explainGeneration",
    "no.such.command",
)

BODIES = (
    b"{not json",
    b"[]",
    b"null",
    b"7",
    b'"text"',
    b"\xff\xfe",
    b"",
    b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "2.0", "id": "stranger", "result": 1}',
    b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": 5}',
    b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": null}}',
    b'{"jsonrpc": "2.0", "method": "no/such/notification", "params": {}}',
    b"[" * 100_000,
)
"""Bodies of messages that no editor should send and that nobody answers."""

SETTINGS: tuple[Any, ...] = (
    None,
    5,
    {},
    {"bowerbird": None},
    {"bowerbird": {"completion": {"iterations": "many", "windowLines": -5, "unheard": 1}}},
    {"bowerbird": {"completion": {"enabled": False}}},
    {"bowerbird": {"completion": {"enabled": True, "windowLines": 12}}},
    {"bowerbird": {"completion": {"filters": ["-looping", "nonsense"]}}},
    {"bowerbird": {"lookup": {"hover": False}}},
    {"bowerbird": [1, 2]},
)

JUNK: tuple[Any, ...] = (None, [], {}, 5, -1, "", "x" * 1000, True, 1e300, {"a": {"a": [[[[]]]]}}, [None] * 9)


def nonsense(chance: random.Random, depth: int = 0) -> Any:
    """Any JSON."""
    if depth > 2 or chance.random() < 0.5:
        return chance.choice(JUNK)
    keys = (
        "textDocument",
        "uri",
        "position",
        "line",
        "character",
        "contentChanges",
        "range",
        "context",
        "id",
    )
    return {chance.choice(keys): nonsense(chance, depth + 1) for _ in range(chance.randrange(4))}
