"""The sizes that may be trained, and which of them the time at hand can feed."""

from __future__ import annotations

from collections.abc import Sequence

from nestling.model import Shape

SIZES: dict[str, tuple[int, int]] = {
    "tiny": (128, 2),
    "5M": (256, 4),
    "6M": (256, 6),
    "8M": (256, 8),
    "12M": (320, 8),
    "20M": (448, 7),
    "30M": (512, 8),
    "38M": (512, 9),
}
"""Name -> width and blocks. The names are for a vocabulary of 16,384 with one matrix for both ends. `tiny` is
for trying things out and never chosen."""

CHOICES = tuple(name for name in SIZES if name != "tiny")

Q8_BYTES = 34 / 32  # of a weight: blocks of 32 bytes and a scale of two
ENTRY_BYTES = 40  # of a token in the file's vocabulary, its merge included
LARGEST_BYTES = 40_000_000
TOKENS_PER_PARAMETER = 20
"""What a weight needs to be worth its place (Hoffmann et al., 2022)."""


def shape_of(size: str, vocabulary: int, context: int, tied: bool = True) -> Shape:
    """The shape of one of `SIZES`; raises `ValueError` for another name."""
    if size not in SIZES:
        raise ValueError(f"There is no size {size!r}; there are {', '.join(SIZES)}.")
    width, blocks = SIZES[size]
    return Shape(vocabulary, width, blocks, context, tied)


def file_bytes(shape: Shape) -> float:
    """About, as Q8_0."""
    return shape.parameters * Q8_BYTES + shape.vocabulary * ENTRY_BYTES


def choose_size(rates: Sequence[tuple[str, Shape, float]], seconds: float) -> tuple[str, str]:
    """The largest size that sees enough tokens in `seconds`, and a sentence that says why.

    `rates` holds name, shape and tokens per second of each, the smallest first. Where even the smallest
    sees too few it is taken all the same.
    """
    fitting = [one for one in rates if file_bytes(one[1]) <= LARGEST_BYTES] or list(rates[:1])
    fed = [one for one in fitting if one[2] * seconds >= TOKENS_PER_PARAMETER * one[1].parameters]
    name, shape, rate = fed[-1] if fed else fitting[0]
    why = "the largest that sees" if fed else "the smallest, and even it does not see"
    if len(rates) == 1:
        why = "as asked for; enough are"
    return name, (
        f"{name}: {why} {TOKENS_PER_PARAMETER} tokens per parameter; {shape.parameters / 1e6:.1f} million "
        f"parameters, {rate * seconds / 1e6:.1f} million tokens at {rate:,.0f} a second"
    )
