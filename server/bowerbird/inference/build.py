"""Which build of Bowerbird this is: a checkout and an installed wheel of one version are two."""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
SPOKEN_IN = "inference"
"""The part of the package whose messages processes exchange."""


@cache
def build() -> str:
    """Tells this build apart from others of the same version, on this machine.

    Asked once a process, so that it stays what it is when the files are replaced.
    """
    return build_at(PACKAGE)


def build_at(package: Path) -> str:
    """The same for a package's folder: where it lies, in which Python, and the times of its files."""
    told = [sys.prefix, sys.version, str(package)]
    for file in sorted((package / SPOKEN_IN).glob("*.py")):
        try:
            status = file.stat()
        except OSError:
            continue  # it is being replaced just now
        told.append(f"{file.name} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(told).encode("utf-8", "surrogatepass")).hexdigest()
