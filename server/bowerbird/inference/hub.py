"""Model files from the hub or from any https address: found, fetched with resumption, checked.

Only `bowerbird model` asks for this; nothing here is imported when a server starts. The protocol is
`huggingface_hub`'s. That library throws a broken-off download away, so the part that was fetched is kept
here, under a name that holds the file's checksum, and the library is asked for the rest.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from bowerbird.inference.hub_errors import HubError, library, told_plainly
from bowerbird.inference.loading import GGUF_MAGIC

ENDPOINT_VARIABLE = "HF_ENDPOINT"
ENDPOINT = "https://huggingface.co"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
SPARE_BYTES = 50_000_000  # left free on the disk
READ_BYTES = 1 << 20
SHA256 = re.compile(r"[0-9a-f]{64}")
FILE_NAME = re.compile(r"[^/\\\0]+\.gguf", re.IGNORECASE)
SPLIT = re.compile(r"-\d{5}-of-\d{5}\.gguf$", re.IGNORECASE)

Told = Callable[[int, int | None], None]
"""Is handed the bytes that are there and the bytes that there will be, None where nobody knows."""


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file that can be fetched."""

    name: str
    """What it will be called in the model folder."""
    url: str
    """Where it was asked for."""
    location: str
    """Where its bytes are; the hub sends people elsewhere for large files."""
    bytes: int | None
    sha256: str
    """As the hub has it; empty where nobody says."""
    etag: str


def split_hub_path(text: str) -> tuple[str, str] | None:
    """``owner/repo/folder/file.gguf`` or ``owner/repo``: repository and file, which may be ""; else None."""
    parts = text.split("/")
    if len(parts) < 2 or not all(parts) or text.startswith((".", "~")):
        return None
    file = "/".join(parts[2:])
    return ("/".join(parts[:2]), file) if not file or FILE_NAME.fullmatch(parts[-1]) else None


def find_on_hub(repo: str, file: str) -> HubFile:
    """What the hub says of a repository's file; raises `HubError`. Asks the network."""
    hub = library()
    endpoint = os.environ.get(ENDPOINT_VARIABLE) or ENDPOINT
    _check_address(endpoint)
    with told_plainly(f"{repo}/{file}", endpoint):
        url = hub.hf_hub_url(repo, file, endpoint=endpoint)
        name = _name(url)
        return _file(name, url, hub.get_hf_file_metadata(url, endpoint=endpoint))
    raise AssertionError  # the context manager lets no error through


def files_on_hub(repo: str) -> list[str]:
    """The GGUF files of a repository; raises `HubError`. Asks the network."""
    endpoint = os.environ.get(ENDPOINT_VARIABLE) or ENDPOINT
    _check_address(endpoint)
    with told_plainly(repo, endpoint):
        files = library().HfApi(endpoint=endpoint).list_repo_files(repo)
        return [file for file in files if file.lower().endswith(".gguf")]
    raise AssertionError


def find_at(url: str) -> HubFile:
    """What the server at a file's own address says of it; raises `HubError`. No key of the hub's is sent."""
    _check_address(url)
    name = _name(url)
    with told_plainly(url, url):
        return _file(name, url, library().get_hf_file_metadata(url, token=False))
    raise AssertionError


