"""Run a program that ends when our input ends: a llama-server must not outlive the server that started it.

Started as ``python -P -m bowerbird.inference.keeper PROGRAM ARGUMENTS...``. It takes the program's exit code.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading

TERMINATE_SECONDS = 1.0  # a dead parent leaves nothing behind for more than two


def keep(command: list[str]) -> int:
    """Run `command` until it ends or our input does; its exit code."""
    program = subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def end_with_input() -> None:
        while os.read(0, 4096):  # not through `sys.stdin`, whose lock would stop us from leaving
            pass
        program.terminate()
        try:
            program.wait(TERMINATE_SECONDS)
        except subprocess.TimeoutExpired:
            program.kill()

    threading.Thread(target=end_with_input, daemon=True).start()
    return program.wait()


if __name__ == "__main__":
    sys.exit(abs(keep(sys.argv[1:])))
