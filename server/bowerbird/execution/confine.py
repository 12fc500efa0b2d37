"""The program's keeper: a script that makes a sandbox, puts the files into it and runs the steps there.

    python -I -S confine.py ORDER REPORT [prepared]

ORDER and REPORT are open files of `sandbox.py`'s: what to do, and how it ended. With `prepared` somebody else
(bubblewrap) has made the sandbox, and this is its process 1. Whatever happens to process 1, the kernel ends
all that is left in its sandbox; and it dies with the keeper, which dies with the server.

Every job waits for this script to start, so it imports little: `json`, `re` and `typing` would double that.
"""

from __future__ import annotations

import marshal  # written and read by the same Python
import os
import resource
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from bowerbird.execution import namespaces
else:  # a script that must not load the package
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import namespaces

LOOK_S = 0.05  # between two looks at the clock and the memory
NOT_FOUND = 127


class Exceeded(Exception):  # noqa: N818 - no fault of ours
    """A limit was reached; `str()` says which."""


def main() -> None:
    order_file, report_file = int(sys.argv[1]), int(sys.argv[2])
    for file in (order_file, report_file):
        os.set_inheritable(file, False)
    report: dict[str, Any] | None
    try:
        with os.fdopen(order_file, "rb") as opened:
            order = marshal.load(opened)
        namespaces.prctl(namespaces.SET_DEATH_SIGNAL, signal.SIGKILL)
        if sys.argv[3:] == ["prepared"]:
            report = keep(order, changes_user=False)
        elif os.getppid() != order["server"]:
            os._exit(1)  # the server is gone already
        else:
            report = isolate(order, report_file)
    except OSError as error:
        report = {"failed": error.strerror or str(error)}
    if report is not None:
        os.pwrite(report_file, marshal.dumps(report), 0)
    os._exit(0)  # nothing needs tidying up


def isolate(order: dict[str, Any], report_file: int) -> dict[str, Any] | None:
    """Go where the outer world is out of reach. Only process 1 has a report."""
    changes_user = namespaces.enter()
    living = os.pipe()
    child = os.fork()
    if child:
        os.close(living[0])
        _, status = os.waitpid(child, 0)
        if os.pread(report_file, 1, 0):
            return None
        return {"failed": f"the sandbox's first process ended by itself ({status})"}
    os.close(living[1])
    namespaces.prctl(namespaces.SET_DEATH_SIGNAL, signal.SIGKILL)
    os.set_blocking(living[0], False)
    try:
        os.read(living[0], 1)
    except BlockingIOError:
        os.close(living[0])
    else:
        os._exit(1)  # the keeper was gone before its death could be told
    namespaces.build_root(
        order["readable"], order["hidden"], order["folders"], order["limits"]["scratch_bytes"]
    )
    return keep(order, changes_user)


def keep(order: dict[str, Any], changes_user: bool) -> dict[str, Any]:
    """Run the steps, one after another as long as they succeed, and say how the last one ended."""
    if os.getpid() != 1:
        raise OSError(0, "this is no sandbox: `kill_all` would end everything")
    os.umask(0o022)
    namespaces.prctl(namespaces.SET_DUMPABLE, 0)  # its files are nobody's business
    write_files(order["files"], changes_user)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    limits = order["limits"]
    deadline = time.monotonic() + limits["wall_s"] if limits["wall_s"] else None
    status = 0
    for step in order["steps"]:
        try:
            status = wait_for(start(step, order, changes_user), limits, deadline)
        except Exceeded as limit:
            return {"exceeded": str(limit)}
        finally:
            kill_all()
        if status:
            break
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        name = signal.Signals(number).name if number in set(signal.Signals) else str(number)
        return {"exceeded": "cpu"} if number == signal.SIGXCPU else {"signal": name}
    return {"code": os.WEXITSTATUS(status)}


def write_files(files: dict[str, str], changes_user: bool) -> None:
    """Only below the folders that may be written to; who admits a file has checked that."""
    for name, text in files.items():
        folder = os.path.dirname(name)
        missing = []
        while not os.path.isdir(folder):
            missing.append(folder)
            folder = os.path.dirname(folder)
        for folder in reversed(missing):
            os.mkdir(folder)
        with open(name, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
        if changes_user:
            for path in (*missing, name):
                os.chown(path, namespaces.INSIDE, namespaces.INSIDE)


def start(step: list[str], order: dict[str, Any], changes_user: bool) -> int:
    child = os.fork()
    if child:
        return child
    try:
        limit(order["limits"])
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)  # Python ignores them, and what it starts would, too
        if changes_user:
            os.setgroups([])
            os.setresgid(*[namespaces.INSIDE] * 3)
            os.setresuid(*[namespaces.INSIDE] * 3)
        namespaces.prctl(namespaces.SET_NO_NEW_PRIVILEGES, 1)
        os.chdir(order["folder"])
        os.execve(on_path(step[0], order["env"]["PATH"]), step, order["env"])
    except OSError as error:
        os.write(2, f"{step[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(NOT_FOUND)


def on_path(name: str, path: str) -> str:
    """Where the program `name` is. (`os.execvpe` would import modules, which are out of reach here.)"""
    folders = [] if "/" in name else path.split(":")
    return next((found for folder in folders if os.access(found := f"{folder}/{name}", os.X_OK)), name)


def limit(limits: dict[str, Any]) -> None:
    """What the kernel watches, for each process. Sums are watched by `wait_for`."""
    for kind, value in (
        (resource.RLIMIT_CPU, limits["cpu_s"] or None),
        (
            resource.RLIMIT_DATA,
            limits["memory_bytes"],
        ),  # not RLIMIT_AS: V8 and the JVM reserve much, use little
        (resource.RLIMIT_FSIZE, limits["file_bytes"]),
        (resource.RLIMIT_NPROC, limits["processes"]),
        (resource.RLIMIT_NOFILE, limits["open_files"]),
        (resource.RLIMIT_CORE, 0),
    ):
        if value is not None:
            _, hard = resource.getrlimit(kind)
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            last = value + 1 if kind == resource.RLIMIT_CPU and value != hard else value  # told, then killed
            resource.setrlimit(kind, (value, last))


def wait_for(child: int, limits: dict[str, Any], deadline: float | None) -> int:
    """The child's status; buries whoever else dies meanwhile. Raises `Exceeded`."""
    while True:
        signal.sigtimedwait({signal.SIGCHLD}, LOOK_S)
        while True:
            dead, status = os.waitpid(-1, os.WNOHANG)
            if dead == child:
                return status
            if not dead:
                break
        if deadline is not None and time.monotonic() > deadline:
            raise Exceeded("time")
        processes, held = usage()
        if processes > limits["processes"]:
            raise Exceeded("processes")  # where root is root, the kernel's own limit does not count
        if held > limits["memory_bytes"]:
            raise Exceeded("memory")
        disk = os.statvfs("/")
        if (disk.f_blocks - disk.f_bfree) * disk.f_frsize > limits["scratch_bytes"]:
            raise Exceeded("disk")


def kill_all() -> None:
    """All but this process."""
    try:
        os.kill(-1, signal.SIGKILL)
        while True:
            os.waitpid(-1, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


def usage() -> tuple[int, int]:
    """How many processes there are beside this one, and the bytes that they hold (shared ones: each)."""
    processes = pages = 0
    for name in os.listdir("/proc"):
        if name.isdigit() and name != "1":
            processes += 1
            try:
                with open(f"/proc/{name}/statm") as file:
                    pages += int(file.read().split()[1])
            except OSError:
                pass  # it has just ended
    return processes, pages * resource.getpagesize()


if __name__ == "__main__":
    main()
