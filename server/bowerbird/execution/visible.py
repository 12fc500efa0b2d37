"""What is visible in a sandbox, and the commands that make one."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from bowerbird.execution.job import SCRATCH, Job, SandboxError

SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
)  # fmt: skip
"""What programs stand on. Nobody keeps secrets there, save for `HIDDEN`."""

HIDDEN = ("/usr/src", "/usr/home", "/usr/local/src")
"""Where containers keep the code that is worked on."""

HOME = "/home/scratch"
FOLDERS = [str(SCRATCH), "/tmp", HOME]
"""What may be written to."""

KEEPER = Path(__file__).with_name("confine.py")
KEEPER_INSIDE = PurePosixPath("/run/bowerbird")


def order_of(job: Job, readable: Sequence[str], hidden: Sequence[Path]) -> dict[str, Any]:
    """What the keeper is told; raises `SandboxError` for a file that would lie outside."""
    files = {}
    for name, text in job.files.items():
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.name:
            raise SandboxError(f"{name} leads out of the scratch folder")
        files[str(SCRATCH / path)] = text
    env = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": HOME,
        "TMPDIR": "/tmp",
        "LANG": "C.UTF-8",
    }
    return {
        "server": os.getpid(),
        "steps": job.steps,
        "files": files,
        "folder": str(SCRATCH),
        "folders": FOLDERS,
        "env": {**env, **job.env},
        "readable": list(readable),
        "hidden": [*HIDDEN, *map(str, hidden)],
        "limits": {**asdict(job.limits), "processes": job.limits.processes + _counted_along()},
    }


def _counted_along() -> int:
    """How many of the user's processes and threads an old kernel counts as the sandbox's."""
    version = [int(part) for part in re.findall(r"\d+", os.uname().release)[:2]]
    if version >= [5, 14]:
        return 0
    count = 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it may end meanwhile
            if process.stat().st_uid == os.getuid():
                count += len(os.listdir(process / "task"))
    return count


def readable_paths(toolchains: Sequence[Path], hidden: Sequence[Path]) -> list[str]:
    """The system's folders, and the toolchains' unless they lie in one of those anyway.

    Raises `SandboxError` where a home or a workspace as a whole would be among them.
    """
    for path in toolchains:
        for secret in (Path.home(), *hidden):
            if secret == path or path in secret.parents:
                raise SandboxError(f"{path} holds more than a toolchain")
    covers = {path for path in SYSTEM if os.path.lexists(path)}
    hides = {*HIDDEN, *map(str, hidden)}
    kept = sorted(covers)
    for name in sorted({str(path) for path in toolchains if path.exists()}, key=len):
        parents = {str(parent) for parent in Path(name).parents}
        if not parents & covers or parents & hides:
            kept.append(name)
            covers.add(name)
    return kept


def _ours(_readable: Sequence[str], _hidden: Sequence[Path]) -> list[str]:
    return [sys.executable, "-I", "-S", str(KEEPER)]


def _bubblewrap(readable: Sequence[str], hidden: Sequence[Path]) -> list[str]:
    """bubblewrap makes the sandbox; our keeper is its first process, and needs a Python there."""
    python = os.path.realpath(sys.executable)
    command = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--die-with-parent", "--as-pid-1"]
    command += ["--uid", "1000", "--gid", "1000", "--proc", "/proc", "--dev", "/dev", *_no_houses_in_houses()]
    for path in readable:
        if os.path.islink(path):
            command += ["--symlink", os.readlink(path), path]
            continue
        command += ["--ro-bind", path, path]
        for name in (*HIDDEN, *map(str, hidden)):
            if name.startswith(path + "/") and os.path.isdir(name):
                command += ["--tmpfs", name]
    if not python.startswith("/usr/"):
        command += ["--ro-bind", sys.base_prefix, sys.base_prefix]
    for script in (KEEPER, KEEPER.with_name("namespaces.py")):
        command += ["--ro-bind", str(script), str(KEEPER_INSIDE / script.name)]
    for folder in FOLDERS:
        command += ["--dir", folder]
    return [*command, "--", python, "-I", "-S", str(KEEPER_INSIDE / KEEPER.name)]


@cache
def _no_houses_in_houses() -> list[str]:
    """Programs shall not be root in namespaces of their own; bubblewrap sees to it from 0.8 on."""
    told = subprocess.run(["bwrap", "--help"], capture_output=True, text=True, check=False, cwd="/").stdout
    return ["--unshare-user", "--disable-userns"] if "--disable-userns" in told else []


PREFIXES: dict[str, Callable[[Sequence[str], Sequence[Path]], list[str]]] = {
    "namespaces": _ours,
    "bubblewrap": _bubblewrap,
}
"""Methods, in the order in which they are tried, and what starts a job in each.

Ours comes first: bubblewrap knows no limit on the size of its scratch folder, and under root its programs
stay root to the kernel, whom the limit on processes does not bind.
"""
