"""`python -m nestling`."""

import os
import sys

from nestling.commands import main

KEEP_BYTES = str(4_000_000_000)
MALLOC = {"MALLOC_MMAP_THRESHOLD_": KEEP_BYTES, "MALLOC_TRIM_THRESHOLD_": KEEP_BYTES}
"""Lets the C library keep what tensors give back: 1.6 times the speed on a processor. Read when it starts."""

if __name__ == "__main__":
    if not MALLOC.keys() <= os.environ.keys():
        os.execve(sys.executable, [sys.executable, "-m", "nestling", *sys.argv[1:]], {**os.environ, **MALLOC})
    sys.exit(main())
