"""The cache of token ids."""

from __future__ import annotations

import tracemalloc
from itertools import count

import pytest

from bowerbird.inference import token_cache
from bowerbird.inference.token_cache import TokenCache

NUMBERS = count()


def test_what_was_put_is_found_until_room_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit the text that was not used for longest leaves first."""
    monkeypatch.setattr(token_cache, "MAX_TEXTS", 2)
    cache = TokenCache()
    cache.put("a", [1])
    cache.put("b", [2, 3])
    assert cache.get("a") == [1]
    cache.put("c", [])
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == ([1], None, [])


def test_long_texts_push_others_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit on characters holds, also for a text that is put twice."""
    monkeypatch.setattr(token_cache, "MAX_CHARACTERS", 10)
    cache = TokenCache()
    for _ in range(3):
        cache.put("12345", [5])
    cache.put("abcde", [6])
    assert cache.get("12345") == [5]
    cache.put("x", [7])
    assert (cache.get("abcde"), cache.get("12345"), cache.get("x")) == (None, [5], [7])


def test_a_caller_may_change_what_it_got() -> None:
    """Lists that were handed out are copies."""
    cache = TokenCache()
    cache.put("a", [1])
    found = cache.get("a")
    assert found is not None
    found.append(2)
    assert cache.get("a") == [1]


def test_hours_of_typing_take_a_few_megabytes() -> None:
    """Each key asks for texts that never come again; what is held stops growing within minutes."""
    cache = TokenCache()
    held = []
    tracemalloc.start()
    try:
        for _ in range(2):
            for _ in range(token_cache.MAX_TEXTS):
                cache.put(f"{next(NUMBERS):8} " + "some code of " * 25, [*range(100)])
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert held[1] < 1.05 * held[0]
    assert held[1] < 10e6
