"""Was a suggestion taken, and how much of it stays? Inferred from edits alone, or told by the editor."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from bowerbird.lsp.documents import split_lines
from bowerbird.lsp.edits import Edit, advance, text_between
from bowerbird.lsp.survival import FORGOTTEN_S, Tracker, kept_characters
from bowerbird.meter import Event, Shown, Survived
from bowerbird.text import Position

URI = "file:///a.py"
SHOWN = Shown(1000.0, "python", "workspace", "written", 80.0, characters=0, lines=1)


@dataclass
class Desk:
    """A document, somebody who types in it, and a clock."""

    text: str
    now: float = 1000.0
    tracker: Tracker = field(default_factory=Tracker)
    events: list[Event] = field(default_factory=list)

    @property
    def lines(self) -> tuple[str, ...]:
        return split_lines(self.text)

    def place(self, before: str) -> Position:
        """Behind the first occurrence of `before`."""
        return advance(Position(0, 0), self.text[: self.text.index(before) + len(before)])

    def show(self, behind: str, text: str, shown: Shown = SHOWN) -> None:
        self.events += self.tracker.show(URI, self.place(behind), text, shown)

    def replace(self, old: str, new: str, behind: str = "") -> None:
        """Replace the first `old` that stands behind `behind`."""
        start = self.text.index(behind) + len(behind)
        start = self.text.index(old, start)
        edit = Edit(
            advance(Position(0, 0), self.text[:start]),
            advance(Position(0, 0), self.text[: start + len(old)]),
            new,
        )
        lines, self.text = self.lines, self.text[:start] + new + self.text[start + len(old) :]
        assert text_between(lines, edit.start, edit.end) == old
        self.events += self.tracker.change(URI, lines, edit, self.now)

    def write(self, text: str, behind: str) -> None:
        """Insert."""
        self.replace("", text, behind)

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.events += self.tracker.due(self.now, lambda uri: self.lines if uri == URI else None)

    def save(self) -> None:
        self.events += self.tracker.save(URI, self.lines, self.now)

    @property
    def shown(self) -> list[tuple[str, int, int]]:
        """How each suggestion was taken, how many characters of it, and in how many pieces."""
        ended = self.events + self.tracker.finish()
        return [(e.accepted, e.accepted_characters, e.accepts) for e in ended if isinstance(e, Shown)]

    @property
    def survived(self) -> dict[str, tuple[int, int]]:
        return {e.after: (e.kept, e.characters) for e in self.events if isinstance(e, Survived)}


@pytest.fixture
def desk() -> Desk:
    return Desk("import os\n\ndef f(x):\n    ret\n\nprint(f(1))\n")


@pytest.fixture
def taken(desk: Desk) -> Desk:
    """`urn x + 1` was taken."""
    desk.show("    ret", "urn x + 1")
    desk.write("urn x + 1", "    ret")
    return desk


def test_text_that_appears_at_its_place_was_taken(desk: Desk) -> None:
    """Neovim tells nothing, so its edits must."""
    desk.show("    ret", "urn x + 1")
    desk.write("urn x + 1", "    ret")

    assert desk.shown == [("whole", 9, 1)]


def test_the_typed_word_may_be_replaced(desk: Desk) -> None:
    """Some editors take the word away and put it back with the rest."""
    desk.show("    ret", "urn x + 1")
    desk.replace("ret", "return x + 1", "    ")

    assert desk.shown == [("whole", 9, 1)]


def test_what_was_typed_on_in_the_same_change_does_not_hide_it(desk: Desk) -> None:
    """An editor that gathers changes for a moment sends both as one."""
    desk.show("    ret", "urn x + 1")
    desk.write("urn x + 1  # more", "    ret")
    desk.wait(30)

    assert desk.shown == [("whole", 9, 1)]
    assert desk.survived == {"30s": (6, 6)}


def test_an_editor_may_indent_anew(desk: Desk) -> None:
    """White space makes no difference."""
    desk.show("    ret", "urn [\n  x\n]")
    desk.write("urn [\n        x\n    ]", "    ret")

    assert [how for how, *_ in desk.shown] == ["whole"]


def test_typing_the_same_is_not_taking(desk: Desk) -> None:
    """Key by key to the end; and a few keys in one change are still typing."""
    desk.show("    ret", "urn x")
    for key in ("ur", "n", " ", "x"):
        desk.write(key, desk.text[: desk.text.index("\n\nprint")])

    assert desk.shown == [("", 0, 0)]


def test_what_is_left_after_some_typing_was_taken(desk: Desk) -> None:
    """Only the rest saved keys; the same suggestion, which the editor gets at each key, counts once."""
    desk.show("    ret", "urn x + 1")
    desk.write("u", "    ret")
    desk.show("    retu", "rn x + 1")
    desk.write("rn x + 1", "    retu")

    assert desk.shown == [("whole", 8, 1)]


def test_another_text_means_that_it_was_not_wanted(desk: Desk) -> None:
    """Each suggestion ends when another is shown or other text is written."""
    desk.show("    ret", "urn x + 1")
    desk.show("    ret", "urn x - 1")
    desk.write("ries = 3", "    ret")

    assert desk.shown == [("", 0, 0), ("", 0, 0)]


def test_deleting_before_it_ends_it(desk: Desk) -> None:
    """The place it was made for is gone."""
    desk.show("    ret", "urn x + 1")
    desk.replace("t", "", "    re")
    desk.write("turn x + 1", "    re")

    assert desk.shown == [("", 0, 0)]


def test_words_and_lines_are_pieces(desk: Desk) -> None:
    """Two words, then a line, then what is left: one suggestion, taken in four pieces."""
    desk.show("    ret", "urn x + y\n    # sum\n    # end")
    desk.write("urn x", "    ret")
    desk.write(" + y", "    return x")
    desk.write("\n    # sum", "    return x + y")
    assert desk.tracker.follows(URI)
    desk.write("\n    # end", "    # sum")

    assert desk.shown == [("word", 29, 4)]


def test_a_line_is_more_than_a_word(desk: Desk) -> None:
    """Taking stops at the line's end; the rest is not wanted."""
    desk.show("    ret", "urn x\n    # end")
    desk.write("urn x", "    ret")

    assert desk.shown == [("line", 5, 1)]


