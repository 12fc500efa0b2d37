"""Windows cover their file, begin where the syntax begins, and come out alike every time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.knowledge.snippet import Source, Window
from bowerbird.knowledge.window import slide_windows
from bowerbird.syntax.entities import outline
from bowerbird.syntax.parser import parse

PIECES = [
    "x = 1",
    "",
    "   ",
    "def f():",
    "    return 1",
    "class A:",
    "    def g(self):",
    "        pass",
    "@decorated",
    "# comment",
    "y = [",
    "    1,",
    "]",
    '"""',
    "if x:",
    "else:",
    "\u3000z",
    "(",
    "\0",
]
"""Lines that make whole, broken and nested Python when thrown together."""

python_like = st.lists(st.sampled_from(PIECES), max_size=120).map("\n".join)
any_lines = st.lists(
    st.text(st.characters(codec=None, exclude_characters="\r"), max_size=8), max_size=60
).map("\n".join)
lengths = st.tuples(st.integers(1, 30), st.integers(1, 30))


def source_of(text: str, language: str | None = "python") -> Source:
    return Source(Path("/shop/till.py"), "till.py", text, language)


def spans(windows: list[Window]) -> list[tuple[int, int]]:
    return [(window.span.first, window.span.end) for window in windows]


def numbered(lines: int) -> str:
    return "".join(f"line {line}\n" for line in range(lines))


@given(python_like | any_lines, lengths, st.booleans(), st.sampled_from(["python", "c", None]))
def test_windows_cover_their_file(
    text: str, shape: tuple[int, int], snap: bool, language: str | None
) -> None:
    """Each line that is not blank is in a window; none is too long, blank, outside or begun twice."""
    window_lines, slide_lines = shape
    source = source_of(text, language)
    windows = slide_windows(source, window_lines, slide_lines, snap)
    covered = {line for window in windows for line in range(window.span.first, window.span.end)}
    assert covered >= {number for number, line in enumerate(source.lines) if line.strip()}
    assert covered <= set(range(len(source.lines)))
    assert all(0 < len(window.span) <= window_lines and window.text.strip() for window in windows)
    firsts = [window.span.first for window in windows]
    assert firsts == sorted(set(firsts))


@given(python_like | any_lines, lengths, st.booleans())
def test_no_window_is_idle(text: str, shape: tuple[int, int], snap: bool) -> None:
    """Only the last window reaches the end of the file."""
    source = source_of(text)
    windows = slide_windows(source, *shape, snap)
    end = max((number + 1 for number, line in enumerate(source.lines) if line.strip()), default=0)
    assert all(window.span.end < end for window in windows[:-1])
    assert not windows or windows[-1].span.end == end


@given(python_like, lengths)
def test_snapping_stays_near_and_prefers_definitions(text: str, shape: tuple[int, int]) -> None:
    """A window begins at the nearest definition within reach, else statement, else where it would anyway."""
    window_lines, slide_lines = shape[0], min(shape)
    source = source_of(text)
    tree = parse(text, "python")
    assert tree is not None
    found = outline(tree)
    defining = {one.span.first for one in found.definitions} & found.beginnings
    reach = max(0, slide_lines // 2 - 1)
    end = max((number + 1 for number, line in enumerate(source.lines) if line.strip()), default=0)
    expected = [0] if end else []
    while expected and expected[-1] + window_lines < end:
        nominal = len(expected) * slide_lines
        latest = min(expected[-1] + window_lines, end - 1)
        near = [line for line in range(nominal - reach, nominal + reach + 1) if line <= latest]
        choices = [line for line in near if line in defining] or [
            line for line in near if line in found.beginnings
        ]
        choices = choices or [min(nominal, latest)]
        expected.append(min(choices, key=lambda line: (abs(line - nominal), line)))
    windows = slide_windows(source, *shape)
    blank = [first for first in expected if not "".join(source.lines[first : first + window_lines]).strip()]
    assert [window.span.first for window in windows] == [first for first in expected if first not in blank]


@given(python_like, lengths, st.booleans())
def test_windows_come_out_alike(text: str, shape: tuple[int, int], snap: bool) -> None:
    """The same text gives the same windows, whatever was cut before."""
    first, second = (slide_windows(source_of(text), *shape, snap) for _ in range(2))
    assert [(one.span, one.definition, one.text) for one in first] == [
        (one.span, one.definition, one.text) for one in second
    ]


@pytest.mark.parametrize(
    ("lines", "window_lines", "slide_lines", "expected"),
    [
        (0, 20, 10, []),
        (1, 20, 10, [(0, 1)]),
        (20, 20, 10, [(0, 20)]),
        (21, 20, 10, [(0, 20), (10, 21)]),
        (30, 20, 10, [(0, 20), (10, 30)]),
        (45, 20, 10, [(0, 20), (10, 30), (20, 40), (30, 45)]),
        (25, 10, 10, [(0, 10), (10, 20), (20, 25)]),
        (5, 1, 1, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]),
        (25, 10, 99, [(0, 10), (10, 20), (20, 25)]),
    ],
)
def test_plain_windows(
    lines: int, window_lines: int, slide_lines: int, expected: list[tuple[int, int]]
) -> None:
    """Without a grammar windows begin every `slide_lines` lines and end with the file (section 2.2)."""
    assert spans(slide_windows(source_of(numbered(lines), None), window_lines, slide_lines)) == expected


