"""Where the editors of one user meet at a shared model: a private folder with a lock, a note and a socket."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import stat
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import platformdirs

from bowerbird import __version__
from bowerbird.inference.build import build
from bowerbird.inference.pipe import Message

NOTE = "broker.json"
SOCKET = "socket"
KEY_LETTERS = 16
MOST_NOTE_BYTES = 10_000
LONGEST_SOCKET_BYTES = 100  # macOS has room for 104 in an address, Linux for 108


class UnsafePlace(OSError):  # noqa: N818 - a finding
    """Somebody else may write there; `str()` is a sentence."""


@dataclass(frozen=True, slots=True)
class Note:
    """What a running broker tells those who may read its folder."""

    pid: int
    port: int
    """On the loopback address; 0 for the socket in the same folder."""
    token: str
    """Both sides prove that they know it."""


def meeting_folder() -> Path:
    """The folder in which all of this user's shared models are; it may not exist yet.

    In the session's runtime folder where there is one, else in the user's cache; never in a folder that
    others write to, as is the system's temporary one.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime:
        return Path(runtime) / "bowerbird"
    return Path(platformdirs.user_cache_dir("bowerbird", appauthor=False)) / "shared"


def key_of(load: Message, mark: tuple[int, int]) -> str:
    """Who may share: the same build on the same machine, which loads the same file in the same way.

    `mark` is the file's size and time, so that a file that was replaced is loaded anew.
    """
    told = json.dumps([__version__, build(), platform.node(), load, mark], sort_keys=True)
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:KEY_LETTERS]


def private_folder(path: Path) -> Path:
    """`path`, made if it is missing, if it is ours alone; raises `OSError`, `UnsafePlace`."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)
    check_private(path)
    return path


def check_private(path: Path) -> None:
    """Raise `UnsafePlace` where others own or may enter `path`, or it is a link."""
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise UnsafePlace(f"{path} is a link, so others may decide where it leads.")
    if hasattr(os, "getuid"):  # elsewhere the user's own folders are private by the system's lists
        if status.st_uid != os.getuid():
            raise UnsafePlace(f"{path} belongs to another user.")
        if status.st_mode & 0o077:
            raise UnsafePlace(f"{path} is open to other users.")


def socket_path(folder: Path) -> Path | None:
    """Where the socket is, or is to be; None where there are none, or the path is too long for one."""
    import socket

    path = folder / SOCKET
    fits = len(os.fsencode(path)) <= LONGEST_SOCKET_BYTES
    return path if fits and hasattr(socket, "AF_UNIX") and hasattr(os, "getuid") else None


def write_note(folder: Path, note: Note) -> None:
    """Tell of a broker; readers see all of it or nothing."""
    fresh = folder / f"{NOTE}.{os.getpid()}"
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(asdict(note), file)
    fresh.replace(folder / NOTE)


def read_note(folder: Path) -> Note | None:
    """What a broker wrote there, whether it runs or not; None if nothing, or no note.

    Raises `UnsafePlace`.
    """
    path = folder / NOTE
    try:
        check_private(folder)
        check_private(path)
        with path.open("rb") as file:
            told = json.loads(file.read(MOST_NOTE_BYTES))
        return Note(int(told["pid"]), int(told["port"]), str(told["token"]))
    except UnsafePlace:
        raise
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remove_note(folder: Path) -> None:
    """The broker takes nobody in any more."""
    with contextlib.suppress(PermissionError):  # on Windows, while somebody reads it
        (folder / NOTE).unlink(missing_ok=True)


def meeting_places() -> Iterator[Path]:
    """Those of this user in which a broker may be running."""
    folder = meeting_folder()
    if folder.is_dir():
        yield from sorted(note.parent for note in folder.glob(f"*/{NOTE}"))