def test_the_editor_tells_after_the_change(desk: Desk) -> None:
    """A short text could have been typed; the editor's word decides, and is not counted twice."""
    desk.show("    ret", "urn")
    desk.write("urn", "    ret")
    desk.events += desk.tracker.accept(desk.now)
    desk.events += desk.tracker.accept(desk.now)
    desk.wait(30)

    assert desk.shown == [("whole", 3, 1)]
    assert desk.survived == {"30s": (3, 3)}


def test_the_editor_tells_before_the_change(desk: Desk) -> None:
    """Neovim may run the command first; what comes at its place next is what was taken."""
    desk.show("    ret", "urn")
    assert desk.tracker.accept(desk.now) == []
    desk.write("urn", "    ret")

    assert desk.shown == [("whole", 3, 1)]


def test_the_editor_tells_and_the_text_is_never_seen(desk: Desk) -> None:
    """It counts as taken; nobody can say what became of it."""
    desk.show("    ret", "urn x")
    desk.tracker.accept(desk.now)
    desk.show("def f(x):", "pass")

    assert desk.shown == [("whole", 5, 1), ("", 0, 0)]
    assert desk.tracker.due_at is None


def test_telling_without_a_suggestion_is_nothing(desk: Desk) -> None:
    """An old one may be inserted after all."""
    assert desk.tracker.accept(desk.now) == []


def test_edits_elsewhere_move_the_place(desk: Desk) -> None:
    """An import is added above, and something below, while the suggestion is shown."""
    desk.show("    ret", "urn x + 1")
    desk.write("import sys\n", "import os\n")
    desk.write("# end\n", "print(f(1))\n")
    desk.write("urn x + 1", "    ret")

    assert desk.shown == [("whole", 9, 1)]


def test_other_documents_do_not_matter(desk: Desk) -> None:
    """The same edit in another file is no acceptance."""
    desk.show("    ret", "urn x + 1")
    place = desk.place("    ret")

    assert not desk.tracker.follows("file:///b.py")
    assert desk.tracker.change("file:///b.py", desk.lines, Edit(place, place, "urn x + 1"), 0) == []
    assert desk.shown == [("", 0, 0)]


def test_all_of_it_stays_wherever_others_write(taken: Desk) -> None:
    """Text before, behind, above and below does not touch it."""
    taken.write("# above\n", "import os\n")
    taken.write("y = 1; ", "    ")
    taken.write(" + 2", "return x + 1")
    taken.replace("print", "log", "")
    taken.wait(30)
    taken.save()
    taken.wait(90)

    assert taken.survived == {"30s": (6, 6), "save": (6, 6), "2m": (6, 6)}
    assert not taken.tracker.follows(URI)


