"""Documents as the editor has them."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from bowerbird.lsp.convert import Encoding, column_to_client, key_of
from bowerbird.lsp.documents import BINARY, TOO_LARGE, Document, Documents, split_lines
from bowerbird.text import Position

URI = "file:///w/a.py"


def document(text: str, uri: str = URI) -> Document:
    return Documents().open(types.TextDocumentItem(uri, "python", 1, text))


def part(text: str, *places: int) -> types.TextDocumentContentChangePartial:
    """A change of the range from line, column to line, column."""
    a, b, c, d = places
    return types.TextDocumentContentChangePartial(
        types.Range(types.Position(a, b), types.Position(c, d)), text
    )


def whole(doc: Document) -> str:
    return "".join(doc.lines)


def test_lines_end_as_the_protocol_says() -> None:
    """Form feeds and Unicode's separators are characters of a line like others."""
    assert split_lines("a\fb\u2028c\x85\nd\r\ne\rf\x0b") == ("a\fb\u2028c\x85\n", "d\r\n", "e\r", "f\x0b")
    assert split_lines("") == ("",)
    assert split_lines("\n") == ("\n", "")


@pytest.mark.parametrize("encoding", Encoding)
def test_an_edit_behind_an_emoji(encoding: Encoding) -> None:
    """The same edit, in whatever units the client counts, changes the same character."""
    doc = document("x\nbird = '🐦'; n = 1\n")
    column = column_to_client("bird = '🐦'; n = 1", 16, encoding)
    after = doc.changed(2, part("2", 1, column, 1, column + 1), encoding)
    assert whole(after) == "x\nbird = '🐦'; n = 2\n"
    assert after.version == 2


def test_edits_apply_one_upon_the_other() -> None:
    """Each change of a notification counts from the text that the one before has left."""
    documents = Documents()
    documents.open(types.TextDocumentItem(URI, "python", 1, "ab\n"))
    documents.change(URI, 2, [part("12\n", 0, 0, 0, 0), part("3", 1, 1, 1, 2)], Encoding.UTF16)
    kept = documents.get(URI)
    assert kept is not None
    assert kept.text == "12\na3\n"


def test_a_change_without_a_range_replaces_everything() -> None:
    """Clients may always send the whole text."""
    change = types.TextDocumentContentChangeWholeDocument("new\r\n")
    assert document("old\n").changed(2, change, Encoding.UTF16).lines == ("new\r\n", "")


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ((0, 99), Position(0, 2)),
        ((99, 0), Position(2, 1)),
        ((1, 1), Position(1, 0)),
        ((2**31 - 1, 2**31 - 1), Position(2, 1)),
    ],
)
def test_positions_are_clamped(place: tuple[int, int], expected: Position) -> None:
    """A place that does not exist is the nearest one before it, and never behind a line's end."""
    assert document("ab\r\n\r\nc").position(types.Position(*place), Encoding.UTF16) == expected


def test_edits_out_of_range_change_what_exists() -> None:
    """An edit that reaches past the end removes up to the end; one with its ends swapped is read right."""
    doc = document("ab\ncd")
    assert whole(doc.changed(2, part("!", 1, 1, 9, 9), Encoding.UTF16)) == "ab\nc!"
    assert whole(doc.changed(2, part("", 1, 1, 0, 1), Encoding.UTF16)) == "ad"


def test_split_normalises_line_ends() -> None:
    """Whatever the document's line ends, what stands before and behind the cursor has newlines."""
    doc = document("a\r\nb = 1\r\nc\r")
    assert doc.split(Position(1, 3)) == ("a\nb =", " 1\nc\n")
    assert doc.line_end == "\r\n"
    assert document("a").line_end == "\n"


def test_an_unknown_document_is_none() -> None:
    """A change or a close of a document that was never opened is no error."""
    documents = Documents()
    assert documents.change(URI, 2, [part("x", 0, 0, 0, 0)], Encoding.UTF16) is None
    assert documents.close(URI) is None


def test_a_document_is_found_however_its_uri_is_written() -> None:
    """VS Code encodes a drive's colon and others do not."""
    documents = Documents()
    documents.open(types.TextDocumentItem("file:///c%3A/a.py", "python", 1, ""))
    assert documents.get("file:///c:/a.py") is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///c%3A/a.py", "file:///C:/a.py"),
        ("file:///c:/a%20b.py", "file:///c:/a b.py"),
        ("file:///C:/x/../a.py", "FILE:///c:/a.py"),
        ("untitled:a%20b", "untitled:a b"),
    ],
)
def test_spellings_of_one_uri_on_windows(one: str, other: str) -> None:
    """Encoded or not, and a drive's letter large or small: it is one document."""
    assert key_of(one, windows=True) == key_of(other, windows=True)


