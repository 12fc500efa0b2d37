"""Ignore files: the last pattern that matches decides (git's semantics, line by line)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cached_property

from bowerbird.knowledge.exclusion import Exclusion
from bowerbird.knowledge.wildmatch import Pattern, parse_pattern

UTF8_MARK = b"\xef\xbb\xbf"


class Matcher:
    """Some patterns as one expression, the last pattern first."""

    def __init__(self, patterns: Iterable[tuple[int, Pattern]], flags: re.RegexFlag) -> None:
        backwards = sorted(patterns, key=lambda numbered: -numbered[0])
        self._numbers = [number for number, _ in backwards]
        regex = "|".join(rf"(?:{pattern.regex})\Z()" for _, pattern in backwards)
        self._match = re.compile(regex, flags).match if backwards else None

    def last(self, text: str) -> int:
        """The number of the last pattern that matches the whole of `text`, else -1."""
        match = self._match(text) if self._match else None
        return self._numbers[(match.lastindex or 0) - 1] if match else -1


class Rules:
    """The patterns of one ignore file, or of one setting."""

    def __init__(
        self, base: str, patterns: Iterable[Pattern], reason: Exclusion, ignores_case: bool = False
    ) -> None:
        self.base = base
        """The directory whose entries, at any depth, the patterns speak of; no separator at its end."""
        self.patterns = tuple(patterns)
        self.reason = reason
        """What to say of the entries that are kept out."""
        self._flags = re.ASCII | re.IGNORECASE if ignores_case else re.ASCII

    def verdict(self, path: str, name: str, is_directory: bool) -> bool | None:
        """Is the entry kept out (True), let in (False), or not spoken of?

        `path` is absolute and below `base`, `name` its last part. Whether a directory above is kept out is
        not asked here: nothing in such a directory can be let in again.
        """
        by_name, by_path = self._for_directories if is_directory else self._for_files
        last = max(by_name.last(as_bytes(name)), by_path.last(as_bytes(path[len(self.base) + 1 :])))
        return None if last < 0 else not self.patterns[last].negative

    @cached_property
    def _for_files(self) -> tuple[Matcher, Matcher]:
        return self._matchers(only_directories=False)

    @cached_property
    def _for_directories(self) -> tuple[Matcher, Matcher]:
        return self._matchers(only_directories=True)

    def _matchers(self, only_directories: bool) -> tuple[Matcher, Matcher]:
        """One for the patterns that look at names, one for those that look at paths."""
        numbered = [
            (number, pattern)
            for number, pattern in enumerate(self.patterns)
            if only_directories or not pattern.only_directories
        ]
        return (
            Matcher(((number, pattern) for number, pattern in numbered if pattern.name_only), self._flags),
            Matcher(
                ((number, pattern) for number, pattern in numbered if not pattern.name_only), self._flags
            ),
        )


def parse_patterns(content: bytes, ignores_case: bool = False) -> list[Pattern]:
    """The patterns of an ignore file."""
    patterns: list[Pattern] = []
    for line in content.removeprefix(UTF8_MARK).split(b"\n"):
        text = line.removesuffix(b"\r").split(b"\0")[0].decode("latin-1")
        if pattern := parse_pattern(text, ignores_case):
            patterns.append(pattern)
    return patterns


def as_text(path: str) -> str:
    """A path for prompts and people: ``/`` between names, U+FFFD for what is not UTF-8."""
    path = path.replace(os.sep, "/")
    return path if path.isascii() else os.fsencode(path).decode(errors="replace")


def as_bytes(path: str) -> str:
    """A path as git compares it: each byte as the character of its number, ``/`` between names."""
    if os.sep != "/":
        path = path.replace(os.sep, "/")
    return path if path.isascii() else os.fsencode(path).decode("latin-1")
