"""One line of an ignore file -> a regular expression, with git's semantics to the letter.

`pathspec` is not used: against git 2.39 it differs on backslashes in brackets, ``[[:alpha:]]``, reversed
ranges (an error there), a backslash at the end (an error), tabs at the end, escaped blanks, brackets beside
a slash, ``name**/``, and on names that are not ASCII, of which git compares the bytes. So patterns and
names are bytes here, each byte written as the character of its number (Latin-1).

A ``*`` takes as little as it can and never gives back (atomic groups), which is enough for such patterns
and keeps hostile ones from taking exponential time.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from enum import Enum

SPECIAL = frozenset("*?[\\")
NEVER = r"(?!)"
EVERY = frozenset(map(chr, range(1, 256)))

CLASSES: dict[str, frozenset[str]] = {
    "alnum": frozenset(string.ascii_letters + string.digits),
    "alpha": frozenset(string.ascii_letters),
    "blank": frozenset(" \t"),
    "cntrl": frozenset(map(chr, (*range(32), 127))),
    "digit": frozenset(string.digits),
    "graph": frozenset(map(chr, range(33, 127))),
    "lower": frozenset(string.ascii_lowercase),
    "print": frozenset(map(chr, range(32, 127))),
    "punct": frozenset(string.punctuation),
    "space": frozenset(" \t\n\v\f\r"),
    "upper": frozenset(string.ascii_uppercase),
    "xdigit": frozenset(string.hexdigits),
}
"""What may stand between ``[:`` and ``:]``."""


class Star(Enum):
    """What takes any number of characters."""

    NAME = "*"
    """Within one name."""
    DEEP = "**"
    """Across names."""
    DEEP_SLASH = "**/"
    """Nothing, or names with the slash behind them."""


LONGEST = {Star.NAME: "[^/]*", Star.DEEP: r"[\s\S]*", Star.DEEP_SLASH: r"(?:[\s\S]*/)?"}
SHORTEST = {Star.NAME: "[^/]*?", Star.DEEP: r"[\s\S]*?", Star.DEEP_SLASH: r"(?:[\s\S]*?/)??"}


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of an ignore file."""

    regex: str
    """What must match the whole path or name; without capturing groups."""
    negative: bool
    """Began with ``!``: what matches is let in again."""
    only_directories: bool
    """Ended with a slash."""
    name_only: bool
    """Holds no other slash: it is matched with the last name of a path, at any depth."""


def parse_pattern(line: str, ignores_case: bool = False) -> Pattern | None:
    """The pattern of a line without its line end; None for comments and blank lines.

    Where case is ignored, the expression is to be compiled so, too.
    """
    if line.startswith("#"):
        return None
    body = _trim(line)
    negative = body.startswith("!")
    body = body[negative:]
    only_directories = body.endswith("/")
    body = body.removesuffix("/")
    if not body:
        return None
    name_only = "/" not in body
    body = body.removeprefix("/")
    plain = next((i for i, char in enumerate(body) if char in SPECIAL), len(body))
    # git cuts off the plain beginning before it matches: stars that follow it directly stand at a beginning.
    regex = _regex(list(_tokens(body, None if name_only else plain, ignores_case)))
    return Pattern(regex, negative, only_directories, name_only)


def _trim(line: str) -> str:
    """Without the blanks at its end that no backslash keeps."""
    end = index = 0
    while index < len(line):
        step = 2 if line[index] == "\\" else 1
        if line[index] != " ":
            end = min(index + step, len(line))
        index += step
    return line[:end]


def _regex(pattern: Sequence[str | Star]) -> str:
    *chunks, last = _split(pattern, {Star.DEEP, Star.DEEP_SLASH})
    regex = ""
    for star, tokens in chunks:
        names = _names(tokens, at_end=False)
        regex += f"(?>{SHORTEST[star]}{names})" if star else names
    star, tokens = last
    return regex + (LONGEST[star] if star else "") + _names(tokens, at_end=True)


