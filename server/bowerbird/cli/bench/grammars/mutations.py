"""One-token mistakes, as a hasty hand makes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from bowerbird.cli.bench.grammars.sample import Mutation
from bowerbird.syntax.soundness import Range

KINDS = ("delete", "duplicate", "replace", "insert")


def mutations(
    texts: Sequence[tuple[bytes, Sequence[Range]]], count: int, random: Random
) -> Iterator[Mutation]:
    """Take kinds in turn, and tokens by lot: each of all the tokens in `texts` is as likely as any other."""
    every = [(data, token) for data, tokens in texts for token in tokens]
    for number in range(count if every else 0):
        data, (start, end) = random.choice(every)
        other, (other_start, other_end) = random.choice(every)
        token, stranger = data[start:end], other[other_start:other_end]
        kind = KINDS[number % len(KINDS)]
        new = {"delete": b"", "duplicate": token, "replace": stranger, "insert": stranger}[kind]
        kept = b"" if kind in {"delete", "replace"} else token
        text = b"%b %b %b %b" % (data[:start], new, kept, data[end:])
        yield Mutation(kind, token.decode(), new.decode(), text.decode())


def deletions(data: bytes, tokens: Sequence[Range]) -> Iterator[tuple[Range, bytes]]:
    """Each token blanked out, so that everything else stays where it is."""
    for start, end in tokens:
        yield Range(start, end), data[:start] + b" " * (end - start) + data[end:]
