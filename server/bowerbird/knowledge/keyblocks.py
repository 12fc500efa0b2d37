"""Keys that take many lines: armoured blocks (PEM, OpenSSH, PGP), whole or cut off at either end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile, zip_longest

Span = tuple[int, int]
"""Offsets in the text."""

MIN_BODY = 16
"""A block of a key has at least one line of so many characters; without it the marks are only spoken of."""

NOISE = " \t\r\"'`+#*/;,.\\()[]"
"""What stands around a line of a block that is written into code."""

_MARK = re.compile(r"-{4,5} ?(BEGIN|END) ([A-Z0-9 ]+?) ?-{4,5}")
_LINE = re.compile(r"(?:(?!\\[nr]).)+")
_BODY = re.compile(r"[A-Za-z0-9+/=]+\Z|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|Subject): ")
_MATERIAL = re.compile(r"[A-Za-z0-9+/=]{2,}")


def key_blocks(text: str) -> tuple[list[Span], list[Span]]:
    """The pieces of private keys' blocks, and the public blocks (certificates, public keys) as wholes.

    Seen are blocks of which at least one mark is in the text. Their marks are no secret.
    """
    private: list[Span] = []
    public: list[Span] = []
    marks = list(_MARK.finditer(text)) if "----" in text else []
    for mark, behind in zip_longest(marks, marks[1:]):
        if mark[1] == "BEGIN":
            stop = behind.start() if behind else len(text)
            body = list(takewhile(lambda piece: _is_body(text, piece), _pieces(text, mark.end(), stop)))
        elif mark is marks[0]:  # its beginning was cut off
            pieces = reversed(list(_pieces(text, 0, mark.start())))
            body = list(takewhile(lambda piece: _is_body(text, piece), pieces))[::-1]
        else:
            continue
        if "PRIVATE" not in mark[2]:
            public += body
        elif any(stop - start >= MIN_BODY for start, stop in _material(text, body)):
            private += _material(text, body)
    return private, public


def _pieces(text: str, start: int, stop: int) -> Iterator[Span]:
    """Lines, also those whose ends are written as ``\\\\n`` within a string."""
    return (match.span() for match in _LINE.finditer(text, start, stop))


def _is_body(text: str, piece: Span) -> bool:
    words = text[piece[0] : piece[1]].removeprefix("\\n").removeprefix("\\r").strip(NOISE)
    return not words or _BODY.match(words) is not None


def _material(text: str, pieces: Iterable[Span]) -> list[Span]:
    return [match.span() for start, stop in pieces for match in _MATERIAL.finditer(text, start, stop)]
