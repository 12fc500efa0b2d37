"""The words that documentation is compared by."""

from __future__ import annotations

import pytest

from bowerbird.retrieval.thesaurus import GROUPS, SYNONYM_WEIGHT, expanded
from bowerbird.retrieval.words import PAIR_WEIGHT, stem_of, terms_of, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Table.AddColumn", ["tabl", "add", "column"]),
        ("json_2_text", ["json", "2", "text"]),
        ("HTTPServer", ["http", "serv"]),
        ("Int64.Type", ["int", "64", "typ"]),
        ("from 1 to 100", []),
        ("the 31.12.2025", []),
        ("größte AddColumn", ["größt", "add", "column"]),
        ("", []),
    ],
)
def test_names_are_split_and_numbers_left_out(text: str, words: list[str]) -> None:
    """Dots, underscores and case part a name; numbers of their own and the commonest words say nothing."""
    assert words_of(text) == words


@pytest.mark.parametrize(
    "family",
    [
        "split splits splitting Splitter",
        "replace replaces replaced replacing Replacer",
        "date dates",
        "fill fills filling filled",
        "entry entries",
        "heading header headed",
    ],
)
def test_a_family_of_words_has_one_stem(family: str) -> None:
    """A request and a name that say the same in other forms meet."""
    assert len({stem_of(word.lower()) for word in family.split()}) == 1


def test_short_words_keep_their_endings() -> None:
    """What is left of ``string`` or ``is`` without its ending would be no word."""
    assert [stem_of(word) for word in ("string", "bus", "red", "class")] == ["string", "bus", "red", "clas"]


def test_neighbouring_words_are_a_term() -> None:
    """That two words stand together tells more than that both stand somewhere."""
    assert terms_of("time zone, time") == {"tim": 2, "zon": 1, "tim zon": 1, "zon tim": 1}


def test_a_query_holds_what_may_stand_for_its_words() -> None:
    """Synonyms count less than what was said, and no synonym of a synonym is taken."""
    query = expanded("total per region")
    assert query["total"] == query["region"] == 1
    assert query["sum"] == query["group"] == SYNONYM_WEIGHT
    assert query["total per"] == PAIR_WEIGHT
    assert "accumulat" in expanded("running")
    assert "sum" not in expanded("running accumulated")


def test_a_word_that_was_said_is_no_synonym() -> None:
    """It counts in full, as often as it was said."""
    assert expanded("sum total sum")["sum"] == 2


def test_each_group_has_two_stems() -> None:
    """A line of the thesaurus whose words are all one, or too common, would do nothing."""
    for line in GROUPS.strip().splitlines():
        assert len({stem for word in line.split() if (stem := stem_of(word))}) >= 2, line


@pytest.mark.parametrize("piece", ["1.", "aA", "A", "é", "_", "x1"])
def test_endless_words_are_borne(piece: str) -> None:
    """Whatever stands on a page, reading it takes time in proportion to its length."""
    assert len(words_of(piece * 100_000 + "!")) <= 200_000
