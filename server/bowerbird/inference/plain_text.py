"""Text that stays text: no special token found in it, no space put before it.

Both engines need this, as both ask llama.cpp's tokenizer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

SENTINEL = "☺"  # no vocabulary joins it with what follows; CodeLlama's and Mistral's authors use it too


def plain_parts(text: str, reserved: Iterable[str]) -> list[str]:
    """`text` cut within each of the `reserved` texts, so that no part holds one whole."""
    parts = [text]
    for special in reserved:
        if len(special) > 1:
            parts = [cut for part in parts for cut in _cut_within(part, special)]
    return parts


def _cut_within(text: str, special: str) -> list[str]:
    *heads, last = text.split(special)
    parts: list[str] = []
    rest = ""
    for head in heads:
        parts.append(rest + head + special[0])
        rest = special[1:]
    return [*parts, rest + last]


def without_sentinel(tokens: Sequence[int], sentinel: Sequence[int]) -> list[int]:
    """The tokens of a text that was encoded behind `SENTINEL`, whose own tokens are `sentinel`."""
    count = len(sentinel)
    if list(tokens[:count]) != list(sentinel):
        raise ValueError("The tokenizer joined the sentinel with the text behind it.")
    return list(tokens[count:])