def fetch(file: HubFile, folder: Path, told: Told) -> Path:
    """Bring the file into `folder`, going on where an earlier run broke off; raises `HubError`.

    A file that is not what was promised never gets its name.
    """
    import filelock
    from huggingface_hub.file_download import http_get

    final, part = folder / file.name, _part(file, folder)
    lock = filelock.FileLock(part.with_suffix(".lock"), timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with lock, told_plainly(file.name, file.location):
            have = _size(part)
            if file.bytes is not None and have > file.bytes:
                part.unlink()
                have = 0
            _check_room(folder, file, have)
            with part.open("ab") as stream:
                http_get(
                    file.location,
                    stream,
                    resume_size=have,
                    headers=_headers(file),
                    expected_size=file.bytes,
                    displayed_filename=file.name,
                    tqdm_class=_telling(told),
                )
        _check(part, file)
        part.replace(final)
    except filelock.Timeout as error:
        raise HubError(f"{file.name} is being fetched by another process already.") from error
    except OSError as error:
        raise HubError(f"{folder} cannot be written: {error.strerror or error}.") from error
    finally:
        with contextlib.suppress(OSError):
            Path(lock.lock_file).unlink(missing_ok=True)
    return final


def is_same(path: Path, file: HubFile) -> bool:
    """Is the file at `path` the one that the hub has? By its checksum, else by its size."""
    if file.bytes is not None and _size(path) != file.bytes:
        return False
    return not file.sha256 or sha256_of(path) == file.sha256


def sha256_of(path: Path) -> str:
    """In hexadecimal; raises `OSError`."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def remove_parts(folder: Path, name: str) -> int:
    """Remove what earlier, broken-off downloads of `name` have left; how many."""
    parts = [part for part in folder.glob(".*.part") if part.name.startswith(f".{name}.")]
    for part in parts:
        part.unlink(missing_ok=True)
    return len(parts)


def _name(url: str) -> str:
    name = unquote(urlsplit(url).path).rpartition("/")[2]
    if not FILE_NAME.fullmatch(name) or name.startswith("."):
        raise HubError(f"{url} does not end with the name of a GGUF file.")
    if SPLIT.search(name):
        raise HubError(f"{name} is a part of a model only; Bowerbird loads models of one file.")
    return name


def _file(name: str, url: str, found: Any) -> HubFile:
    etag = str(found.etag or "")
    sha256 = etag if SHA256.fullmatch(etag) else ""
    return HubFile(name, url, str(found.location), found.size, sha256, etag)


def _part(file: HubFile, folder: Path) -> Path:
    """Another version of the same file has another part."""
    version = hashlib.sha256(f"{file.etag or file.url} {file.bytes}".encode()).hexdigest()[:16]
    return folder / f".{file.name}.{version}.part"


def _headers(file: HubFile) -> dict[str, str]:
    """The hub's own, with the user's key for it, but only where the bytes come from the hub itself."""
    endpoint = os.environ.get(ENDPOINT_VARIABLE) or ENDPOINT
    own = urlsplit(file.location).netloc == urlsplit(file.url).netloc == urlsplit(endpoint).netloc
    headers: dict[str, str] = library().utils.build_hf_headers(token=None if own else False)
    return headers


def _check_address(url: str) -> None:
    """https alone; http only to this machine."""
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        return
    if parts.scheme == "http" and parts.hostname in LOOPBACK:
        return
    raise HubError(f"{url} is no https address.")


def _check_room(folder: Path, file: HubFile, have: int) -> None:
    if file.bytes is None:
        return
    needed, free = file.bytes - have, shutil.disk_usage(folder).free
    if needed + SPARE_BYTES > free:
        raise HubError(
            f"The disk of {folder} is too full: {_mb(needed)} are still to be fetched, {_mb(free)} are free."
        )


def _check(part: Path, file: HubFile) -> None:
    """Is it a GGUF, and the one that was promised? If not it is removed."""
    with part.open("rb") as stream:
        magic = stream.read(len(GGUF_MAGIC))
    if magic != GGUF_MAGIC:
        part.unlink()
        raise HubError(f"What {file.url} gives is no GGUF file; it was removed.")
    if file.sha256 and (found := sha256_of(part)) != file.sha256:
        part.unlink()
        raise HubError(
            f"The checksum of {file.name} is wrong: {found[:12]} came, {file.sha256[:12]} was promised. "
            "It was removed; try again."
        )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _mb(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"


def _telling(told: Told) -> type[Any]:
    """What the library makes a progress bar of."""

    class Telling:
        def __init__(self, total: int | None = None, initial: int = 0, **_: Any) -> None:
            self.total, self.done = total, initial
            told(self.done, self.total)

        def __enter__(self) -> Telling:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def update(self, count: int) -> None:
            self.done += count
            told(self.done, self.total)

    return Telling
