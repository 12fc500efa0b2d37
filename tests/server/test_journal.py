"""Lines on disk: only the last are kept, damage costs the damaged ones, and no trouble reaches the writer."""

from __future__ import annotations

import logging
import os
import stat
import threading
from pathlib import Path

import pytest

from bowerbird.journal import LastLines, Writer, append_line, clear, files_in, prune, read_lines, state_folder

BIG = 1_000_000


def numbers(path: Path) -> list[int]:
    return [line["n"] for line in read_lines(path)]


def test_the_state_folder_is_the_users() -> None:
    """Where the operating system wants such files."""
    assert state_folder() == Path(os.environ["XDG_STATE_HOME"]) / "bowerbird"


def test_only_the_last_lines_are_kept(tmp_path: Path) -> None:
    """The file grows to twice as many and is then written anew."""
    lines = LastLines(tmp_path / "deep" / "a.jsonl", keep=3, max_bytes=BIG)
    seen = []
    for number in range(12):
        lines.append({"n": number})
        seen.append(numbers(lines.path))

    assert all(found[-3:] == list(range(12))[max(0, n - 2) : n + 1] for n, found in enumerate(seen))
    assert max(map(len, seen)) == 6


def test_many_bytes_are_too_many(tmp_path: Path) -> None:
    """The oldest lines go first; one that is too long by itself is not kept, and does no harm."""
    lines = LastLines(tmp_path / "a.jsonl", keep=50, max_bytes=300)
    for number in range(20):
        lines.append({"n": number, "text": "x" * 80})
        assert lines.path.stat().st_size <= 600
    assert numbers(lines.path)[-2:] == [18, 19]

    lines.append({"n": 20, "text": "x" * 1000})
    lines.append({"n": 21})
    assert numbers(lines.path) == [21]


def test_only_the_owner_can_read(tmp_path: Path) -> None:
    """Traces hold code."""
    path = tmp_path / "deep" / "a.jsonl"
    lines = LastLines(path, keep=1, max_bytes=BIG)
    for number in range(4):
        lines.append({"n": number})
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    append_line(tmp_path / "deep" / "b.jsonl", {}, BIG)
    assert stat.S_IMODE((tmp_path / "deep" / "b.jsonl").stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_what_the_user_removes_does_not_come_back(tmp_path: Path) -> None:
    """A server that runs on begins anew."""
    lines = LastLines(tmp_path / "a.jsonl", keep=2, max_bytes=BIG)
    lines.append({"n": 1})
    lines.append({"n": 2})
    assert clear(tmp_path) == 1
    for number in range(3, 9):
        lines.append({"n": number})
        assert min(numbers(lines.path)) >= 3


@pytest.mark.parametrize(
    "damage",
    [b'{"n": 3', b"\xff\xfe\0", b"[1]", b"[" * 100_000, b"null", b'{"n": 1e999999}x', b"\r\n \r"],
)
def test_damaged_lines_are_skipped(tmp_path: Path, damage: bytes) -> None:
    """Torn by a crash, or by anything else; what was written before and behind is read."""
    path = tmp_path / "a.jsonl"
    append_line(path, {"n": 1}, BIG)
    with path.open("ab") as file:
        file.write(b"\n" + damage)
    append_line(path, {"n": 2}, BIG)

    assert numbers(path) == [1, 2]


def test_no_file_has_no_lines(tmp_path: Path) -> None:
    """Nor has a folder, nor one that is a file."""
    (tmp_path / "file").touch()
    assert [*read_lines(tmp_path / "none"), *read_lines(tmp_path), *read_lines(tmp_path / "file" / "a")] == []
    assert files_in(tmp_path / "none") == []
    assert clear(tmp_path / "none") == 0


def test_a_shared_file_has_an_end(tmp_path: Path) -> None:
    """A month of figures does not fill the disk."""
    path = tmp_path / "a.jsonl"
    append_line(path, {"n": 1}, max_bytes=20)
    with pytest.raises(OSError, match="20 bytes"):
        append_line(path, {"n": 2, "text": "much more than fits"}, max_bytes=20)
    assert numbers(path) == [1]


def test_old_files_are_removed(tmp_path: Path) -> None:
    """The newest few stay, if they are not too old; what a crashed server left half-written goes too."""
    for number in range(5):
        path = tmp_path / f"{number}.jsonl"
        append_line(path, {"n": number}, BIG)
        os.utime(path, (number * 100, number * 100))
    torn = tmp_path / "0.jsonl.new"
    torn.touch()
    os.utime(torn, (0, 0))
    (tmp_path / "notes.txt").touch()

    prune(tmp_path, keep=3)
    assert [path.name for path in files_in(tmp_path)] == ["2.jsonl", "3.jsonl", "4.jsonl"]
    prune(tmp_path, keep=3, not_before=350)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["4.jsonl", "notes.txt"]


def test_the_writer_works_in_order_and_beside(tmp_path: Path) -> None:
    """All is written by the time it is closed, and not by the caller's thread."""
    writer, threads = Writer(), set()
    lines = LastLines(tmp_path / "a.jsonl", keep=50, max_bytes=BIG)

    def write(number: int) -> None:
        threads.add(threading.current_thread().name)
        lines.append({"n": number})

    for number in range(20):
        writer.run(lambda number=number: write(number))  # type: ignore[misc]
    writer.close(timeout_s=10)
    writer.close(timeout_s=10)

    assert numbers(lines.path) == list(range(20))
    assert threads == {"journal"}


def test_a_folder_that_cannot_be_written_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The server goes on; when the folder is mended the lines come again, those that waited included."""
    writer = Writer()
    (tmp_path / "folder").write_text("a file where the folder should be")
    lines = LastLines(tmp_path / "folder" / "a.jsonl", keep=50, max_bytes=BIG)
    with caplog.at_level(logging.WARNING):
        for number in range(3):
            writer.run(lambda number=number: lines.append({"n": number}))  # type: ignore[misc]
        writer.close(timeout_s=10)
    assert len(caplog.records) == 1
    assert "not kept" in caplog.text

    (tmp_path / "folder").unlink()
    lines.append({"n": 3})
    assert numbers(lines.path) == [0, 1, 2, 3]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
def test_a_full_disk_is_an_error_for_the_writer_alone(tmp_path: Path) -> None:
    """The device refuses; nothing is left half-written."""
    (tmp_path / "a.jsonl").symlink_to("/dev/full")
    with pytest.raises(OSError, match="space"):
        append_line(tmp_path / "a.jsonl", {"n": 1}, BIG)


def test_a_line_that_fits_only_in_part_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk can run full in the midst of a line; the file is then written anew, without the torn one."""
    lines = LastLines(tmp_path / "a.jsonl", keep=50, max_bytes=BIG)
    lines.append({"n": 1})
    write = os.write
    with monkeypatch.context() as full:
        full.setattr(os, "write", lambda file, data: write(file, data[:4]))
        for number in (2, 3):
            with pytest.raises(OSError, match="full"):
                lines.append({"n": number})
    assert numbers(lines.path) == [1]
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]

    lines.append({"n": 4})
    assert numbers(lines.path) == [1, 2, 3, 4]


def test_a_disk_that_hangs_does_not_fill_the_memory() -> None:
    """What cannot be written soon is not written; closing does not wait for ever."""
    writer, may_go_on, done = Writer(), threading.Event(), []
    writer.run(may_go_on.wait)
    for number in range(5000):
        writer.run(lambda number=number: done.append(number))  # type: ignore[misc]
    writer.close(timeout_s=0.01)
    may_go_on.set()
    assert len(done) <= 256
