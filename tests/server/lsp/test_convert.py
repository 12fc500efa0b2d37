"""Our positions and paths and the protocol's."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.lsp.convert import (
    Encoding,
    column_from_client,
    column_to_client,
    path_of,
    path_text,
    uri_of,
    without_lone_surrogates,
)

LINE = "aé汉🐦e\u0301"  # one, two, three and four bytes, then a letter with a combining mark
UNITS = {
    Encoding.UTF8: [0, 1, 3, 6, 10, 11, 13],
    Encoding.UTF16: [0, 1, 2, 3, 5, 6, 7],
    Encoding.UTF32: [0, 1, 2, 3, 4, 5, 6],
}

text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=30)


@pytest.mark.parametrize("encoding", Encoding)
def test_columns_count_the_negotiated_units(encoding: Encoding) -> None:
    """Each place between two characters has the column that the encoding gives it, both ways."""
    assert UNITS[encoding] == [column_to_client(LINE, column, encoding) for column in range(len(LINE) + 1)]
    assert list(range(len(LINE) + 1)) == [
        column_from_client(LINE, units, encoding) for units in UNITS[encoding]
    ]


@pytest.mark.parametrize(
    ("encoding", "inside", "column"),
    [(Encoding.UTF16, 4, 3), (Encoding.UTF8, 2, 1), (Encoding.UTF8, 8, 3), (Encoding.UTF8, 9, 3)],
)
def test_a_column_inside_a_character_is_before_it(encoding: Encoding, inside: int, column: int) -> None:
    """Half of a surrogate pair, or of a character's bytes, is no place; the one before it is taken."""
    assert column_from_client(LINE, inside, encoding) == column


@pytest.mark.parametrize("encoding", Encoding)
@pytest.mark.parametrize("line", ["", "abc", LINE])
def test_a_column_past_the_end_is_the_end(encoding: Encoding, line: str) -> None:
    """The protocol lets columns be larger than the line."""
    assert column_from_client(line, 10**9, encoding) == len(line)


@given(text, st.sampled_from(Encoding), st.data())
def test_columns_come_back(line: str, encoding: Encoding, data: st.DataObject) -> None:
    """Whatever the line, our column survives the way to the client and back."""
    column = data.draw(st.integers(0, len(line)))
    assert column_from_client(line, column_to_client(line, column, encoding), encoding) == column


def test_lone_surrogates_become_replacement_characters() -> None:
    """Half a pair, which no encoding can carry, is replaced one for one, so that columns stay."""
    assert without_lone_surrogates("a\ud83db🐦\udc00") == "a\ufffdb🐦\ufffd"


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/anna/a.py", "/home/anna/a.py"),
        ("FILE:///home/anna/a.py", "/home/anna/a.py"),
        ("file://localhost/a.py", "/a.py"),
        ("file:////home/anna/a.py", "/home/anna/a.py"),
        ("file:/home/anna/a.py", "/home/anna/a.py"),
        ("file:///a%20b/%C3%A9%25.py", "/a b/é%.py"),
        ("file:///c%23/a%3Fb.cs", "/c#/a?b.cs"),
        ("file:///c#/a?b;c.cs", "/c#/a?b;c.cs"),
        ("file:///a/../b/./c.py", "/b/c.py"),
        ("file:///", "/"),
        ("file://", None),
        ("file://server/share/a.py", None),
        ("untitled:Untitled-1", None),
        ("untitled:/home/anna/a.py", None),
        ("git:/home/anna/a.py?ref", None),
        ("vscode-notebook-cell:/a.ipynb#W0", None),
        ("/home/anna/a.py", None),
        ("", None),
    ],
)
def test_posix_paths(uri: str, path: str | None) -> None:
    """Names are decoded, raw question marks and hashes belong to them, and only files have a path."""
    assert path_text(uri, windows=False) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/Users/anna/a.py", "C:\\Users\\anna\\a.py"),
        ("file:///c:/Users/anna/a.py", "C:\\Users\\anna\\a.py"),
        ("file:///C:/Users/anna/a.py", "C:\\Users\\anna\\a.py"),
        ("file:///d:", "D:\\"),
        ("file://server/share/a%20b.py", "\\\\server\\share\\a b.py"),
        ("file:///home/anna/a.py", None),
        ("untitled:Untitled-1", None),
    ],
)
def test_windows_paths(uri: str, path: str | None) -> None:
    """Drive letters are the same drive however they are written, and hosts are network shares."""
    assert path_text(uri, windows=True) == path


@pytest.mark.skipif(os.name == "nt", reason="file names are bytes on POSIX only")
@given(st.binary(min_size=1, max_size=20))
def test_every_file_name_comes_back(name: bytes) -> None:
    """A path survives the way to its URI and back, even where its name is no UTF-8."""
    path = Path("/w", os.fsdecode(name.replace(b"/", b"_").replace(b"\0", b"_")))
    if path.name not in ("", ".", ".."):
        assert path_of(uri_of(path)) == path