def _names(tokens: Sequence[str | Star], at_end: bool) -> str:
    """The regular expression of what stands between two deep stars."""
    *pieces, (last_star, last_tokens) = _split(tokens, {Star.NAME})
    regex = ""
    for star, tokens in pieces:
        regex += f"(?>{SHORTEST[star]}{_fixed(tokens)})" if star else _fixed(tokens)
    if last_star is None:
        return regex + _fixed(last_tokens)
    if at_end:
        return regex + LONGEST[last_star] + _fixed(last_tokens)
    return f"{regex}(?>{SHORTEST[last_star]}{_fixed(last_tokens)})"


def _fixed(tokens: Sequence[str | Star]) -> str:
    return "".join(token for token in tokens if isinstance(token, str))


def _split(tokens: Sequence[str | Star], stars: Set[Star]) -> list[tuple[Star | None, list[str | Star]]]:
    """Cut before each of these stars; each piece tells which star it began with."""
    pieces: list[tuple[Star | None, list[str | Star]]] = [(None, [])]
    for token in tokens:
        if isinstance(token, Star) and token in stars:
            pieces.append((token, []))
        else:
            pieces[-1][1].append(token)
    return pieces


def _tokens(pattern: str, beginning: int | None, ignores_case: bool) -> Iterator[str | Star]:
    """Stars, and regular expressions of one character each.

    `beginning` is where ``**`` counts as at a beginning; None where no star crosses names.
    """
    index = 0
    while index < len(pattern):
        char = pattern[index]
        if char == "*":
            star, index = _star(pattern, index, beginning)
            yield star
        elif char == "[":
            regex, index = _bracket(pattern, index + 1, ignores_case)
            yield regex
        elif char == "?":
            yield "[^/]"
            index += 1
        elif char == "\\":
            escaped = pattern[index + 1 : index + 2]
            # Where case is ignored git makes all letters small but these, so a capital never matches.
            lost = ignores_case and escaped != _small(escaped)
            yield re.escape(escaped) if escaped and not lost else NEVER
            index += 2
        else:
            yield re.escape(char)
            index += 1


def _star(pattern: str, index: int, beginning: int | None) -> tuple[Star, int]:
    """The star or stars at `index`, and where they end."""
    end = index
    while pattern.startswith("*", end):
        end += 1
    opens = index == beginning or (index > 0 and pattern[index - 1] == "/")
    closes = end == len(pattern) or pattern.startswith(("/", "\\/"), end)
    if beginning is None or end - index == 1 or not (opens and closes):
        return Star.NAME, end
    return (Star.DEEP_SLASH, end + 1) if pattern.startswith("/", end) else (Star.DEEP, end)


def _bracket(pattern: str, index: int, ignores_case: bool) -> tuple[str, int]:
    """The character class that opened before `index`, and where it ends."""
    broken = NEVER, len(pattern)  # whatever stands behind it is never reached
    negative = pattern.startswith(("!", "^"), index)
    index += negative
    members: set[str] = set()
    previous, first = "", True
    while first or not pattern.startswith("]", index):
        first = False
        if index >= len(pattern):
            return broken
        char = pattern[index]
        if char == "[" and pattern.startswith(":", index + 1):
            end = pattern.find("]", index + 2)
            if end < 0:
                return broken
            if end > index + 2 and pattern[end - 1] == ":":
                if (name := pattern[index + 2 : end - 1]) not in CLASSES:
                    return broken
                members |= CLASSES["alpha" if ignores_case and name == "upper" else name]
                previous, index = "", end + 1
                continue
        is_range = char == "-" and previous and index + 1 < len(pattern) and pattern[index + 1] != "]"
        index += bool(is_range)
        index += pattern.startswith("\\", index)
        if index >= len(pattern):
            return broken
        char = pattern[index]
        members |= _range(previous, char, ignores_case) if is_range else {char}
        previous = "" if is_range else char
        index += 1
    fold = _small if ignores_case else str
    allowed = sorted(char for char in EVERY - {"/"} if (fold(char) in members) is not negative)
    return (f"[{''.join(map(re.escape, allowed))}]" if allowed else NEVER), index + 1


def _range(first: str, last: str, ignores_case: bool) -> set[str]:
    characters = set(map(chr, range(ord(first), ord(last) + 1)))
    return characters | set(map(_small, characters)) if ignores_case else characters


def _small(char: str) -> str:
    """The small letter; of ASCII only, as for git."""
    return char.lower() if char.isascii() else char
