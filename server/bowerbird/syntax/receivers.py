"""What a member is asked of: the names before its dot, read from the text alone, for code is unfinished."""

from __future__ import annotations

import re

MOST_CHARACTERS = 1_000
MOST_NAMES = 8
TEXT = '"'
"""Stands for a text as the receiver: ``"a".size()``."""
NUMBER = "0"
"""Stands for a number."""

_NAME = re.compile(r"[\w$@]+\Z")
_OPENING = {")": "(", "]": "[", "}": "{"}
_TEXT_END = "\"'`"


def receivers(before: str) -> tuple[str, ...]:
    """The names that lead to what follows `before`: ``("env", "out")`` for ``f(env.out.``; else nothing."""
    text = before[-MOST_CHARACTERS:].rstrip()
    names: list[str] = []
    while text.endswith((".", ".>", "~")) and not text.endswith("..") and len(names) < MOST_NAMES:
        text = _without_brackets(text.rstrip(".>~").rstrip())
        if text and text[-1] in _TEXT_END:
            names.append(TEXT)
            break
        found = _NAME.search(text)
        if found is None:
            names.append("")
            break
        names.append(NUMBER if found[0][0].isdigit() else found[0])
        text = text[: found.start()].rstrip()
    return tuple(reversed(names))


def _without_brackets(text: str) -> str:
    """Without the brackets of a call or an index that it ends with."""
    while text and text[-1] in _OPENING:
        depth = 0
        for at in range(len(text) - 1, -1, -1):
            depth += text[at] in _OPENING
            depth -= text[at] in "([{"
            if depth == 0:
                break
        else:
            return ""
        text = text[:at].rstrip()
    return text
