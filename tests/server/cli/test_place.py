"""``FILE:LINE:COL`` is read forgivingly, and what was forgiven is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.cli.errors import InputNotFound, UsageError
from bowerbird.cli.place import PLACE, read_place, workspace_of
from bowerbird.text import Position

TEXT = "one\ntwo words\n\nlast"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "odd: name.py"
    path.write_bytes(TEXT.replace("\n", "\r\n").encode())
    return path


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [
        (2, 4, (1, 3)),
        (1, 1, (0, 0)),
        (2, 10, (1, 9)),  # behind the last character
        (2, 99, (1, 9)),
        (2, 0, (1, 0)),
        (2, -5, (1, 0)),
        (3, 7, (2, 0)),
        (0, 1, (0, 0)),
        (-3, 2, (0, 0)),
        (99, 1, (3, 4)),
    ],
)
def test_positions_are_clamped_and_that_is_said(
    file: Path, line: int, column: int, expected: tuple[int, int]
) -> None:
    """A place outside the text becomes the nearest one, with a sentence; one inside has none."""
    place = read_place(f"{file}:{line}:{column}")

    assert place.position == Position(*expected)
    moved = (line, column) != (expected[0] + 1, expected[1] + 1)
    assert bool(place.note) == moved
    if moved:
        assert f"took {expected[0] + 1}:{expected[1] + 1}" in place.note


def test_line_ends_of_windows_do_not_count(file: Path) -> None:
    """The text has the line ends that the rest of Bowerbird counts with."""
    assert read_place(f"{file}:1:1").text == TEXT


@pytest.mark.parametrize(
    "argument", ["", "shop.py", "shop.py:3", "shop.py:x:y", "shop.py:3:", ":3:4", "shop.py:3:4:"]
)
def test_what_names_no_place_is_a_usage_error(argument: str) -> None:
    """The message shows how a place is written."""
    with pytest.raises(UsageError, match="FILE:LINE:COL"):
        read_place(argument)


def test_drive_letters_are_part_of_the_file() -> None:
    """A path of Windows may hold a colon."""
    match = PLACE.fullmatch(r"C:\shop\cart.py:12:9")

    assert match is not None
    assert (match["file"], match["line"], match["column"]) == (r"C:\shop\cart.py", "12", "9")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    """One sentence that names it."""
    with pytest.raises(InputNotFound, match="There is no file"):
        read_place(f"{tmp_path / 'gone.py'}:1:1")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """The system's own reason is passed on."""
    with pytest.raises(InputNotFound, match="cannot be read"):
        read_place(f"{tmp_path}:1:1")


def test_a_binary_file_is_told(tmp_path: Path) -> None:
    """No code stands in it."""
    path = tmp_path / "image.png"
    path.write_bytes(b"\x89PNG\r\n\0\0")

    with pytest.raises(InputNotFound, match="binary"):
        read_place(f"{path}:1:1")


def test_bytes_that_are_no_utf8_are_survived(tmp_path: Path) -> None:
    """They become replacement characters, one column each."""
    path = tmp_path / "latin.py"
    text = "# Größe in Metern, wie sie früher war\n"
    path.write_bytes(text.encode("latin-1"))

    place = read_place(f"{path}:1:9")

    assert place.text == text.replace("ö", "\ufffd").replace("ß", "\ufffd").replace("ü", "\ufffd")
    assert place.position == Position(0, 8)


def test_the_workspace_is_the_checkout_around_the_file(tmp_path: Path) -> None:
    """The nearest parent with .git (a folder, or the file of a worktree); else the file's own folder."""
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    path = inner / "a.py"

    assert workspace_of(path) == inner
    (tmp_path / "outer" / ".git").mkdir()
    assert workspace_of(path) == tmp_path / "outer"
    (inner / ".git").write_text("gitdir: elsewhere\n")
    assert workspace_of(path) == inner
