"""One immutable file of named arrays: written at once, checked whole when opened, then mapped.

    magic, length and checksum of the header | header (JSON) | arrays, each at a multiple of 64 bytes

A file that is short, long, or differs in any byte from what was written is `DamagedFileError`.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"bowerbird\x01"
LEAD = Struct("<10sII")  # magic, bytes of the header, its CRC-32
ALIGNMENT = 64
CHUNK = 1 << 20
MAX_HEADER_BYTES = 1 << 20
TEMPORARY = ".part"

Array = NDArray[Any]


class DamagedFileError(Exception):
    """A file of the store is not what was written."""


@dataclass(frozen=True, slots=True)
class Container:
    """An open file."""

    meta: Mapping[str, Any]
    arrays: Mapping[str, Array]
    """Read-only, mapped: they take no memory but what is looked at, and live as long as any view of them."""
    size: int
    """Bytes on disk."""


def write_container(path: Path, meta: Mapping[str, Any], arrays: Mapping[str, Array]) -> int:
    """Write a file that only its owner may read, whole or not at all; gives its size. Raises `OSError`."""
    flat = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    table, at, check = [], 0, 0
    for name, array in flat.items():
        at = _aligned(at)
        table.append((name, array.dtype.str, array.shape, at))
        check = zlib.crc32(_bytes(array), check)
        at += array.nbytes
    header = json.dumps({"meta": dict(meta), "arrays": table, "crc": check, "bytes": at}).encode()
    begin = _aligned(LEAD.size + len(header))
    parts: list[bytes | memoryview] = [LEAD.pack(MAGIC, len(header), zlib.crc32(header)), header]
    position = LEAD.size + len(header)
    for (_, _, _, offset), array in zip(table, flat.values(), strict=True):
        parts += (bytes(begin + offset - position), _bytes(array))
        position = begin + offset + array.nbytes
    write_whole(path, parts)
    return position


def write_whole(path: Path, parts: list[bytes | memoryview]) -> None:
    """Put a file in its place in one step: whoever looks sees the one before, or all of this one."""
    fresh = path.with_name(path.name + TEMPORARY)
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        try:
            for part in parts:
                _write(descriptor, memoryview(part))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(fresh, path)
    except OSError:
        with suppress(OSError):
            fresh.unlink()
        raise


def open_container(path: Path) -> Container:
    """Open a file and compare all of it with its checksum. Raises `DamagedFileError`, or `OSError`.

    The bytes are read for that, not mapped: what is only compared shall not count as memory.
    """
    with path.open("rb") as file:
        lead = file.read(LEAD.size)
        if len(lead) < LEAD.size:
            raise DamagedFileError(f"{path.name} is cut off.")
        magic, length, header_check = LEAD.unpack(lead)
        if magic != MAGIC or length > MAX_HEADER_BYTES:
            raise DamagedFileError(f"{path.name} is of another kind.")
        header = file.read(length)
        if zlib.crc32(header) != header_check:
            raise DamagedFileError(f"The head of {path.name} has changed.")
        told = json.loads(header)
        begin = _aligned(LEAD.size + length)
        size = begin + told["bytes"]
        if os.fstat(file.fileno()).st_size != size:
            raise DamagedFileError(f"{path.name} has another length.")
        check = 0
        for _, dtype, shape, offset in told["arrays"]:
            file.seek(begin + offset)
            left = np.dtype(dtype).itemsize * int(np.prod(shape))
            while left:
                chunk = file.read(min(CHUNK, left))
                if not chunk:
                    raise DamagedFileError(f"{path.name} is cut off.")
                check = zlib.crc32(chunk, check)
                left -= len(chunk)
        if check != told["crc"]:
            raise DamagedFileError(f"{path.name} has changed.")
        mapped = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    arrays = {
        name: np.frombuffer(mapped, dtype, int(np.prod(shape)), begin + offset).reshape(shape)
        if np.prod(shape)
        else np.zeros(shape, dtype)
        for name, dtype, shape, offset in told["arrays"]
    }
    return Container(told["meta"], arrays, size)


def _write(descriptor: int, part: memoryview) -> None:
    while part:
        part = part[os.write(descriptor, part[: 1 << 24]) :]


def _bytes(array: Array) -> memoryview:
    return array.reshape(-1).view(np.uint8).data if array.size else memoryview(b"")


def _aligned(at: int) -> int:
    return -(-at // ALIGNMENT) * ALIGNMENT
