"""Where a page lies in a pack: under a name that every system can hold, and no two under one."""

from __future__ import annotations

import re
import unicodedata

SUFFIX = ".md"
MAX_NAME_BYTES = 150
"""Of a folder's or a page's name; some systems take 143, most 255, and a number may be added."""

_ODD = re.compile(r"[^\w.+ -]")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)", re.IGNORECASE)
"""Devices on Windows, whatever follows the dot."""


class PagePaths:
    """The paths of a pack's pages; those that differ by case alone count as the same."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, path: str) -> str:
        """A path like `path`, whatever that is: relative, with ``/``, ending in ``.md``, not given before."""
        *folders, name = path.split("/")
        stem = "/".join([*(_folder(one) for one in folders), _plain(name.removesuffix(SUFFIX))])
        free, number = f"{stem}{SUFFIX}", 1
        while free.lower() in self._taken:
            number += 1
            free = f"{stem}-{number}{SUFFIX}"
        self._taken.add(free.lower())
        return free


def _folder(name: str) -> str:
    """Never one that a page could have."""
    plain = _plain(name)
    return f"{plain[: -len(SUFFIX)]}-md" if plain.lower().endswith(SUFFIX) else plain


def _plain(name: str) -> str:
    plain = _ODD.sub("-", unicodedata.normalize("NFC", name))  # macOS takes both forms for one
    plain = plain.encode("utf-8", "replace")[:MAX_NAME_BYTES].decode("utf-8", "ignore")
    plain = plain.lstrip(". ").rstrip(". ") or "-"
    return f"-{plain}" if _RESERVED.match(plain) else plain
