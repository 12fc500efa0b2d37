"""Brings a git repository that the user named: https alone, one commit deep, running nothing of it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bowerbird.cli.errors import InputNotFound, UsageError

LOOK_S = 0.2
TOLD_CHARACTERS = 300

CONFIGURATION = {
    "core.hooksPath": os.devnull,
    "core.symlinks": "false",
    "core.fsmonitor": "false",
    "credential.helper": "",
    "protocol.allow": "never",
    "protocol.https.allow": "always",
    "submodule.recurse": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "20",
}
ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_PROTOCOL_FROM_USER": "0",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What a repository may take."""

    seconds: float = 180.0
    bytes: int = 1_000_000_000
    """On disk, history and files together."""


def is_url(source: str) -> bool:
    """Is it no folder of this machine's, but `https://...`, `git@host:...`, `ext::...` or the like?"""
    return "://" in source or "::" in source or source.startswith("git@")


def check_url(url: str) -> str:
    """The URL, if it is one that is fetched from; raises `UsageError`."""
    try:
        parts = urlsplit(url)
        secret = parts.username is not None or parts.password is not None
    except ValueError:
        raise UsageError(f"{url!r} is no URL.") from None
    if parts.scheme != "https" or not parts.hostname or any(one.isspace() or ord(one) < 32 for one in url):
        raise UsageError(
            f"Only repositories at https:// are fetched, not {url!r}; a folder may be named, too."
        )
    if secret:
        raise UsageError(
            "A URL with a name or a password is not fetched: clone it yourself, and name the folder."
        )
    return url


@contextmanager
def cloned(url: str, limits: Limits | None = None) -> Iterator[Path]:
    """The repository's files in a folder that is gone afterwards; raises `UsageError` and `InputNotFound`."""
    check_url(url)
    git = shutil.which("git")
    if git is None:
        raise InputNotFound("git is not installed; download the documentation yourself, and name its folder.")
    with tempfile.TemporaryDirectory(prefix="bowerbird-docs-", ignore_cleanup_errors=True) as temporary:
        target = Path(temporary, "clone")
        _clone(git, url, target, limits or Limits())
        yield target


def _clone(git: str, url: str, target: Path, limits: Limits) -> None:
    options = [part for key, value in CONFIGURATION.items() for part in ("-c", f"{key}={value}")]
    how = ["--depth=1", "--single-branch", "--no-tags", "--no-recurse-submodules", "--template=", "--quiet"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "SSH_"))}
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(
            [git, *options, "clone", *how, "--", url, str(target)],
            cwd=target.parent,
            env={**environment, **ENVIRONMENT},
            stdin=subprocess.DEVNULL,
            stdout=told,
            stderr=told,
            start_new_session=True,
        )
        try:
            _watch(process, target, limits)
        finally:
            _end(process)
        if process.returncode:
            told.seek(0)
            lines = told.read(20_000).decode("utf-8", "replace").strip().splitlines()
            last = (lines or ["it said nothing"])[-1][:TOLD_CHARACTERS]
            raise InputNotFound(f"git could not fetch {url}: {last}")


def _watch(process: subprocess.Popen[bytes], target: Path, limits: Limits) -> None:
    """Wait until it is done; raises `InputNotFound` if it takes too much."""
    deadline = time.monotonic() + limits.seconds
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LOOK_S)
        if _size(target) > limits.bytes:
            raise InputNotFound(f"The repository takes more than {limits.bytes:,} bytes.")
        if process.returncode is not None:
            return
        if time.monotonic() > deadline:
            raise InputNotFound(f"The repository did not come within {limits.seconds:.0f} s.")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git and what it started, if they still run."""
    if process.poll() is not None:
        return
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _size(folder: Path) -> int:
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(path, name)).st_size
    return total
