"""Where the user's compilers and interpreters are, and what they need to be able to read."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path

SYSTEM_PREFIXES = frozenset(map(Path, ("/", "/usr", "/usr/local")))
"""Where programs stand that need nothing but the system's folders."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """An executable, and what it stands on."""

    executable: Path
    readable: tuple[Path, ...] = ()
    """Beyond the system's own folders."""

    @property
    def path(self) -> str:
        """The PATH of what runs it: its own folder first, where its companions are."""
        return f"{self.executable.parent}:/usr/local/bin:/usr/bin:/bin"


Locate = Callable[[Sequence[str]], Iterator[Toolchain]]


def on_path(names: Sequence[str], extra: Sequence[str] = ()) -> Iterator[Toolchain]:
    """The executables of these names, as far as the PATH's absolute folders have them.

    A folder such as ``.`` would give a workspace the say over which program is started.
    """
    seen = set()
    folders = [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)]
    for name in names:
        for folder in (*folders, *extra):
            path = Path(folder, name)
            if path.is_file() and os.access(path, os.X_OK):
                real = path.resolve()
                if real not in seen:
                    seen.add(real)
                    yield Toolchain(path, _stands_on(path, real))


def rust(names: Sequence[str]) -> Iterator[Toolchain]:
    """Rust's toolchains. Where `rustup` keeps them, its default: what is on the PATH only asks `rustup`."""
    for found in on_path(names):
        real = found.executable.resolve()
        if real.name != "rustup":
            yield found
            continue
        for home in (os.environ.get("RUSTUP_HOME"), Path.home() / ".rustup", real.parents[2] / ".rustup"):
            folder = _default_toolchain(Path(home)) if home else None
            if folder is not None and (folder / "bin" / found.executable.name).is_file():
                yield Toolchain(folder / "bin" / found.executable.name, (folder,))
                break


def _default_toolchain(rustup: Path) -> Path | None:
    try:
        settings = tomllib.loads((rustup / "settings.toml").read_text())
        name, host = str(settings["default_toolchain"]), str(settings.get("default_host_triple", ""))
    except (OSError, ValueError, KeyError):
        return None
    folders = (rustup / "toolchains" / name, rustup / "toolchains" / f"{name}-{host}")
    return next((folder for folder in folders if folder.is_dir()), None)


def java(names: Sequence[str]) -> Iterator[Toolchain]:
    """Debian keeps a part of Java in /etc."""
    for found in on_path(names):
        yield Toolchain(found.executable, (*found.readable, *map(Path, glob("/etc/java-*"))))


def python(names: Sequence[str]) -> Iterator[Toolchain]:
    """Pythons; what `pyenv` puts on the PATH are scripts that choose among its own."""
    home = os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv"
    yield from on_path(names, sorted(glob(f"{home}/versions/*/bin"), reverse=True))


def _stands_on(path: Path, real: Path) -> tuple[Path, ...]:
    """The folders in which an installation lies that has a ``bin``; else the bare executable.

    Never a folder as large as a home, or ``~/.local``: others of the user's things lie there, too.
    """
    home = Path.home()
    needed = []
    for executable in (path, real):
        prefix = executable.parent.parent
        if prefix in SYSTEM_PREFIXES:
            continue
        is_installation = executable.parent.name in ("bin", "sbin") and not (
            prefix == home or prefix in home.parents or prefix == home / ".local"
        )
        needed.append(prefix if is_installation else executable)
    return tuple(dict.fromkeys(needed))
