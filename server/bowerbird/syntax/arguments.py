"""The call around a place: which function, and which argument. Read from the text before it alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bowerbird.syntax.lexis import tokens_before, unfinished_token
from bowerbird.syntax.receivers import receivers
from bowerbird.text import Position

NAME = re.compile(r"#?[\w$@]+(?:\.\w+)*\s*$")
DOTTED_NAMES = frozenset({"powerquery"})
"""Languages in which a dot belongs to a name."""
BRACKETS = {")": "(", "]": "[", "}": "{"}
_NO_FUNCTIONS = (
    "if but elseif while until and or not in is as for foreach return see put switch on case when each"
    " then else otherwise try error type let match recover where do func function def fun new be meta"
    " give step to"
)
NO_FUNCTIONS = frozenset(_NO_FUNCTIONS.split())
"""Words behind which a bracket opens no call."""
DECLARING = re.compile(r"\b(?:func|function|def|fun|be)\s+$", re.IGNORECASE)
"""What stands before a name that is being declared."""
MOST_CHARACTERS = 20_000
LONGEST_NAME = 120  # with the dots in it; so far back is looked for one, before each bracket


@dataclass(frozen=True, slots=True)
class Call:
    """A call that is being written."""

    function: str
    """As it is written: ``Table.AddColumn``, ``push``."""
    receivers: tuple[str, ...]
    argument: int
    """Of the one at the place, from 0."""
    position: Position
    """Where the function's name begins."""


def call_around(prefix: str, language: str | None) -> Call | None:
    """The innermost call that is open at the end of `prefix`; None outside calls, in texts and comments."""
    if unfinished_token(prefix, language) is not None:
        return None
    skipped = [token for token in tokens_before(prefix, language) if token.kind in ("comment", "string")]
    closed: list[str] = []
    commas = 0
    at = len(prefix)
    least = max(0, at - MOST_CHARACTERS)
    while at > least:
        at -= 1
        while skipped and skipped[-1].start > at:
            skipped.pop()
        if skipped and skipped[-1].start <= at < skipped[-1].end:
            at = skipped[-1].start
            continue
        character = prefix[at]
        if character in BRACKETS:
            closed.append(BRACKETS[character])
        elif character in BRACKETS.values():
            if closed:
                closed.pop()
                continue
            if character == "(":
                call = _call(prefix, at, commas, language)
                if call is not None:
                    return call
            commas = 0
        elif character == "," and not closed:
            commas += 1
    return None


def _call(prefix: str, at: int, argument: int, language: str | None) -> Call | None:
    found = NAME.search(prefix, max(0, prefix.rfind("\n", 0, at), at - LONGEST_NAME), at)
    if found is None:
        return None
    name, start = found[0].strip(), found.start()
    if language not in DOTTED_NAMES and "." in name:
        start += name.rindex(".") + 1
        name = name[name.rindex(".") + 1 :]
    if (
        name.lower() in NO_FUNCTIONS
        or name[0].isdigit()
        or DECLARING.search(prefix, max(0, start - 20), start)
    ):
        return None
    line_start = prefix.rfind("\n", 0, start) + 1
    position = Position(prefix.count("\n", 0, start), start - line_start)
    return Call(name, receivers(prefix[:start]), argument, position)
