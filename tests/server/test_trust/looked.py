"""Looks at hostile texts in a process that can be ended: an expression or a parser cannot be stopped."""

from __future__ import annotations

import os
import subprocess
import sys

THROUGH = "through"
PATIENCE_S = 60
LONGEST_S = 900.0


def look_at(look: str, text: str, patience_s: int = PATIENCE_S) -> tuple[int, str]:
    """The exit code of a process that runs the code `look`, which finds `text`, and what it said at its end.

    Its patience is in seconds of the processor, so that a busy machine is no fault.
    """
    limit = f"import resource\nresource.setrlimit(resource.RLIMIT_CPU, ({patience_s}, {patience_s}))\n"
    program = f"{limit if os.name == 'posix' else ''}import sys\ntext = sys.stdin.buffer.read().decode()\n"
    command = [sys.executable, "-P", "-c", f"{program}{look}\nprint({THROUGH!r})"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=LONGEST_S, check=False)
    return done.returncode, done.stdout.decode().strip()
