"""By which rules files were read: kept texts count only as long as those rules hold."""

from __future__ import annotations

import sys
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bowerbird import text
from bowerbird.syntax import languages

PACKAGE = Path(__file__).parent.parent
FORMAT = "1"


def fingerprint(max_file_bytes: int) -> str:
    """Of all that decides which text a file has, whether it may be kept, and in which form.

    The user's own rules (ignore files, `index.exclude`) are not among it: they are asked about each file at
    each start. What counts as a secret cannot be set, but by a mark in its line, which changes the file.
    """
    told = f"{_rules()} {FORMAT} {max_file_bytes} {sys.byteorder}"
    return blake2b(told.encode(), digest_size=16).hexdigest()


@cache
def _rules() -> str:
    """The code that reads files and sees secrets, and the version of the library that helps to."""
    digest = blake2b(digest_size=16)
    for path in (
        *sorted(PACKAGE.glob("*.py")),
        *sorted(PACKAGE.glob("store/*.py")),
        Path(languages.__file__),
        Path(text.__file__),
    ):
        digest.update(path.read_bytes())
    try:
        digest.update(version("detect-secrets").encode())
    except PackageNotFoundError:
        digest.update(b"?")
    return digest.hexdigest()
