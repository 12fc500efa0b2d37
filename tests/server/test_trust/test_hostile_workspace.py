"""A folder that somebody made to do harm is indexed, or left out, and hurts nobody."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from looked import THROUGH, look_at

from bowerbird.assembly import Assembly, assemble
from bowerbird.lsp.options import read_settings
from bowerbird.retrieval.retriever import Query
from bowerbird.settings import IndexSettings, Settings

PATIENCE_S = 60.0
LOOK = """
from bowerbird.knowledge.reading import text_exclusion
from bowerbird.knowledge.secrets import holds_secret, redact
holds_secret(text)
redact(text)
text_exclusion(text)
"""
POSIX = pytest.mark.skipif(os.name == "nt", reason="files that only POSIX has")
CODE = "def heron(price):\n    return price * 2\n"


def indexed(folder: Path, **settings: int) -> Assembly:
    """The folder's index; fails where reading it does not end."""
    index = IndexSettings(store=False, **settings)  # type: ignore[arg-type]
    assembly = assemble(Settings(index=index), [folder])
    done = threading.Thread(target=assembly.repository.scan, daemon=True)
    done.start()
    done.join(PATIENCE_S)
    assert not done.is_alive(), "reading does not end"
    return assembly


def names(assembly: Assembly) -> set[str]:
    return {source.name for source in assembly.repository.sources()}


def plant_huge(folder: Path) -> None:
    with (folder / "huge.py").open("wb") as file:
        file.truncate(3 << 40)  # a hole of three terabytes


def plant_deep(folder: Path) -> None:
    deep = folder
    for _ in range(300):
        deep = deep / "d"
        deep.mkdir()
    (deep / "deep.py").write_text("x = 1\n")


def plant_loop(folder: Path) -> None:
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "self").symlink_to("self")
    (folder / "one").symlink_to("two")
    (folder / "two").symlink_to("one")


def plant_links_out(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "private.py").write_text("private_heron = 1\n")
    (folder / "out").symlink_to(outside, target_is_directory=True)
    (folder / "out.py").symlink_to(outside / "private.py")
    (folder / "passwd.py").symlink_to("/etc/passwd")


def plant_names(folder: Path) -> None:
    odd = ("new\nline.py", "tab\t.py", "-rf.py", "$(touch x).py", "a" * 250 + ".py", "\u202egpj.py", "con.py")
    for name in odd:
        (folder / name).write_text(f"x = {len(name)}\n")
    Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff\xfe.py")).write_text("x = 1\n")


def plant_special(folder: Path) -> None:
    os.mkfifo(folder / "pipe.py")
    with socket.socket(socket.AF_UNIX) as door:
        before = Path.cwd()
        os.chdir(folder)
        try:
            door.bind("socket.py")
        finally:
            os.chdir(before)
    (folder / "zero.py").symlink_to("/dev/zero")
    (folder / "pipe.gitignore").mkdir()
    os.mkfifo(folder / "pipe.gitignore" / ".gitignore")


def plant_encodings(folder: Path) -> None:
    for coding in ("utf-16", "utf-32", "latin-1", "utf-8-sig", "cp037"):
        (folder / f"{coding}.py").write_bytes("höhe = 'ü'\n".encode(coding))
    (folder / "bytes.py").write_bytes(bytes(range(256)) * 50)


def plant_ignore_bomb(folder: Path) -> None:
    (folder / ".gitignore").write_text(
        "a*" * 5000 + "b\n" + "**/a*/**/b*/**/c\n" * 5000 + "[" * 9999 + "\n!\n\\\n"
    )
    (folder / ("a" * 200 + ".py")).write_text("x = 1\n")


def plant_minified(folder: Path) -> None:
    (folder / "app.min.js").write_text("var a=1;" * 100_000)
    (folder / "nested.py").write_text("(" * 200_000)
    (folder / "nested.json").write_text("[" * 200_000)
    (folder / "quotes.py").write_text('"' * 200_000)


