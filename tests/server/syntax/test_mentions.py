"""The words that code uses, and those that it only quotes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.syntax.languages import LANGUAGES
from bowerbird.syntax.mentions import Mention, mentions


def words(code: str, language: str | None) -> list[str]:
    """With what stands before them; marks left out."""
    return [one.path for one in mentions(code, language) if one.text[-1].isalnum()]


@pytest.mark.parametrize(
    ("language", "code", "expected"),
    [
        ("python", "a.b(c)  # d\nf'e {g.h}'\n'''i'''", "a a.b c g g.h"),
        ("pony", 'env.out.print("a b") // c\n"""d"""', "env env.out env.out.print"),
        ("powerquery", 'Text.Upper("a") & #date(1) // b\n/* c */', "Text.Upper #date 1"),
        ("javascript", "a.b(`c ${d.e}`) /* f */", "a a.b d d.e"),
        ("c", "a->b('c', \"d\"); // e", "a b"),
        ("kotlin", 'a.b("c \\" d") // e\n/* f */ g', "a a.b g"),  # without a grammar
        ("haskell", "a b -- c", "a b"),
        (None, "a b # c\n'd'", "a b"),
    ],
)
def test_words_in_comments_and_texts_do_not_count(language: str | None, code: str, expected: str) -> None:
    """Save those of code inside a text."""
    assert words(code, language) == expected.split()


def test_a_mention_says_how_a_word_is_used() -> None:
    """Called, as a member, declared, as a name of the program's own."""
    found = {one.text: one for one in mentions("def total(cart): return cart.sum(x)", "python")}
    assert found["total"] == Mention(
        "total", "total", called=True, member=False, identifier=True, declared=True
    )
    assert found["sum"] == Mention(
        "sum", "cart.sum", called=True, member=True, identifier=True, declared=False
    )
    assert not found["return"].identifier


def test_what_a_call_gives_has_no_name() -> None:
    """A path ends at brackets."""
    assert words("a.b(c).d[1].e", "python") == ["a", "a.b", "c", "d", "1", "e"]


@pytest.mark.parametrize("language", ["ring", "powerquery"])
def test_a_backslash_may_be_text(language: str) -> None:
    """In some languages it escapes nothing."""
    assert words('f("C:\\") g', language)[-1] == "g"


@given(
    st.sampled_from(sorted(LANGUAGES)),
    st.text(alphabet="ab.(\"'`#/*\\{}$[ \n", max_size=60) | st.text(max_size=20),
)
def test_no_code_is_too_broken(language: str, code: str) -> None:
    """Whatever is typed has words or none."""
    for mention in mentions(code, language):
        assert mention.text
        assert mention.path.endswith(mention.text)