def test_blank_ends_and_blank_windows_are_dropped() -> None:
    """Blank lines at the end belong to no window, and a window of blank lines alone is none."""
    text = "a\n" + "\n" * 30 + "b\n" + " \n" * 50
    assert spans(slide_windows(source_of(text, None), 10, 5)) == [(0, 10), (25, 32)]
    assert slide_windows(source_of("\n \n\t\n"), 10, 5) == []


CODE = '''import math


class Shop:
    """What is for sale."""

    limit = 10

    # Prices are in cents.
    @property
    def total(self):
        total = math.fsum(
            good.price
            for good in self.goods
            if good.price
        )
        return total

    def empty(self):
        return not self.goods


def main():
    pass
'''


def test_windows_begin_at_definitions() -> None:
    """A window moves to the comment above a decorated method, and carries that method's name."""
    windows = slide_windows(source_of(CODE), 10, 10)
    assert [(window.span.first, window.definition) for window in windows] == [
        (0, None),
        (8, "Shop.total"),
        (18, "Shop.empty"),
    ]
    assert windows[1].text.startswith("    # Prices are in cents.\n    @property\n    def total(self):")


def test_windows_begin_at_statements_where_no_definition_is_near() -> None:
    """Without a definition within reach a window begins with a statement, not within one."""
    text = "".join(f"x{n} = [\n    {n},\n    {n},\n]\n" for n in range(10))
    assert [window.span.first for window in slide_windows(source_of(text), 20, 10)] == [0, 8, 20]
    assert [window.span.first for window in slide_windows(source_of(text), 20, 10, snap=False)] == [0, 10, 20]


def test_no_snap_leaves_a_gap() -> None:
    """Where windows barely overlap, a definition behind the last line covered draws no window to it."""
    text = "x = 1\n" * 6 + "y = [\n" + "    1,\n" * 9 + "]\n\n\n\ndef late():\n" + "    pass\n" * 9
    firsts = [window.span.first for window in slide_windows(source_of(text), 10, 10)]
    assert firsts == [0, 6, 16, 26]  # line 20 begins a definition, but line 16 must be covered


def test_too_long_a_slide_counts_as_the_window() -> None:
    """With a slide above the window's length, windows follow each other, snapped by half of their length."""
    text = "".join(f"x{n} = [\n    {n},\n    {n},\n]\n" for n in range(10))
    assert spans(slide_windows(source_of(text), 10, 99)) == spans(slide_windows(source_of(text), 10, 10))


def test_unsnapped_windows_know_their_definition() -> None:
    """Without snapping a window still carries the name of the definition around its first line."""
    windows = slide_windows(source_of(CODE), 6, 6, snap=False)
    assert [window.definition for window in windows] == [None, "Shop", "Shop.total", "Shop.empty"]


@pytest.mark.parametrize("language", ["kotlin", None, "unheard-of"])
def test_languages_without_grammar_get_plain_windows(language: str | None) -> None:
    """Where there is no grammar windows go by lines and know no definition."""
    windows = slide_windows(source_of(CODE, language), 10, 10)
    assert [(window.span.first, window.definition) for window in windows] == [
        (0, None),
        (10, None),
        (20, None),
    ]


def test_hopeless_text_gets_plain_windows() -> None:
    """Garbage that no parser gets through is cut by lines."""
    text = ("a=>" * 300 + "\n") * 45
    assert spans(slide_windows(source_of(text, "c"), 20, 10)) == [(0, 20), (10, 30), (20, 40), (30, 45)]


def test_one_long_line_is_one_window() -> None:
    """A line of 10 MB is a window by itself."""
    assert spans(slide_windows(source_of("x" * 10_000_000), 20, 10)) == [(0, 1)]


@pytest.mark.parametrize(("window_lines", "slide_lines"), [(0, 10), (20, 0), (-1, -1)])
def test_impossible_lengths_are_refused(window_lines: int, slide_lines: int) -> None:
    """Windows of no lines, or that never slide, are an error of the caller."""
    with pytest.raises(ValueError, match="at least 1"):
        slide_windows(source_of(CODE), window_lines, slide_lines)