def plant_settings(folder: Path) -> None:
    model, program = '{"model": "http://evil.invalid"}', '{"llamaServer": "./evil"}'
    evil = f'{{"bowerbird": {{"completion": {model}, "inference": {program}}}}}'
    for name in (".vscode/settings.json", "bowerbird.json", ".bowerbird.json", "pyproject.toml", ".env"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(evil)
    (folder / "bowerbird").mkdir()
    (folder / "bowerbird" / "__init__.py").write_text("raise SystemExit('the workspace was run')\n")
    (folder / "sitecustomize.py").write_text("raise SystemExit('the workspace was run')\n")


PLANTS: dict[str, Callable[[Path], None]] = {
    "huge files": plant_huge,
    "deep folders": plant_deep,
    "loops of links": plant_loop,
    "links out of the folder": plant_links_out,
    "odd names": plant_names,
    "pipes, sockets, devices": plant_special,
    "odd encodings": plant_encodings,
    "a .gitignore made to be slow": plant_ignore_bomb,
    "minified and nested": plant_minified,
    "settings": plant_settings,
}


@POSIX
@pytest.mark.parametrize("plant", PLANTS)
def test_the_index_bears_it(tmp_path: Path, plant: str) -> None:
    """Reading ends, and the honest file beside is found."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "honest.py").write_text(CODE)
    PLANTS[plant](folder)
    assembly = indexed(folder)
    assert "honest.py" in names(assembly)
    hits = assembly.retriever.retrieve(Query("heron price"), 5)
    assert hits[0].snippet.name == "honest.py"
    assert not any(
        name.startswith(("out", "loop", "passwd", "zero", "pipe", "huge")) for name in names(assembly)
    )
    asyncio.run(assembly.close())


@POSIX
def test_files_vanish_and_change_while_they_are_read(tmp_path: Path) -> None:
    """What is gone is not there, what is a pipe now is not waited for."""
    folder, stop = tmp_path / "work", threading.Event()
    folder.mkdir()
    (folder / "honest.py").write_text(CODE)

    def meddle() -> None:
        while not stop.is_set():
            for number in range(40):
                path = folder / f"f{number}.py"
                path.write_text("x = 1\n" * number)
                if number % 3 == 0:
                    path.unlink()
                elif number % 3 == 1:
                    path.unlink()
                    os.mkfifo(path)
                    path.unlink()
                    path.mkdir()
                    path.rmdir()

    meddler = threading.Thread(target=meddle)
    meddler.start()
    try:
        for _ in range(3):
            assert "honest.py" in names(indexed(folder))
    finally:
        stop.set()
        meddler.join()


def test_caps_hold(tmp_path: Path) -> None:
    """So many files and no more, so many bytes and no more."""
    for number in range(60):
        (tmp_path / f"f{number}.py").write_text(f"x = {number}\n" * 100)
    assert len(names(indexed(tmp_path, max_files=20))) == 20
    assert not names(indexed(tmp_path, max_file_bytes=100))


@pytest.mark.parametrize(
    "text",
    [
        "password" * 50_000,
        "key = '" + "a" * 300_000,
        "key: " + "[a.b|" * 60_000 + "= x",
        "://a:" * 80_000,
        "-----BEGIN RSA PRIVATE KEY-----\n" * 20_000,
        "secret " + " " * 300_000 + "= 'x'",
        "a" * 400_000,
        ("Ab1+/" * 4 + " ") * 15_000,
        "# generated " * 30_000,
        "token\"'] : " * 30_000,
    ],
    ids=lambda text: text[:12].strip(),
)
def test_patterns_are_not_led_astray(text: str) -> None:
    """Texts made to have our expressions go back and forth are through within a minute, not years.

    In a process that can be ended: an expression holds the interpreter until it is through.
    """
    assert look_at(LOOK, text) == (0, THROUGH)


def test_what_goes_astray_is_seen() -> None:
    """The same with an expression that does go back and forth, so the above means something."""
    code, said = look_at("import re\nre.fullmatch('(a|a)*b', text)\n", "a" * 100, patience_s=1)
    assert code != 0
    assert not said


@pytest.mark.parametrize("broken", [{"completion": {"model": ["x"]}}, {"index": {"exclude": "x" * 9}}, [], 7])
def test_wrong_settings_are_told_and_not_used(broken: object) -> None:
    """A value of a wrong kind leaves the default."""
    settings, problems = read_settings({"bowerbird": broken} if not isinstance(broken, dict) else broken)
    assert settings.completion.model == ""
    assert settings.index.exclude == ()
    assert problems or not isinstance(broken, dict)