def test_what_is_written_behind_does_not_belong_to_it(taken: Desk) -> None:
    """Not even where it looks like something that was taken and is gone."""
    taken.replace(" + 1", "", "return x")
    taken.write(" - 1", "return x")
    taken.wait(30)

    assert taken.survived == {"30s": (4, 6)}


def test_what_is_written_into_it_takes_nothing_away(taken: Desk) -> None:
    """All that was taken is still there."""
    taken.write(" * 2", "    return x")
    taken.wait(30)

    assert taken.survived == {"30s": (6, 6)}


def test_what_is_deleted_or_replaced_is_gone(taken: Desk) -> None:
    """Letter for letter; each look is at the text of its time."""
    taken.replace(" + 1", "", "return x")
    taken.wait(30)
    taken.replace("n x", "ned", "    retur")
    taken.wait(90)

    assert taken.survived == {"30s": (4, 6), "2m": (3, 6)}


def test_nothing_stays_of_a_deleted_line(taken: Desk) -> None:
    """Nor of one that was undone and written otherwise."""
    taken.replace("    return x + 1\n", "", "def f(x):\n")
    taken.write("    yield x + 1\n", "def f(x):\n")
    taken.wait(30)

    assert taken.survived == {"30s": (0, 6)}


def test_a_formatter_takes_nothing_away(taken: Desk) -> None:
    """It sends the whole file with other white space, and a line more."""
    old = taken.text
    new = old.replace("import os\n\n", "import os\n\n\n").replace("x + 1", "x+1").replace("    ", "\t")
    taken.replace(old, new)
    taken.wait(30)

    assert taken.survived == {"30s": (6, 6)}


def test_another_text_in_place_of_all(taken: Desk) -> None:
    """What a small text shares with a strange one by chance is little."""
    taken.replace(taken.text, "\n".join(f"line number {n}" for n in range(100)))
    taken.wait(30)

    assert taken.survived["30s"][0] <= 2


def test_what_was_taken_is_looked_at_thrice_and_forgotten(taken: Desk) -> None:
    """After 30 s, after 2 minutes and at the next save; never again. Who does not save is not waited for."""
    assert taken.tracker.due_at == taken.now + 30
    taken.wait(29)
    assert taken.survived == {}
    taken.wait(1)
    taken.wait(90)
    assert taken.tracker.due_at == 1000 + FORGOTTEN_S
    count = len(taken.events)
    taken.wait(FORGOTTEN_S)
    taken.save()

    assert len(taken.events) == count
    assert taken.tracker.due_at is None


def test_a_closed_document_is_not_looked_at(taken: Desk) -> None:
    """Neither when the tracker was told nor when it was not."""
    assert taken.tracker.due(taken.now + 30, lambda _: None) == []
    taken.tracker.close(URI)
    taken.wait(1000)

    assert taken.survived == {}


def test_closing_ends_a_suggestion(desk: Desk) -> None:
    """It was not taken."""
    desk.show("    ret", "urn x + 1")
    desk.events += desk.tracker.close(URI)

    assert [event for event in desk.events if isinstance(event, Shown)] == [SHOWN]


def test_much_that_was_taken_is_not_followed_for_ever() -> None:
    """Two hundred at a time."""
    desk = Desk("x\n")
    for number in range(300):
        desk.show("x\n", f"line {number}\n")
        desk.write(f"line {number}\n", "x\n")
    desk.wait(30)

    assert sum(isinstance(event, Survived) for event in desk.events) == 200


@pytest.mark.parametrize(
    ("taken_text", "now", "kept"),
    [
        ("return x + 1", "return x + 1", 9),
        ("return x + 1", "return (x + 1) * y", 9),
        ("return x + 1", "", 0),
        ("return x + 1", "yield x", 1),
        ("total = price", "totals = price", 11),
        ("abc", "cba", 0),
        ("f(a, b)", "f(b, a)", 4),
        (" \n", "x", 0),
    ],
)
def test_characters_that_stay(taken_text: str, now: str, kept: int) -> None:
    """White space aside, by whole words first; inside a changed word by how it begins and ends."""
    assert kept_characters(taken_text, now) == (len("".join(taken_text.split())), kept)
