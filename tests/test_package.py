"""What is installed is complete: a wheel holds the model, the queries and the types, and no more."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parent.parent
SERVER = ROOT / "server"
PACKAGES = sorted(path.parent.name for path in SERVER.glob("*/__init__.py"))
INGREDIENTS = ("pyproject.toml", "README.md", "LICENSE")
COMPILED = (".so", ".pyd")
UNPACKED = shutil.ignore_patterns("__pycache__", *(f"*{suffix}" for suffix in COMPILED))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    """The project's wheel, built from a copy, without the network."""
    copy, target = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("wheel")
    for name in INGREDIENTS:
        shutil.copy(ROOT / name, copy)
    for package in PACKAGES:
        shutil.copytree(SERVER / package, copy / "server" / package, ignore=UNPACKED)
    shutil.copytree(ROOT / "grammars", copy / "grammars")
    build = f"from setuptools import build_meta; build_meta.build_wheel({str(target)!r})"
    done = subprocess.run(
        [sys.executable, "-c", build], cwd=copy, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return ZipFile(next(target.glob("*.whl")))


def test_the_wheel_holds_every_file_of_the_packages(wheel: ZipFile) -> None:
    """Whatever lies in a package under ``server`` is installed, and nothing else."""
    paths = [path for package in PACKAGES for path in (SERVER / package).rglob("*") if path.is_file()]
    there = {path.relative_to(SERVER).as_posix() for path in paths}
    packed = {name for name in wheel.namelist() if ".dist-info/" not in name and not name.endswith(COMPILED)}
    assert packed == {name for name in there if "__pycache__" not in name and not name.endswith(COMPILED)}


def test_the_wheel_holds_our_grammars(wheel: ZipFile) -> None:
    """The library of our grammars was compiled on the way."""
    (library,) = (name for name in wheel.namelist() if name.endswith(COMPILED))
    assert library.startswith("bowerbird/syntax/_grammars.")


def test_our_grammars_need_nothing_that_is_not_listed() -> None:
    """All sources of our grammars, and the headers that they include, go into a source archive."""
    (extension,) = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["ext-modules"]
    listed = {ROOT / name for name in (*extension["sources"], *extension["depends"])}
    assert set((ROOT / "grammars").glob("tree-sitter-*/src/*.c")) <= listed
    for source in listed:
        for header in re.findall(r'^#include "(.+)"', source.read_text(), re.MULTILINE):
            assert source.parent / header in listed or source.parent.parent / header in listed


@pytest.mark.parametrize("what", ["py.typed", ".gguf", ".scm"])
def test_the_wheel_holds_more_than_modules(wheel: ZipFile, what: str) -> None:
    """The mark of types, a model and tree-sitter queries are among the files."""
    assert any(name.endswith(what) for name in wheel.namelist())


def test_the_wheel_brings_the_command(wheel: ZipFile) -> None:
    """Installing it gives the user `bowerbird`."""
    (entry_points,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert b"bowerbird = bowerbird.cli.app:main" in wheel.read(entry_points)
