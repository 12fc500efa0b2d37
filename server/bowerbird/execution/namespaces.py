"""Namespaces of one's own, and a root folder that holds no more than it should: Linux's calls.

Only `confine` uses this, in the process that is to be confined; little is imported here, as it says. Errors
are `OSError` with a sentence of what was tried.
"""

from __future__ import annotations

import ctypes
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

NEW_EVERYTHING = 0x10000000 | 0x00020000 | 0x20000000 | 0x40000000 | 0x08000000 | 0x04000000 | 0x02000000
"""CLONE_NEWUSER, NEWNS, NEWPID, NEWNET, NEWIPC, NEWUTS and NEWCGROUP."""

READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC, REMOUNT, BIND = 1, 2, 4, 8, 32, 4096
RECURSIVE, PRIVATE = 16384, 1 << 18
DETACH = 2
KEPT = {
    "nosuid": NO_SUID,
    "nodev": NO_DEVICES,
    "noexec": NO_EXEC,
    "noatime": 1024,
    "nodiratime": 2048,
    "relatime": 1 << 21,
}
"""Flags that a mount of the outer world has; they are locked, so whoever changes one must name all."""

INSIDE = 1000
"""The user and group that a program believes to be."""
OUTSIDE = 65534
"""Who it is in truth where root started it: root is exempt from the limit on processes."""

DEVICES = ("null", "zero", "full", "random", "urandom")
STANDARD = {"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"}

SET_DEATH_SIGNAL, SET_DUMPABLE, SET_NO_NEW_PRIVILEGES = 1, 4, 38
"""Of prctl."""

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, tried: str) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{tried}: {os.strerror(number)}")


def prctl(option: int, value: int) -> None:
    _check(_libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0), f"prctl {option}")


def mount(source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    fields = [text.encode() if text is not None else None for text in (source, target, kind, options)]
    _check(_libc.mount(*fields[:3], ctypes.c_ulong(flags), fields[3]), f"mount {target}")


def enter() -> bool:
    """Leave the outer world's namespaces; the next child is process 1 of the new one.

    True if it is safe to become `INSIDE`, another user than the one who started it.
    """
    user, group = os.getuid(), os.getgid()
    if user == 0 and _enter_as_root():
        return True
    if user:
        _check(_libc.unshare(NEW_EVERYTHING), "unshare")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{INSIDE} {user} 1")
    _write("/proc/self/gid_map", f"{INSIDE} {group} 1")
    return False


def _enter_as_root() -> bool:
    """Root may give the program another user, which only a process that stays outside can write down.

    False where root may not after all, as in some containers; nothing is written down then.
    """
    left, entered = os.pipe(), os.pipe()
    me = os.getpid()
    helper = os.fork()
    if helper == 0:
        os.close(left[1])
        os.read(left[0], 1)
        done = b"y"
        try:
            for kind in ("uid", "gid"):
                _write(f"/proc/{me}/{kind}_map", f"0 0 1\n{INSIDE} {OUTSIDE} 1")
        except OSError:
            done = b"n"
        os.write(entered[1], done)
        os._exit(0)
    _check(_libc.unshare(NEW_EVERYTHING), "unshare")
    os.write(left[1], b"x")
    done = os.read(entered[0], 1)
    os.waitpid(helper, 0)
    for end in (*left, *entered):
        os.close(end)
    return done == b"y"


def build_root(
    readable: Iterable[str], hidden: Iterable[str], folders: Iterable[str], scratch_bytes: int
) -> None:
    """Make a root folder in memory, with `readable` at their places, and move into it.

    What is `hidden` is empty, unless something readable lies in it. `folders` are there to be written to.
    """
    root = "/sys"  # any folder that nobody wants to read
    mount("none", "/", None, RECURSIVE | PRIVATE)
    options = f"size={scratch_bytes},nr_inodes=50000,mode=755"
    mount("tmpfs", root, "tmpfs", NO_SUID | NO_DEVICES, options)
    covered = {root, f"{root}/proc", f"{root}/dev"}
    for path in readable:
        if os.path.islink(path):
            _parents(root + path)
            os.symlink(os.readlink(path), root + path)
            continue
        _bind(path, root + path)
        for name in hidden:
            if name.startswith(path + "/") and os.path.isdir(root + name):
                mount("tmpfs", root + name, "tmpfs", NO_SUID | NO_DEVICES, "size=64k,mode=755")
                covered.add(root + name)
    os.makedirs(f"{root}/dev/shm")
    for name in DEVICES:
        if os.path.exists(f"/dev/{name}"):
            _bind(f"/dev/{name}", f"{root}/dev/{name}")
            covered.add(f"{root}/dev/{name}")
    for name, end in STANDARD.items():
        os.symlink(f"/proc/self/fd{end}", f"{root}/dev/{name}")
    for folder in ("/dev/shm", *folders):
        os.makedirs(root + folder, exist_ok=True)
        os.chown(root + folder, INSIDE, INSIDE)
    _forbid_writing(root, covered)
    os.mkdir(f"{root}/proc")
    try:
        mount("proc", f"{root}/proc", "proc", NO_SUID | NO_DEVICES | NO_EXEC)
        # A program could else make namespaces of its own, and be root there.
        _write(f"{root}/proc/sys/user/max_user_namespaces", "0")
    except OSError:
        pass  # in many containers there can be no other /proc; the outer one would show the server's memory
    os.chdir(root)
    _check(_libc.pivot_root(b".", b"."), "pivot_root")
    _check(_libc.umount2(b".", DETACH), "umount the outer world")
    os.chdir("/")


def _bind(source: str, target: str) -> None:
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    elif not os.path.exists(target):
        _parents(target)
        with open(target, "x"):
            pass
    mount(source, target, None, BIND | RECURSIVE)


def _parents(path: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)


def _forbid_writing(root: str, covered: Collection[str]) -> None:
    """Binding a folder binds what is mounted in it, and each mount is told by itself."""
    mounts = _mounts()
    top = max((number for number, (_, point, _) in mounts.items() if point == root), key=list(mounts).index)
    for number, (_, point, options) in mounts.items():
        if point not in covered and _is_below(number, top, mounts):
            kept = sum(flag for name, flag in KEPT.items() if name in options)
            mount("none", point, None, REMOUNT | BIND | READ_ONLY | NO_SUID | kept)


def _mounts() -> dict[str, tuple[str, str, list[str]]]:
    """Number of each mount -> its parent's number, where it is, how it was mounted."""
    found = {}
    with open("/proc/self/mountinfo", "rb") as file:
        for line in file:
            number, parent, _, _, point, options, *_ = line.split(b" ")
            place = os.fsdecode(point.decode("unicode_escape").encode("latin-1"))  # a blank is \\040
            found[number.decode()] = (parent.decode(), place, options.decode().split(","))
    return found


def _is_below(number: str, top: str, mounts: dict[str, tuple[str, str, list[str]]]) -> bool:
    """What the outer world has mounted at the same place lies beneath, and is none of ours."""
    for _ in mounts:
        number = mounts[number][0] if number in mounts else ""
        if number == top:
            return True
    return False


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
