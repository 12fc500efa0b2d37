"""Token ids of texts that were asked for lately: windows and the head of a file come again at each key."""

from __future__ import annotations

from array import array
from collections import OrderedDict

MAX_TEXTS = 4_096  # with their ids some 3 MB; four times as many spare one count in a hundred
MAX_CHARACTERS = 2_000_000  # in all; the texts themselves are the keys


class TokenCache:
    """Text -> ids, the texts not used for longest leave first."""

    def __init__(self) -> None:
        self._tokens: OrderedDict[str, array[int]] = OrderedDict()
        self._characters = 0

    def get(self, text: str) -> list[int] | None:
        tokens = self._tokens.get(text)
        if tokens is None:
            return None
        self._tokens.move_to_end(text)
        return tokens.tolist()

    def put(self, text: str, tokens: list[int]) -> None:
        if text not in self._tokens:
            self._characters += len(text)
        self._tokens[text] = array("i", tokens)
        while len(self._tokens) > MAX_TEXTS or self._characters > MAX_CHARACTERS:
            oldest, _ = self._tokens.popitem(last=False)
            self._characters -= len(oldest)

    def clear(self) -> None:
        self._tokens.clear()
        self._characters = 0
