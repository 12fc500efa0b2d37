"""Token ids for a server that has no tokenizer to ask: a conservative count, and the way back to the text.

A piece is a blank and five letters, eight blanks, two line ends or tabs, or one byte of anything else. Code
models have longer tokens: of this project's own files none of the vocabularies in `test_remote_estimate.py`
makes more tokens, and Qwen's a third fewer. An id holds its piece's bytes, so that what a prompt was made of
can be sent as text; ids of marks lie above all of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

PIECE = re.compile(rb" ?[A-Za-z]{1,5}| {1,8}|[\n\r\t]{1,2}|.", re.DOTALL)
PIECE_BITS = 64  # eight bytes
LOWER_BITS = (1 << PIECE_BITS) - 1
FIRST_MARK = 1 << 72
"""Ids of special tokens and of other marks begin here."""


def encode(text: str) -> list[int]:
    """At least as many ids as a code model has tokens for `text`."""
    data = text.encode("utf-8", "replace")
    return [len(piece) << PIECE_BITS | int.from_bytes(piece, "big") for piece in PIECE.findall(data)]


def decode(tokens: Iterable[int], marks: Mapping[int, str]) -> str:
    """The text again; marks become what `marks` says, and nothing where it says nothing."""
    parts: list[bytes] = []
    for token in tokens:
        if token >= FIRST_MARK:
            parts.append(marks.get(token, "").encode())
        else:
            parts.append((token & LOWER_BITS).to_bytes(token >> PIECE_BITS, "big"))
    return b"".join(parts).decode("utf-8", "replace")


def split_at(tokens: Sequence[int], mark: int) -> tuple[Sequence[int], Sequence[int]]:
    """What stands before the last `mark` and what behind it; all before, where there is none."""
    for place in range(len(tokens) - 1, -1, -1):
        if tokens[place] == mark:
            return tokens[:place], tokens[place + 1 :]
    return tokens, ()
