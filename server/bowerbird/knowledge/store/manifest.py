"""Which segments a store has, and what of them no longer counts: a small file, replaced at each change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path

from bowerbird.knowledge.reading import Stamp
from bowerbird.knowledge.store.container import DamagedFileError, write_whole

NAME = "manifest"
MAX_BYTES = 1 << 27
UNREADABLE = (DamagedFileError, OSError, ValueError, KeyError, TypeError)
"""What reading a file of a store may raise where it is not what was written."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One segment."""

    id: str
    indexes: tuple[str, ...] = ()
    """Keys of the indexes that stand beside its texts."""
    gone: frozenset[int] = frozenset()
    """Numbers of files that have changed since, or are no more."""
    stamps: Mapping[int, Stamp] = field(default_factory=dict)
    """Of files that were written again with the same content."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A store at one moment."""

    fingerprint: str
    """Of the rules by which files were read; under other rules nothing of it counts."""
    root: str
    """The workspace's folder, for people."""
    next_id: int = 0
    entries: tuple[Entry, ...] = ()


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest. Raises `OSError`."""
    told = asdict(manifest)
    told["entries"] = [
        {**asdict(entry), "gone": sorted(entry.gone), "stamps": list(entry.stamps.items())}
        for entry in manifest.entries
    ]
    body = json.dumps(told, separators=(",", ":")).encode()
    write_whole(folder / NAME, [_digest(body), b"\n", body])


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest, None where there is none. Raises `DamagedFileError` or `OSError`."""
    path = folder / NAME
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DamagedFileError("The list of segments is too long.")
        digest, _, body = path.read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    if digest != _digest(body):
        raise DamagedFileError("The list of segments has changed.")
    told = json.loads(body)
    entries = tuple(
        Entry(
            one["id"],
            tuple(one["indexes"]),
            frozenset(one["gone"]),
            {number: _stamp(stamp) for number, stamp in one["stamps"]},
        )
        for one in told["entries"]
    )
    return Manifest(told["fingerprint"], told["root"], told["next_id"], entries)


def _stamp(told: list[int]) -> Stamp:
    inode, size, changed, status_changed = told
    return inode, size, changed, status_changed


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=16).hexdigest().encode()
