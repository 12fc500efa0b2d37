"""Waits for what a program in another process will do sooner or later."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import Any

LIVENESS_S = 60.0
"""How long anything may take before a test gives up: generous, for it measures nothing."""


def wait_for(arrived: Callable[[], Any], program: subprocess.Popen[bytes]) -> Any:
    """What `arrived` gives, once it gives something; fails if it never does or if the program ends."""
    end = time.monotonic() + LIVENESS_S
    while not (value := arrived()):
        assert program.poll() is None, f"{program.args[0]} has ended"  # type: ignore[index]
        assert time.monotonic() < end, f"waited {LIVENESS_S:.0f} s in vain"
        time.sleep(0.05)
    return value
