"""A workspace of real code, without bringing any: the Python files that are installed beside Bowerbird."""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path

LINES = 100_000
MAX_FILE_BYTES = 200_000  # larger ones are tables and generated code


def gather(folder: Path, lines: int = LINES) -> int:
    """Copy installed Python files into `folder`, by their paths, until there are `lines` lines; how many."""
    found = 0
    for root in (Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("stdlib"))):
        for path in sorted(root.rglob("*.py")):
            if found >= lines:
                return found
            within = path.relative_to(root)
            if "site-packages" in within.parts or path.stat().st_size > MAX_FILE_BYTES:
                continue
            copy = folder / within
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
            found += copy.read_bytes().count(b"\n")
    return found
