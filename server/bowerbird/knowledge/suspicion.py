"""The prefilter: which lines could hold a secret at all. One look at every line, so it must be quick.

Keywords are looked for in lower-cased text, because an expression that ignores case takes six times as long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bowerbird.knowledge.literals import MAX_LITERAL, is_hexadecimal

CONTEXT = 1000
"""Of a longer line only so many characters on each side of what was found are looked at."""

LONG_LITERAL = re.compile(r"[A-Za-z0-9+/=_-]{20,}+")
"""Keys have at least 20 such characters in a row; identifiers too, but those seldom hold digits."""

WITHOUT_DIGITS = ("hf_", "api_org_")
"""Keys that begin so have letters only."""

DER = "MII"
"""How base64 of the longer private keys begins, which alone are looked for in literals that are data."""

LOGIN_IN_ADDRESS = re.compile(r"://[^\s/@:'\"<>]*+:([^\s/@'\"<>]++)@")
"""An address with a password, which is the group."""

NAMED_VALUE = re.compile(
    r"""(?x)(?:passw|passphrase|pwd|secret|token|credential|key)
    [\w.-]{0,80}+ ["'\]]{0,2} \ *+ (?: :\ *+ [\w.\[\]|\ ]+? \ *+ )?? (?: :=|=>|[=!]=+|[:=,(] ) \s*+
    (?: [brfu@]*+ ["'`] | [^\s'"`(){}\[\]<>$,;\#&]{8} )"""
)


def suspects(text: str) -> Iterator[tuple[int, int]]:
    """Where in `text` to look closer: lines or parts of long lines, as offsets, in order, apart."""
    end = -1
    for found in sorted(_traces(text)):
        start, stop = _line_around(text, *found)
        if stop > end:
            yield max(start, end + 1), stop
            end = stop


def _traces(text: str) -> Iterator[tuple[int, int]]:
    for match in LONG_LITERAL.finditer(text):
        if _may_be_key(match[0]):
            yield match.span()
    for match in LOGIN_IN_ADDRESS.finditer(text):
        yield match.span()
    # The one letter whose lower case is two; with it away, offsets stay as they are.
    for match in NAMED_VALUE.finditer(text.replace("\u0130", "I").lower()):
        yield match.span()


def _may_be_key(literal: str) -> bool:
    if literal.startswith(WITHOUT_DIGITS):
        return True
    if literal.isalpha() or not any(map(str.isdigit, literal)) or is_hexadecimal(literal):
        return False
    return len(literal) <= MAX_LITERAL or literal.startswith(DER)


def _line_around(text: str, start: int, stop: int) -> tuple[int, int]:
    """The line of what was found, cut to its neighbourhood."""
    first = text.rfind("\n", max(0, start - CONTEXT), start) + 1 or max(0, start - CONTEXT)
    end = text.find("\n", stop, stop + CONTEXT)
    return first, end if end >= 0 else min(len(text), stop + CONTEXT)
