"""Our positions <-> the protocol's: columns in UTF-8, UTF-16 or UTF-32 units, and files as URIs."""

from __future__ import annotations

import os
import re
from enum import StrEnum
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote, unquote_to_bytes

from lsprotocol import types

from bowerbird.text import Position

DRIVE = re.compile(r"/([A-Za-z]):(?=/|$)")
SURROGATES = re.compile("[\ud800-\udfff]")


class Encoding(StrEnum):
    """What a column counts; negotiated at `initialize`."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


def column_from_client(line: str, character: int, encoding: Encoding) -> int:
    """Code points before the client's column, at most all; a column inside a character is before it."""
    if encoding is Encoding.UTF32 or line.isascii():
        return min(character, len(line))
    if encoding is Encoding.UTF8:
        data = line.encode("utf-8")
        end = min(character, len(data))
        while 0 < end < len(data) and data[end] & 0xC0 == 0x80:  # a continuation byte
            end -= 1
        return len(data[:end].decode("utf-8"))
    data = line.encode("utf-16-le")
    end = min(2 * character, len(data))
    if end < len(data) and data[end + 1] & 0xFC == 0xDC:  # the second half of a surrogate pair
        end -= 2
    return len(data[:end].decode("utf-16-le"))


def column_to_client(line: str, column: int, encoding: Encoding) -> int:
    """The client's column of the place before the `column`-th code point."""
    before = line[:column]
    if encoding is Encoding.UTF32 or before.isascii():
        return len(before)
    if encoding is Encoding.UTF8:
        return len(before.encode("utf-8"))
    return len(before.encode("utf-16-le")) // 2


def lsp_position(line: str, position: Position, encoding: Encoding) -> types.Position:
    """`position`, which stands in `line`, as the client counts."""
    return types.Position(position.line, column_to_client(line, position.column, encoding))


def without_lone_surrogates(text: str) -> str:
    """Halves of surrogate pairs, which JSON can carry and no encoding can, as U+FFFD: one for one."""
    return text if text.isascii() else SURROGATES.sub("\ufffd", text)


def scheme_of(uri: str) -> str:
    """Such as ``file`` or ``untitled``, in lower case."""
    return uri.partition(":")[0].lower()


def path_text(uri: str, windows: bool) -> str | None:
    """The file that `uri` names, absolute and normalised; None if it is no file of this machine.

    A raw ``?`` or ``#`` belongs to the name: some clients do not encode them, and files have no queries.
    """
    if scheme_of(uri) != "file":
        return None
    rest = uri.partition(":")[2]
    host = ""
    if rest.startswith("//"):
        host, slash, path = rest[2:].partition("/")
        rest = slash + path
    path = os.fsdecode(unquote_to_bytes(rest.encode("utf-8", "surrogateescape")))
    if not path.strip("/"):
        return "/" if path and not windows else None
    path = "/" + os.path.normpath(path).lstrip("/")  # four slashes after `file:` are a common slip
    if not windows:
        return path if host in ("", "localhost") else None
    if host not in ("", "localhost"):
        return f"\\\\{host}" + path.replace("/", "\\")
    if not (drive := DRIVE.match(path)):
        return None
    return f"{drive[1].upper()}:" + (path[drive.end() :].replace("/", "\\") or "\\")


def path_of(uri: str) -> Path | None:
    """`path_text` on this machine."""
    text = path_text(uri, windows=os.name == "nt")
    return None if text is None else Path(text)


def key_of(uri: str, windows: bool = os.name == "nt") -> str:
    """Equal for all spellings of one document's URI: encoded or not, a drive's letter large or small."""
    return path_text(uri, windows) or unquote(uri)


def uri_of(path: Path) -> str:
    """The file's URI, every byte of its name kept."""
    text = path.as_posix()
    if text.startswith("//"):  # \\host\share
        return "file:" + quote_from_bytes(os.fsencode(text), safe="/")
    if not text.startswith("/"):  # C:/...
        text = f"/{text}"
    return "file://" + quote_from_bytes(os.fsencode(text), safe="/")
