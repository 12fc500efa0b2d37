"""What is wrong with a document, in sentences; nothing where it parses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.knowledge.library import Library
from bowerbird.syntax.faults import MOST_FAULTS, MOST_TOLD, faults, faults_of
from bowerbird.syntax.parser import parse

TOLD = [
    ("powerquery", "let a = 1, in a", 0, ",", "Something must follow this comma."),
    ("powerquery", "let\n a = if x then 1\nin a", 1, "1", "`else` is missing: `if` needs one."),
    ("powerquery", 'let a = "abc\nin a', 0, '"abc', 'This text is not closed: its " stands alone.'),
    ("powerquery", "let a = 1 == 2 in a", 0, "=", "M compares with a single `=`."),
    ("powerquery", "let a = 1 != 2 in a", 0, "!", "M writes `<>` for not equal."),
    ("powerquery", "let\n a = 1\n b = 2\nin b", 1, "1", "A comma is missing behind `1`."),
    ("powerquery", "let\n é = f(1\nin b", 1, "1", "`(` is not closed: `)` is missing."),
    ("powerquery", "let\n a = f(1,\n b\nin b", 2, "b", "`(` of line 2 is not closed: `)` is missing."),
    ("powerquery", "let\n a = 1,\n b = (1 + 2", 2, "(", "Behind this `(` no `)` follows."),
    ("powerquery", "let\n a = 1,\n b = 2)\nin b", 2, ")", "`)` does not fit here."),
    ("ring", 'if x == 1 see "𝄞" ok', 0, "=", "Ring compares with a single `=`."),
    ("ring", "see x ok\nsee 1", 0, "ok", "`ok` does not fit here."),
    ("ring", "x = [1,2\nsee x", 0, "2", "`[` is not closed: `]` is missing."),
    (
        "ring",
        'func f\n  if x = 1\n    see "a"\n\nfunc g\n  see 2\n',
        2,
        '"',
        "`if` of line 2 is not closed: the word that ends it (such as `ok`, `next` or `end`) is missing.",
    ),
]


@pytest.mark.parametrize(("language", "text", "line", "underlined", "sentence"), TOLD)
def test_a_fault_is_told(language: str, text: str, line: int, underlined: str, sentence: str) -> None:
    """Where it is, and in a sentence that a user understands."""
    (fault, *_) = faults_of(text, language)
    start, end = fault.range.start, fault.range.end
    assert fault.sentence == sentence
    assert (start.line, end.line) == (line, line)
    assert text.split("\n")[line][start.column : end.column] == underlined


@pytest.mark.parametrize(
    "text", ["", "\n", "// only", "1", "section S; shared a = 1;", "let a = each _ in a"]
)
def test_what_parses_has_none(text: str) -> None:
    """Neither has an empty document."""
    assert faults_of(text, "powerquery") == []


def test_no_shipped_example_has_any() -> None:
    """All code that the packs show parses."""
    for pack in Library().packs:
        for example in pack.examples:
            if not example.counter_example:
                assert not faults_of(example.code, example.language), example.name


def test_they_are_few() -> None:
    """One slip makes several."""
    assert len(faults_of("\n".join(["see x ok"] * 50), "ring")) == MOST_TOLD


def test_changed_words_of_ring_silence_it() -> None:
    """Behind `ChangeRingKeyword` nothing is certain; what stands before it is."""
    assert faults_of("ChangeRingKeyword see print\nprint x ok y z ok", "ring") == []
    assert len(faults_of("see x ok\nChangeRingKeyword see print\nprint x ok y z ok", "ring")) == 1


@pytest.mark.parametrize(
    ("language", "code", "place", "sentence"),
    [
        ("powerquery", "Text.From(1", (0, 10), "`(` is not closed: `)` is missing."),
        ("javascript", "const ä = '😀';\nlet b = 1 1;\n", (1, 10), "`1` does not fit here."),
        ("javascript", "let b = 1 'x;\n", (0, 8), "`1 '` does not fit here."),
        ("c", "int f(void) {\n", (0, 12), "`{` is not closed: `}` is missing."),
        ("c", "int x = 1\n", (0, 8), "`;` is missing here."),
    ],
)
def test_faults_of_any_code(language: str, code: str, place: tuple[int, int], sentence: str) -> None:
    """For whoever generates it, every language's are told, in words that claim nothing of the language."""
    tree = parse(code, language)
    assert tree is not None
    found = faults(tree)
    assert (sentence, place) in [
        (one.sentence, (one.range.start.line, one.range.start.column)) for one in found
    ]


def test_sound_code_has_none_and_rubbish_not_too_many() -> None:
    """The list has an end."""
    sound, rubbish = parse("x = 1\n", "python"), parse("let = ] ) ;\n" * 200, "javascript")
    assert sound is not None
    assert rubbish is not None
    assert faults(sound) == []
    assert 0 < len(faults(rubbish)) <= MOST_FAULTS


@pytest.mark.parametrize("language", ["pony", "python", None])
def test_other_languages_are_not_served(language: str | None) -> None:
    """They have servers of their own."""
    assert faults_of("fun (((", language) == []


WORDS = ["let", " in ", "if", " then ", "func f", "ok", "end", "class A", "see ", "each ", "x", "1"]
SIGNS = [*"()[]{\"'#,=\né .\0\ud800", "/*", "//"]
SCRAPS = st.sampled_from([*WORDS, *SIGNS])


@given(st.lists(SCRAPS, max_size=25).map("".join))
def test_any_text_is_ordinary_input(text: str) -> None:
    """Nothing raises, and every range is in the document."""
    lines = text.split("\n")
    for language in ("powerquery", "ring", "javascript", "python"):
        tree = parse(text, language)
        for fault in faults(tree) if tree is not None else ():
            start, end = fault.range.start, fault.range.end
            assert start <= end
            assert end.line < len(lines)
            assert end.column <= len(lines[end.line]) + 1
