"""What a writer is told that single pages cannot know."""

from __future__ import annotations

from bowerbird.knowledge.packs.check import check, coverage, names_of_file
from bowerbird.knowledge.packs.folder import Contents, Files, read_contents

TOML = b'format = 1\nname = "ring"\nlanguage = "ring"\ncase_sensitive = false\n'

LEN = (
    "## len\n- kind: function\n- signature: `len(aList)`\n- param aList: What.\n- related: size\n\nCounts.\n"
)


def contents(page: str) -> Contents:
    return read_contents(Files(TOML, {"page.md": page.encode()}, ()))


def told(page: str) -> list[str]:
    return [str(problem) for problem in check(contents(page))]


def test_a_sound_page_has_no_problems() -> None:
    """Related names may be written in any case where the language makes no difference."""
    assert told(LEN.replace("size", "LEN")) == []


def test_names_that_lead_nowhere_are_told() -> None:
    """A related name that is not in the pack, a parameter that is in no signature."""
    assert told(LEN.replace("param aList", "param aLisp")) == [
        "page.md:1: warning: `len`: no signature has the parameter `aLisp`.",
        "page.md:1: warning: `len`: the related name `size` is not in the pack.",
    ]


def test_what_nobody_can_use_is_told() -> None:
    """A function without a signature, an entity without a description."""
    assert told("## len\n- kind: function\n") == [
        "page.md:1: warning: `len` has no description.",
        "page.md:1: warning: `len` has no signature.",
    ]


def test_coverage_counts_names_and_aliases() -> None:
    """Names upstream that the pack has, and those it lacks, in their order."""
    page = contents("## len\n- kind: function\n- alias: size\n\nCounts.\n")
    share = coverage(page, names_of_file("# a comment\nLEN\n\nupper\nsize\nlower\nupper\n#date\n"))
    assert (share.wanted, share.found, share.missing) == (5, 2, ("upper", "lower", "#date"))
    assert share.share == 0.4
    assert coverage(page, []).share == 1.0


def test_a_folder_without_a_manifest_says_so() -> None:
    """And that is all there is to say."""
    assert [problem.page for problem in check(read_contents(Files(None, {}, ())))] == ["pack.toml"]
