"""pack.toml: what it may say, and how a writer is told what is wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.knowledge.packs.manifest import Manifest, read_manifest, write_manifest
from bowerbird.knowledge.packs.problem import Severity

GOOD = 'format = 1\nname = "ring"\nlanguage = "ring"\n'


def test_a_manifest_has_defaults() -> None:
    """Three keys are enough."""
    assert read_manifest(GOOD.encode()) == (Manifest(name="ring", language="ring"), [])


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "`name` is missing"),
        ('name = "a"\nlanguage = "ring"\n', "`format` is missing"),
        (GOOD.replace("1", "2"), "Format 2 is unknown"),
        (GOOD.replace("1", '"1"'), "`format` must be a whole number"),
        (GOOD.replace('"ring"', '"../ring"', 1), "cannot be one"),
        (GOOD + 'case_sensitive = "no"\n', "must be true or false"),
        (GOOD + "sources = [1]\n", "must be a list of texts"),
        (GOOD + "colour = 1\n", "`colour` is unknown"),
        (GOOD.replace('"ring"\n', '"klingon"\n').replace('"klingon"', '"a"', 1), "'klingon' is unknown"),
        ("name = \n", "It is not TOML"),
        ("a = " + "[" * 50_000, "It is not TOML"),
    ],
)
def test_what_is_wrong_is_told(text: str, part: str) -> None:
    """Every fault has a sentence, and none raises."""
    _, problems = read_manifest(text.encode())
    assert any(part in problem.sentence for problem in problems), problems


def test_a_fault_in_toml_is_told_with_its_line() -> None:
    """So that an editor can lead there."""
    (problem,) = read_manifest(b'format = 1\nname = "a\n')[1]
    assert problem.line == 1


def test_bytes_that_are_no_utf_8_are_told() -> None:
    """TOML is UTF-8."""
    assert read_manifest(b"\xff")[0] is None


def test_a_pack_of_an_unknown_language_can_be_read() -> None:
    """It has no grammar, which is no reason to hide what people wrote."""
    manifest, problems = read_manifest(b'format = 1\nname = "k"\nlanguage = "klingon"\n')
    assert manifest is not None
    assert [problem.severity for problem in problems] == [Severity.WARNING]


@given(
    st.builds(
        Manifest,
        name=st.from_regex(r"[a-z][a-z0-9_+-]{0,9}", fullmatch=True),
        language=st.just("ring"),
        title=st.text(st.characters(exclude_categories=["Cs"])),
        sources=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=9), max_size=3).map(
            tuple
        ),
        case_sensitive=st.booleans(),
    )
)
def test_what_is_written_reads_as_it_was(manifest: Manifest) -> None:
    """Quotes, backslashes and control characters included."""
    assert read_manifest(write_manifest(manifest).encode()) == (manifest, [])
