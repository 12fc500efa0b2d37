"""The soup that lasts: programs, and what checkers said of them."""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.knowledge import soup as module
from bowerbird.knowledge.soup import Entry, Soup, soup_file

SOUND = Entry(requirement="sum of a list", language="python", program="sum(items)", passed=True, by="python")
FAULTY = replace(SOUND, program="a = 1\nsun(items)", passed=False, feedback="no such name: sun", line=2)
DAY_S = 86_400.0


class Clock:
    now = 1_000_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "soups" / "one.jsonl"


def opened(path: Path, clock: Clock) -> Soup:
    return Soup(path, lambda text: "SECRET" in text, clock)


def kept(path: Path, clock: Clock) -> list[str]:
    """The programs that a fresh reader finds."""
    return [entry.program for entry in opened(path, clock).entries]


def filled(path: Path, clock: Clock, *entries: Entry) -> Soup:
    soup = opened(path, clock)
    for entry in entries:
        soup.add(entry)
    soup.save()
    return soup


def test_it_lasts(path: Path, clock: Clock) -> None:
    """What was saved is there for the next session, whole and in order."""
    soup = filled(path, clock, SOUND, FAULTY)
    assert opened(path, clock).entries == soup.entries
    assert [entry.program for entry in soup.of("python")] == [SOUND.program, FAULTY.program]
    assert soup.of("ring") == ()


def test_the_line_that_a_message_speaks_of() -> None:
    """For a prompt: the message and the line, not the whole program."""
    assert FAULTY.faulty_line == "sun(items)"
    assert replace(FAULTY, line=9).faulty_line == replace(FAULTY, line=0).faulty_line == ""


def test_the_same_program_once(path: Path, clock: Clock) -> None:
    """Saved again it is newer, and what was learned of its use stays."""
    soup = filled(path, clock, SOUND, FAULTY)
    soup.served([SOUND.key], passed=True)
    soup.add(replace(SOUND, by="ruff"))
    assert [(entry.program, entry.successes) for entry in soup.entries] == [
        (FAULTY.program, 0),
        (SOUND.program, 1),
    ]


def test_secrets_stay_out(path: Path, clock: Clock) -> None:
    """Neither written nor, should somebody else have written one, read."""
    soup = filled(path, clock, SOUND, replace(SOUND, program="key = 'SECRET'"))
    assert [entry.program for entry in soup.entries] == [SOUND.program]
    path.write_text(path.read_text().replace("sum(items)", "SECRET"))
    assert kept(path, clock) == []


def test_old_entries_end(path: Path, clock: Clock) -> None:
    """A verdict of long ago is of another toolchain; one from the future is of a broken clock."""
    filled(path, clock, SOUND)
    clock.now += 59 * DAY_S
    assert kept(path, clock) == [SOUND.program]
    clock.now += 2 * DAY_S
    assert kept(path, clock) == []
    clock.now -= 100 * DAY_S
    assert kept(path, clock) == []


def test_what_leads_astray_ends(path: Path, clock: Clock) -> None:
    """An entry that was shown for programs that failed loses its place, unless it helped as often."""
    soup = filled(path, clock, SOUND, FAULTY)
    for _ in range(3):
        soup.served([SOUND.key, FAULTY.key, "unknown"], passed=False)
    soup.served([FAULTY.key], passed=True)
    soup.save()
    assert kept(path, clock) == [FAULTY.program]


def test_the_size_is_capped(path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest stay, by number and by bytes; a huge program never enters."""
    monkeypatch.setattr(module, "MAX_ENTRIES", 3)
    many = [replace(SOUND, program=f"x = {number}") for number in range(9)]
    filled(path, clock, *many, replace(SOUND, program="x" * 10_000))
    assert kept(path, clock) == ["x = 6", "x = 7", "x = 8"]
    monkeypatch.setattr(module, "MAX_BYTES", len(path.read_bytes()) * 3 // 5)
    assert kept(path, clock) == ["x = 8"]


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b'{"program": 1}\n[]\nnull', b"\0" * 100])
def test_a_broken_file(path: Path, clock: Clock, content: bytes) -> None:
    """Is an empty soup, and can be saved over."""
    path.parent.mkdir()
    path.write_bytes(content)
    assert kept(path, clock) == []
    filled(path, clock, SOUND)
    assert kept(path, clock) == [SOUND.program]


def test_clear(path: Path, clock: Clock) -> None:
    """The user can have it forgotten."""
    soup = filled(path, clock, SOUND, FAULTY)
    assert soup.clear() == 2
    assert not path.exists()
    assert soup.entries == ()
    assert soup.clear() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="rights are another matter there")
def test_only_the_owner_can_read_it(path: Path, clock: Clock) -> None:
    """The file and its folder; nothing half written is left."""
    filled(path, clock, SOUND)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert os.listdir(path.parent) == [path.name]


def test_one_file_for_each_workspace(tmp_path: Path) -> None:
    """By the folder's real path."""
    one, link = tmp_path / "one", tmp_path / "link"
    one.mkdir()
    link.symlink_to(one)
    assert soup_file(one) == soup_file(link) != soup_file(tmp_path)


def test_two_servers_share_a_file(path: Path, clock: Clock) -> None:
    """What one has learned the other keeps, and knows from then on."""
    one, other = opened(path, clock), opened(path, clock)
    for soup, entry in ((one, SOUND), (other, FAULTY)):
        soup.add(entry)
    one.save()
    other.save()
    assert set(kept(path, clock)) == {SOUND.program, FAULTY.program}
    assert len(one.entries) == 2


def test_cleared_by_another_process(path: Path, clock: Clock) -> None:
    """What the user has had forgotten does not come back with the next save."""
    soup = filled(path, clock, SOUND)
    opened(path, clock).clear()
    soup.add(FAULTY)
    soup.save()
    assert kept(path, clock) == [FAULTY.program]
