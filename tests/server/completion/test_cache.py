"""What is remembered is found again where it still fits, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.completion import cache as cache_module
from bowerbird.completion.cache import CompletionCache
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Completion
from bowerbird.trace import Reason, Trace

BELOW = "\n    return total\n\n\ndef other():\n    pass\n"


def place(prefix: str, suffix: str = BELOW, name: str = "cart.py") -> UnfinishedCode:
    return UnfinishedCode(Path("/w") / name, name, "w", "python", prefix, suffix)


def answer(text: str, before: int = 0, behind: int = 0) -> Completion:
    trace = Trace("cart.py", 1, 1, "rag", "scripted", Reason.OK if text else Reason.EMPTY, text=text)
    return Completion(text, text, trace.reason, trace, replaces_before=before, replaces_behind=behind)


def remembered(prefix: str, text: str, suffix: str = BELOW) -> CompletionCache:
    cache = CompletionCache()
    cache.put(place(prefix, suffix), answer(text))
    return cache


@pytest.mark.parametrize("typed", ["", "s", "sum(", "sum(prices)\n", "sum(prices)\n    total +"])
def test_text_typed_along_is_carried(typed: str) -> None:
    """After any beginning of it, over lines too, the rest is what is left to say."""
    whole = "sum(prices)\n    total += 1"
    carried = remembered("    total = ", whole).find(place("    total = " + typed))
    assert carried is not None
    assert (typed + carried.text, carried.typed, carried.completion.text) == (whole, len(typed), whole)


@pytest.mark.parametrize(
    "later",
    [
        place("    total = x"),
        place("    total ="),
        place("    totals = "),
        place("    total = sum(prices)"),
        place("    total = sum(prices) "),
        place("    total = ", name="shop.py"),
        place("    total = ", "\n    return totals\n\n\n"),
        place("    total = ", " # why" + BELOW),
        place("    total = s", ")" + BELOW),
    ],
    ids=["other", "shorter", "before", "all", "more", "file", "below", "line", "closer"],
)
def test_anything_else_finds_nothing(later: UnfinishedCode) -> None:
    """Other text typed, taken away, all of it typed, another file, a line below changed, a stray bracket."""
    assert remembered("    total = ", "sum(prices)").find(later) is None


def test_only_the_lines_next_below_count() -> None:
    """A change further down makes no completion wrong."""
    cache = remembered("x = ", "1", "\na\nb\nc\nd\n")
    assert cache.find(place("x = ", "\na\nb\nc\nEDITED\n")) is not None
    assert cache.find(place("x = ", "\na\nb\nEDITED\nd\n")) is None


@pytest.mark.parametrize(
    ("text", "typed", "suffix", "later"),
    [
        ("f(a)", "f(", "\nb\n", ")\nb\n"),
        ("f([a])", "f([", "\nb\n", "])\nb\n"),
        ('say("a")', 'say("', "\nb\n", '")\nb\n'),
        ("{\n  a;\n}", "{\n  ", "\nb\nc\nd\n", "\n}\nb\nc\nd\n"),
        ("f(a)", "f(", ", c)\nb\n", "), c)\nb\n"),
    ],
    ids=["bracket", "two", "quote", "on a line of its own", "before text"],
)
def test_what_the_editor_closes_is_no_change(text: str, typed: str, suffix: str, later: str) -> None:
    """Brackets and quotes that typing opened and the editor closed stand behind the cursor."""
    cache = remembered("x = ", text, suffix)
    carried = cache.find(place("x = " + typed, later))
    assert carried is not None
    assert typed + carried.text == text
    assert cache.find(place("x = " + typed, "]}" + suffix)) is None


def test_nothing_is_an_answer_for_its_own_place_only() -> None:
    """Where the model had nothing to add it is not asked again; one key later it is."""
    cache = remembered("x = ", "")
    carried = cache.find(place("x = "))
    assert carried is not None
    assert carried.text == ""
    assert cache.find(place("x = 1")) is None


def test_the_latest_counts() -> None:
    """A refined answer goes before the first; who types along the first keeps it."""
    cache = remembered("x", " = 1")
    cache.put(place("x"), answer(" = 2"))
    cache.put(place("x"), answer(" = 2"))
    assert len(cache) == 2
    for typed, left in (("", " = 2"), (" = ", "2"), (" = 1", None), (" =", " 2")):
        carried = cache.find(place("x" + typed))
        assert (carried.text if carried else None) == left
    cache.put(place("y"), answer(" = a"))
    cache.put(place("y"), answer(" + b"))
    carried = cache.find(place("y ="))
    assert carried is not None
    assert carried.text == " a"


def test_replaced_white_space_is_only_for_its_own_place() -> None:
    """What begins left of its cursor fits there; what repeats the text that stands there fits along."""
    cache = CompletionCache()
    cache.put(place("def f():\n      "), answer("    return 1", before=6))
    assert cache.find(place("def f():\n      ")) is not None
    assert cache.find(place("def f():\n          ")) is None
    cache.put(place("def g():\n    "), answer("    return 1", before=4))
    carried = cache.find(place("def g():\n    re"))
    assert carried is not None
    assert (carried.text, carried.completion.replaces_before) == ("turn 1", 0)


def test_the_oldest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is an end to entries, and to the text that they hold."""
    cache = CompletionCache()
    for number in range(cache_module.MOST_ENTRIES + 1):
        cache.put(place(f"x{number} = "), answer("1"))
    assert len(cache) == cache_module.MOST_ENTRIES
    assert cache.find(place("x0 = ")) is None
    assert cache.find(place("x1 = ")) is not None

    monkeypatch.setattr(cache_module, "MOST_CHARACTERS", 1000)
    cache.clear()
    for letter in "abca":
        cache.put(place(letter * 400), answer("1"))
    assert [cache.find(place(letter * 400)) is not None for letter in "abc"] == [True, False, True]


def test_clear_forgets() -> None:
    """Nothing is left, and there is room for as much again."""
    cache = remembered("x = ", "1")
    cache.clear()
    assert (len(cache), cache.find(place("x = "))) == (0, None)


def test_a_completion_keeps_what_it_replaces_behind() -> None:
    """At its own place a completion is given back as it was made."""
    cache = CompletionCache()
    made = replace(answer("a)", behind=1), message="m")
    cache.put(place("f(", ")" + BELOW), made)
    carried = cache.find(place("f(", ")" + BELOW))
    assert carried is not None
    assert carried.completion == made
