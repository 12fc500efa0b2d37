"""Priors: windows that lie where useful ones do count for more, and none is missed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bowerbird.knowledge.snippet import Source, Window
from bowerbird.retrieval.jaccard import JaccardIndex
from bowerbird.retrieval.nearness import PRIORS, WEIGHT, NearnessRetriever, Place, imports_of, prior
from bowerbird.retrieval.retriever import Query
from bowerbird.text import Span


def window(name: str, text: str = "heron = 1", open: bool = False) -> Window:  # noqa: A002
    source = Source(Path("/w") / name, name, text, "python", open)
    return Window(source, Span(0, source.line_count))


ABOVE = "from shop.items import Item, price as cost\nimport numpy as np\n\nx = 1\n"
PLACE = Place.of(Query("heron", Path("/w/shop/cart_view.py"), above=ABOVE))


@pytest.mark.parametrize(
    ("name", "near", "far"),
    [
        ("file", window("shop/cart_view.py"), window("shop/cart.py")),
        ("folder", window("shop/other.py"), window("shop/deep/other.py")),
        ("path", window("shop/deep/other.py"), window("bank/deep/other.py")),
        ("imports", window("a.py", "import numpy\nfrom shop.items import Item"), window("b.py", "import os")),
        ("imported", window("shop/items.py"), window("shop/wares.py")),
        ("name", window("bank/account_view.py"), window("bank/account.py")),
        ("open", window("bank/a.py", open=True), window("bank/b.py")),
    ],
)
def test_each_prior_knows_its_place(name: str, near: Window, far: Window) -> None:
    """The nearer window gets more, none more than the weight says."""
    assert PLACE is not None
    assert 1 <= prior([name], PLACE, far) < prior([name], PLACE, near) <= 1 + WEIGHT
    assert prior(PRIORS, PLACE, near) >= prior([name], PLACE, near)
    assert prior(["unheard of"], PLACE, near) == 1


def test_imports_are_read_in_several_languages() -> None:
    """As dotted names; a line that is none is none."""
    assert imports_of(ABOVE) == {"shop.items.Item", "shop.items.price", "numpy"}
    assert imports_of('#include <stdio.h>\nuse "collections"\nimport "fmt"\nload "gui.ring"') == {
        "stdio.h",
        "collections",
        "fmt",
        "gui.ring",
    }
    assert imports_of("important = 1\nfrom __future__\n'''import'''\n") == frozenset()


WORDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8).map(" ".join)
FOLDERS = st.sampled_from(["x", "y", "x/z"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(FOLDERS, WORDS), max_size=40), WORDS, st.integers(1, 3))
def test_none_is_missed(files: list[tuple[str, str]], text: str, k: int) -> None:
    """The same as if all windows had been looked at."""
    index = JaccardIndex()
    for at, (folder, words) in enumerate(files):
        one = window(f"{folder}/{at:02}.py", words)
        index.replace(one.path, [one])
    query = Query(text, Path("/w/x/here.py"))
    place = Place.of(query)
    assert place is not None

    found = NearnessRetriever(index, ["folder", "path"]).retrieve(query, k)

    scores = [
        float(hit.score) * prior(["folder", "path"], place, hit.snippet) for hit in index.retrieve(query, 100)
    ]
    assert [hit.score * (1 + WEIGHT) for hit in found] == pytest.approx(sorted(scores, reverse=True)[:k])
    assert all(0 < hit.score <= 1 for hit in found)


def test_a_query_from_no_file_is_answered_as_it_is() -> None:
    """Nothing is near to nowhere."""
    index = JaccardIndex()
    one = window("x/a.py")
    index.replace(one.path, [one])
    assert NearnessRetriever(index, ["folder"]).retrieve(Query("heron"), 3) == index.retrieve(
        Query("heron"), 3
    )


def test_a_near_window_is_found_behind_many_that_are_more_alike() -> None:
    """More are asked for until no other could come before those that are given."""
    index = JaccardIndex()
    for at in range(30):
        far = window(f"y/{at:02}.py", "a b c d e f g h i")
        index.replace(far.path, [far])
    near = window("x/near.py", "a b c d e f g h")
    index.replace(near.path, [near])
    query = Query("a b c d e f g h i j", Path("/w/x/here.py"))

    (first,) = NearnessRetriever(index, ["folder"]).retrieve(query, 1)

    assert index.retrieve(query, 30)[-1].snippet != near
    assert first.snippet == near
    assert first.score == pytest.approx(0.8)
