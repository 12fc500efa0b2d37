"""Secrets in a text: where they stand, and the text without them.

Every line goes through the prefilter (`suspicion`); only what it suspects is shown to the detectors of
`detect-secrets`, and to our own tables (`keyshapes`). Of the library only `analyze_string` is called, which
looks at a string and no further: the part that asks a key's issuer whether the key is genuine is never
reached.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from typing import Any

from bowerbird.knowledge.keyblocks import key_blocks
from bowerbird.knowledge.keyshapes import ASSIGNED, KEY_LINE, KNOWN, LIKELY, NAMES_SOMETHING
from bowerbird.knowledge.literals import (
    entropy_bits,
    is_encoded_text,
    is_hexadecimal,
    is_password,
    is_placeholder,
    is_random,
)
from bowerbird.knowledge.suspicion import LOGIN_IN_ADDRESS, suspects

MASK = "********"

MIN_BASE64_ENTROPY = 4.5
"""Bits per character; the library's own limit."""

LEFT_OUT = frozenset(
    {
        "HexHighEntropyString",  # every digest and commit
        "IPPublicDetector",  # addresses are no secrets
        "PrivateKeyDetector",  # `keyblocks` sees the lines below the mark too
    }
)
"""Detectors of the library that are not asked."""

_IDENTIFIER = re.compile(
    r"(?:\b|_)(?:u?u?id|guid|sha\d*|hash|digest|checksum|etag|commit|nonce|integrity)s?\W+$", re.IGNORECASE
)

_SPARED = re.compile(r"pragma: ?(?:allow|white)list[ -]secret|gitleaks:allow", re.IGNORECASE)
"""How people mark a line whose literal is no secret, for the two scanners that most use."""

Judge = Callable[[str, str], bool]
"""Is this literal of this line a secret?"""


def holds_secret(text: str) -> bool:
    """Does a secret stand in the text?"""
    return bool(_secrets(text))


def file_holds_secret(text: str) -> bool:
    """The same for the text of a whole file, which is not asked again and so not remembered."""
    return bool(_find(text))


def redact(text: str) -> str:
    """The text with every secret replaced by a mask; the lines stay what they are."""
    parts: list[str] = []
    end = 0
    for start, stop in _secrets(text):
        parts += (text[end:start], MASK)
        end = stop
    return "".join((*parts, text[end:])) if parts else text


def redact_around(before: str, behind: str) -> tuple[str, str]:
    """Both sides of a cursor without secrets, that one too in whose midst the cursor stands."""
    first, last = before.rfind("\n") + 1, behind.find("\n")
    last = len(behind) if last < 0 else last
    head, tail = before[first:], behind[:last]
    masked_head, masked_tail = head, tail
    for start, stop in reversed(_secrets(head + tail)):
        if start < len(head) < stop:
            masked_head, masked_tail = head[:start] + MASK, tail[stop - len(head) :]
    return redact(before[:first] + masked_head), redact(masked_tail + behind[last:])


def is_within_secret(before: str, behind: str) -> bool:
    """Does a secret of the cursor's line reach to the cursor, or across it?"""
    head = before[before.rfind("\n") + 1 :]
    line = head + behind.partition("\n")[0]
    return any(start < len(head) <= stop for start, stop in _secrets(line))


def _find(text: str) -> tuple[tuple[int, int], ...]:
    """Where secrets stand, as offsets; in order, apart."""
    found, public = key_blocks(text)
    for start, stop in suspects(text):
        if not any(start < last and first < stop for first, last in public):
            found += ((start + first, start + last) for first, last in _in_line(text[start:stop]))
    return tuple(_joined(sorted(found)))


_secrets = lru_cache(maxsize=1024)(_find)


@lru_cache(maxsize=8192)
def _in_line(line: str) -> tuple[tuple[int, int], ...]:
    """The secrets of a suspected line."""
    if _SPARED.search(line):
        return ()
    return (*_by_shape(line), *_by_name(line), *_by_library(line))


def _by_shape(line: str) -> Iterator[tuple[int, int]]:
    for match in KNOWN.finditer(line):
        if not is_placeholder(match[0]):
            yield match.span()
    for match in LIKELY.finditer(line):
        if is_random(match[match.lastindex or 0]):
            yield match.span(match.lastindex or 0)
    for match in KEY_LINE.finditer(line):
        if is_random(match[1]) and not is_hexadecimal(match[1]):
            yield match.span(1)
    for match in LOGIN_IN_ADDRESS.finditer(line):
        if not is_placeholder(match[1]):
            yield match.span(1)


def _by_name(line: str) -> Iterator[tuple[int, int]]:
    """What is assigned to something that is called a password, a token or a key."""
    for match in ASSIGNED.finditer(line):
        group = "literal" if match["literal"] is not None else "bare"
        value = match[group]
        may_be_chosen = match["password"] and group == "literal" and not NAMES_SOMETHING.search(match["rest"])
        if is_password(value) if may_be_chosen else is_random(value):
            yield match.span(group)


def _by_library(line: str) -> Iterator[tuple[int, int]]:
    for name, analyze in _detectors():
        for secret in set(analyze(line)):
            if _JUDGES.get(name, _is_real)(secret, line):
                yield from (match.span() for match in re.finditer(re.escape(secret), line))


def _is_real(secret: str, _: str) -> bool:
    return not is_placeholder(secret)


def _is_unnamed_key(secret: str, line: str) -> bool:
    """Identifiers are drawn by lot too: what is called one is none of ours."""
    if entropy_bits(secret) <= MIN_BASE64_ENTROPY or not is_random(secret):
        return False
    if is_hexadecimal(secret) or is_encoded_text(secret):
        return False
    return _IDENTIFIER.search(line, 0, line.find(secret) - 1) is None


_JUDGES: dict[str, Judge] = {
    "Base64HighEntropyString": _is_unnamed_key,
    "KeywordDetector": lambda secret, _: is_password(secret),
}
"""What the library's broader detectors find must look like a secret to us, too."""


@cache
def _detectors() -> tuple[tuple[str, Callable[[str], Iterator[str]]], ...]:
    """The library's detectors, made when the first line is suspected: importing them takes a while."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    found: Iterable[Any] = get_mapping_from_secret_type_to_class().values()
    classes = {each.__name__: each for each in found}
    return tuple((name, classes[name]().analyze_string) for name in sorted(classes.keys() - LEFT_OUT))


def _joined(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans that overlap or touch, as one."""
    start, stop = -1, -1
    for first, last in spans:
        if first > stop:
            if stop > start:
                yield start, stop
            start = first
        stop = max(stop, last) if first <= stop else last
    if stop > start:
        yield start, stop
