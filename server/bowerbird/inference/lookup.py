"""Prompt lookup: guess what the model writes next from where its last words stood before.

A completion often repeats what stands in the prompt, above all in retrieved windows. Each guess that the
model confirms saves a step of its own, and a batch of several tokens takes much less time than as many
steps. Pure: tokens in, tokens out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

PRICE = 0.35
"""What one more token in a batch costs, in steps of one token; 0.25 to 0.4 for a small model on one core."""
LONGEST_MATCH = 8
LONG_MATCH = 4  # tokens in a row say as much as two and a guess that was right
PLACES_COMPARED = 8  # the latest
EXPECTED = (0.53, 0.72, 0.8, 0.84, 0.87, 0.9, 0.9, 0.92, 0.94, 0.94, 0.94, 0.95, 0.95, 0.96, 0.97, 0.98)
"""How often a guess is right where so many before it, from the same place, were right."""
PRIOR_WEIGHT = 6.0  # what is expected counts as much as so many guesses


class Lookup:
    """The tokens of a prompt and what was written behind it, with a guess at what comes next.

    It follows the place whose last tokens are the longest match (the latest among equals) for as long as what
    is written agrees, and learns from every token, drafted or not, how far guesses can be trusted. So
    drafts grow while they are right, and cease, at no further cost, where they are not.
    """

    def __init__(self, prompt: Sequence[int]) -> None:
        self._tokens = list(prompt)
        self._places: dict[tuple[int, ...], list[int]] = {}
        """For each pair of tokens, where the third one stands."""
        for place, pair in enumerate(pairwise(self._tokens[:-1]), start=2):
            self._places.setdefault(pair, []).append(place)
        self._right = [PRIOR_WEIGHT * share for share in EXPECTED]
        self._guessed = [PRIOR_WEIGHT] * len(EXPECTED)
        self._source, self._trust = self._search()

    def add(self, token: int) -> None:
        """`token` was written."""
        tokens = self._tokens
        right = False
        if self._source < len(tokens):
            right = tokens[self._source] == token
            self._right[self._trust] += right
            self._guessed[self._trust] += 1
        if len(tokens) > 1:
            self._places.setdefault((tokens[-2], tokens[-1]), []).append(len(tokens))
        tokens.append(token)
        if right:
            self._source += 1
            self._trust = min(self._trust + 1, len(EXPECTED) - 1)
        else:
            self._source, self._trust = self._search()

    def draft(self, most: int, ends: Callable[[int], bool]) -> list[int]:
        """At most `most` tokens that are likely enough to be written next, none of which `ends` the text."""
        drafted: list[int] = []
        trust, worth = self._trust, 1.0
        written, steps = 1.0, 1.0  # expected of the batch: tokens written, and what it costs
        for token in self._tokens[self._source : self._source + most]:
            worth *= self._right[trust] / self._guessed[trust]
            if ends(token) or worth / PRICE < written / steps:
                break
            drafted.append(token)
            written += worth
            steps += PRICE
            trust = min(trust + 1, len(EXPECTED) - 1)
        return drafted

    def _search(self) -> tuple[int, int]:
        """The source, which lies behind all tokens if there is none, and how far to trust it."""
        tokens = self._tokens
        source, longest = len(tokens), 0
        for place in self._places.get(tuple(tokens[-2:]), ())[: -PLACES_COMPARED - 1 : -1]:
            match = 2
            while match < min(place, LONGEST_MATCH) and tokens[place - 1 - match] == tokens[-1 - match]:
                match += 1
            if match > longest:
                source, longest = place, match
        return source, int(longest >= LONG_MATCH)
