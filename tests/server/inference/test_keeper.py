"""The program that keeps a llama-server from outliving us, with other programs in its place."""

from __future__ import annotations

import subprocess
import sys
import time

import psutil  # type: ignore[import-untyped]
import pytest

STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(60)"
)
PATIENT = "import time; print(flush=True); time.sleep(60)"


def keep(*command: str) -> subprocess.Popen[bytes]:
    """Start a keeper for `command`."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "bowerbird.inference.keeper", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


@pytest.mark.parametrize("script", [PATIENT, STUBBORN])
def test_the_program_ends_with_our_input(script: str) -> None:
    """Asked to end, and if it does not listen killed, the program is gone within two seconds."""
    keeper = keep(sys.executable, "-c", script)
    assert keeper.stdout is not None
    keeper.stdout.readline()
    (program,) = psutil.Process(keeper.pid).children()
    began = time.monotonic()
    keeper.communicate()
    assert not program.is_running()
    assert time.monotonic() - began < 2.0


def test_the_exit_code_is_the_programs() -> None:
    """A program that ends by itself hands its exit code on."""
    keeper = keep(sys.executable, "-c", "raise SystemExit(7)")
    assert keeper.wait(30) == 7
    keeper.communicate()
