"""A file's bytes -> text, or the reason why it is not text that a person wrote."""

from __future__ import annotations

import codecs
import os
import re
import stat
import time
from dataclasses import dataclass

from bowerbird.knowledge.exclusion import Exclusion
from bowerbird.knowledge.notebook import SUFFIX, read_notebook
from bowerbird.text import normalize_line_ends

SNIFFED_BYTES = 8192
"""How far a NUL is looked for, as git does."""

HEAD_LINES = 20
"""How far down a file says that a program wrote it."""

OUTPUTS_SHARE = 20
"""How many times as large as its code a notebook may be."""

MAX_GARBAGE = 0.3
"""Share of characters that may be undecodable or control codes: comments in Latin-1 pass, compressed data
does not."""

MAX_MEAN_CHARACTERS = 250
"""Of a line that is not blank; hand-written code stays under a third of it."""

MAX_LINE_CHARACTERS = 20_000
"""No person writes a longer line."""

MIN_PROSE_BLANKS = 0.12
"""Share of blanks. Prose has more, and may have a paragraph on a line; code without line ends has fewer."""

MIN_MINIFIED_CHARACTERS = 2000
"""A shorter text may have long lines: a list, a sentence, a link."""

SETTLED_S = 2.0
"""A file written less than this before it was read may change again within one tick of its clock."""

BYTE_ORDER_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is the first half of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_GARBAGE = re.compile(r"[\ufffd\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_GENERATED = re.compile(
    r"""^[ \t]*(?:[#%;*'"]|//|--|/\*|<!--|\(\*|\{-|REM\b)  # a comment or a docstring begins
        .*?(?:@generated\b
            |\b(?:auto-?\s?|machine\s)?generated\b.*\b(?:do\snot|don't|never)\s(?:edit|modify|change|touch)
            |\b(?:do\snot|don't|never)\s(?:edit|modify|change|touch)\b.*\bgenerated\b
            |\bauto-?\s?generated\s(?:by|from|file|code)\b
            |\bthis\sfile\s(?:is|was|has\sbeen)\s(?:auto-?\s?|automatically\s|machine\s)generated\b)""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)

_FLAGS = os.O_RDONLY
for _flag in ("O_NONBLOCK", "O_NOFOLLOW", "O_BINARY", "O_CLOEXEC"):  # not every system has all
    _FLAGS |= getattr(os, _flag, 0)

Stamp = tuple[int, int, int, int]
"""Inode, size, and the times of the last change to content and to inode, in nanoseconds."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of reading one file; without text and reason there is no such file."""

    text: str | None = None
    """With ``\\n`` line ends."""
    exclusion: Exclusion | None = None
    bytes: int = 0
    stamp: Stamp | None = None
    """Equal stamps mean equal content; None where that would not be sure."""
    admitted: bool = False
    """It was not asked whether a program wrote it."""
    language: str | None = None
    """Where the content says it and not the name: a notebook's."""


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a file."""

    content: bytes
    stamp: Stamp | None


def read_content(path: str, max_bytes: int) -> Content | Exclusion | None:
    """The bytes of an ordinary file, why they cannot be had, or None where there is no such file.

    Links are not followed, pipes and devices not opened; raises nothing.
    """
    try:
        if (exclusion := _kind_exclusion(os.lstat(path), max_bytes)) is not None:
            return exclusion
        # Not blocking, and looked at again: the name may have been given to a pipe meanwhile.
        with os.fdopen(os.open(path, _FLAGS), "rb") as file:
            began = time.time()
            status = os.fstat(file.fileno())
            if (exclusion := _kind_exclusion(status, max_bytes)) is not None:
                return exclusion
            content = file.read(max_bytes + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        return Exclusion.UNREADABLE
    if len(content) > max_bytes:
        return Exclusion.TOO_LARGE
    return Content(content, stamp_of(status) if began - status.st_mtime > SETTLED_S else None)


def read_file(path: str, max_bytes: int, admitted: bool = False) -> Reading:
    """Read one file; of an `admitted` one it is not asked whether a program wrote it. Raises nothing.

    A notebook is read as its code: pictures in its outputs are neither wanted nor counted.
    """
    is_notebook = path.lower().endswith(SUFFIX)
    found = read_content(path, max_bytes * OUTPUTS_SHARE if is_notebook else max_bytes)
    if found is None:
        return Reading()
    if isinstance(found, Exclusion):
        return Reading(exclusion=found)
    text, language = decode(found.content), None
    if is_notebook and text is not None:
        text, language = read_notebook(text) or (text, None)
    if text is not None and len(text) > max_bytes:
        return Reading(exclusion=Exclusion.TOO_LARGE)
    exclusion = Exclusion.BINARY if text is None else None if admitted else text_exclusion(text)
    shown = None if exclusion else text
    return Reading(shown, exclusion, len(found.content), found.stamp, admitted, language)


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp of a file with this status."""
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def stamp_at(path: str) -> Stamp | None:
    """The stamp of what is at `path`; None where nothing is."""
    try:
        return stamp_of(os.lstat(path))
    except (OSError, ValueError):
        return None


def decode(content: bytes) -> str | None:
    """The text of a file with ``\\n`` line ends; U+FFFD stands for what cannot be decoded.

    None where it is not text.
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if content.startswith(mark):
            text = content[len(mark) :].decode(encoding, errors="replace")
            break
    else:
        if b"\0" in content[:SNIFFED_BYTES]:
            return None
        text = content.decode(errors="replace")
    if "\ufffd" in text and len(_GARBAGE.findall(text)) > MAX_GARBAGE * len(text):
        return None
    return normalize_line_ends(text).replace("\0", "\ufffd")


def text_exclusion(text: str) -> Exclusion | None:
    """Was the text written by a program, as far as one can see? Line ends are ``\\n``."""
    if len(text) >= MIN_MINIFIED_CHARACTERS and _is_minified(text):
        return Exclusion.MINIFIED
    head = "\n".join(text[: HEAD_LINES * MAX_MEAN_CHARACTERS].split("\n", HEAD_LINES)[:HEAD_LINES])
    return Exclusion.GENERATED if _GENERATED.search(head) else None


def _is_minified(text: str) -> bool:
    lengths = [length for line in text.split("\n") if (length := len(line))]
    if max(lengths, default=0) > MAX_LINE_CHARACTERS:
        return True
    characters = sum(lengths)
    return characters > MAX_MEAN_CHARACTERS * len(lengths) and text.count(" ") < MIN_PROSE_BLANKS * characters


def _kind_exclusion(status: os.stat_result, max_bytes: int) -> Exclusion | None:
    if stat.S_ISLNK(status.st_mode):
        return Exclusion.LINK
    if not stat.S_ISREG(status.st_mode):
        return Exclusion.SPECIAL
    return Exclusion.TOO_LARGE if status.st_size > max_bytes else None