def test_names_that_are_no_text_are_told_apart() -> None:
    """Two files whose names no encoding knows are two."""
    assert key_of("file:///%ff.py", windows=False) != key_of("file:///%fe.py", windows=False)


def test_a_document_that_is_open_under_two_spellings() -> None:
    """It is closed when both are, or when the editor closes it under a third."""
    documents = Documents()
    one, other, third = "file:///a%20b.py", "file:///a b.py", "file:///./a b.py"
    for closing in ((one, other), (other, one), (third,)):
        for uri in (one, one, other):
            documents.open(types.TextDocumentItem(uri, "python", 1, ""))
        *first, last = closing
        assert all(documents.close(uri) is None for uri in first)
        assert documents.get(one) is not None
        assert documents.close(last) is not None
        assert documents.get(one) is None


@pytest.mark.parametrize(
    ("uri", "writable"),
    [
        ("file:///a", True),
        ("untitled:Untitled-1", True),
        ("vscode-vfs://github/o/r/a.py", True),
        ("VSCODE-SCM:git/scm0/input", True),
        ("some-extension://disk/a.py", True),
        ("git:/a?x", False),
        ("jdt://contents/a.class", False),
        ("output:log", False),
        ("comment://review/1", False),
        ("vscode-notebook-cell:/a.ipynb#W0", False),
    ],
)
def test_code_is_written_where_nothing_speaks_against_it(uri: str, writable: bool) -> None:
    """Not in versions of a file, logs and boxes for words; in a scheme that nobody knows it may be."""
    assert document("", uri).writable is writable
    assert Documents().use_of(document("", uri)).value


def test_what_is_too_large_or_no_text() -> None:
    """A sentence says why nobody can complete it; a NUL counts at the beginning, as in files."""
    assert document("12345\n").unfit(6) is None
    assert document("12345\r\n").unfit(6) == TOO_LARGE
    assert document("a\nb\0c").unfit(99) == BINARY
    assert document("x" * 9000 + "\n\0").unfit(99_999) is None


def test_two_halves_of_a_line_end_become_one() -> None:
    """A newline that an edit puts behind a carriage return, or uncovers there, belongs to it."""
    doc = document("a\rb\nc")
    assert doc.changed(2, part("", 1, 0, 1, 1), Encoding.UTF16).lines == ("a\r\n", "c")
    assert doc.changed(2, part("\n", 1, 0, 1, 0), Encoding.UTF16).lines == ("a\r\n", "b\n", "c")


@dataclass
class Edit:
    start: int
    end: int
    text: str


pieces = st.text(st.sampled_from(["a", "é", "🐦", "\r", "\n", "\f", "\u2028"]), max_size=12)
edits = st.lists(st.builds(Edit, st.integers(0, 40), st.integers(0, 40), pieces), max_size=6)


@given(pieces, edits, st.sampled_from(Encoding))
def test_edits_equal_those_of_a_plain_string(text: str, changes: list[Edit], encoding: Encoding) -> None:
    """After any edits between places that exist, the lines are those of the text as a whole."""
    doc = document(text)
    for edit in changes:
        start, end = (place_at(text, offset) for offset in sorted((edit.start, edit.end)))
        lines = split_lines(text)
        offsets = [sum(map(len, lines[: p.line])) + p.column for p in (start, end)]
        columns = [column_to_client(lines[p.line], p.column, encoding) for p in (start, end)]
        change = part(edit.text, start.line, columns[0], end.line, columns[1])
        text = text[: offsets[0]] + edit.text + text[offsets[1] :]
        doc = doc.changed(doc.version + 1, change, encoding)
        assert doc.lines == split_lines(text)


def place_at(text: str, offset: int) -> Position:
    """The place `offset` characters into `text`, at most at a line's end."""
    for number, line in enumerate(split_lines(text)):
        if offset <= len(line.rstrip("\r\n")) or number == len(split_lines(text)) - 1:
            return Position(number, min(offset, len(line.rstrip("\r\n"))))
        offset -= len(line)
        offset = max(0, offset)
    raise AssertionError
