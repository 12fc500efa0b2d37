"""Memory that is free and still held, given back to the system where the C library can do so."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache


def give_back() -> None:
    """Let the system have what is free in this process's heaps.

    Each thread that works has a heap of its own, which keeps what was once needed there: some ten megabytes
    come and go otherwise, and look like growth. Takes some milliseconds, so it is done beside the requests.
    Does nothing where the C library is not the GNU one.
    """
    if (trim := _trim()) is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library; Windows wants a name
        return None
    trim.argtypes = [ctypes.c_size_t]
    trim.restype = ctypes.c_int
    found: Callable[[int], int] = trim
    return found
