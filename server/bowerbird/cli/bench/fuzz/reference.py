"""What a document says after some edits, by the protocol's words alone, on a plain string.

Knows nothing of the server's documents, so that both can be compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

LINE_END = re.compile(r"\r\n|\r|\n")
LONE = re.compile("[\ud800-\udfff]")

UNITS: dict[str, Callable[[str], int]] = {
    "utf-8": lambda letter: len(letter.encode()),
    "utf-16": lambda letter: 1 + (ord(letter) > 0xFFFF),
    "utf-32": len,
}
"""What a column counts."""


def readable(text: str) -> str:
    """As it comes out of JSON, where two halves side by side are a pair; a lone half becomes U+FFFD."""
    return LONE.sub("\ufffd", json.loads(json.dumps(text)))


def offset(text: str, line: int, character: int, encoding: str) -> int:
    """Where a position stands; behind the end of a line or of the text it is that end."""
    starts = [0, *(found.end() for found in LINE_END.finditer(text))]
    if line >= len(starts):
        return len(text)
    at, left = starts[line], character
    while at < len(text) and text[at] not in "\r\n":
        left -= UNITS[encoding](text[at])
        if left < 0:
            break
        at += 1
    return at


def edited(text: str, change: dict[str, Any], encoding: str) -> str:
    """The text after one change of `textDocument/didChange`."""
    new = readable(change["text"])
    if "range" not in change:
        return new
    start, end = sorted(
        offset(text, change["range"][edge]["line"], change["range"][edge]["character"], encoding)
        for edge in ("start", "end")
    )
    return text[:start] + new + text[end:]
