"""Folders of shared models come and go, and two processes never both hold the lock of one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bowerbird.inference.broker import take_lock
from bowerbird.inference.broker_place import NOTE, SOCKET, private_folder
from bowerbird.inference.broker_sweep import remove_place, sweep
from bowerbird.knowledge.store import lock
from bowerbird.knowledge.store.lock import WriterLock

KEY = "0123456789abcdef"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return private_folder(private_folder(tmp_path / "meeting") / KEY)


def test_what_a_killed_broker_left_is_removed(place: Path) -> None:
    """Its note, begun ones too, its socket and its lock; whatever else stands there stays."""
    other = private_folder(place.with_name(KEY[::-1]))
    for name in ("lock", NOTE, SOCKET, f"{NOTE}.123"):
        (place / name).touch()
        (other / name).touch()
    (other / "mine").touch()
    sweep(place.parent)
    assert not place.exists()
    assert [left.name for left in other.iterdir()] == ["mine"]


def test_what_is_in_use_or_not_ours_stays(place: Path, tmp_path: Path) -> None:
    """A locked one, one that others may enter, a link, another name, a file."""
    held = WriterLock(place)
    assert held.acquire()
    names = ("f" * 16, "e" * 16, "d" * 16, "notes")
    wide, link, file, foreign = (place.with_name(name) for name in names)
    wide.mkdir()
    wide.chmod(0o755)
    private_folder(tmp_path / "elsewhere")
    link.symlink_to(tmp_path / "elsewhere")
    file.touch()
    private_folder(foreign)
    before = set(place.parent.rglob("*"))
    sweep(place.parent)
    assert set(place.parent.rglob("*")) == before
    sweep(tmp_path / "none")
    held.release()
    sweep(place.parent)
    assert not place.exists()


async def test_who_is_about_to_lock_begins_anew(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody removed the folder between opening the lock's file and locking it: that lock is none."""
    really, removed = lock._lock, 0

    def remove_before(descriptor: int) -> bool:
        nonlocal removed
        if removed < 2:
            removed += 1
            (place / "lock").unlink()
            place.rmdir()
        return really(descriptor)

    monkeypatch.setattr(lock, "_lock", remove_before)
    late = WriterLock(place)
    assert not late.acquire()
    assert not late.held
    held = await take_lock(place)
    assert held is not None
    assert removed == 2
    assert not WriterLock(place).acquire(), "whoever comes now sees it"
    held.release()


def test_one_at_a_time_holds_it_whoever_removes_it(place: Path) -> None:
    """Several take and remove the same folder as fast as they can; who holds it keeps all others out."""

    def take_and_remove(_: int) -> int:
        kept_out = 0
        while kept_out < 200:
            held = WriterLock(place)
            try:
                private_folder(place)
                if not held.acquire():
                    continue
            except (FileNotFoundError, FileExistsError):
                continue
            assert not WriterLock(place).acquire()
            kept_out += 1
            remove_place(place, held)
        return kept_out

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(take_and_remove, range(4))) == 800
    assert not place.exists()
