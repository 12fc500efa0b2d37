"""What is retrieved for a request: a light module, so that a command line may name the modes."""

from __future__ import annotations

from enum import StrEnum


class Mode(StrEnum):
    """What is retrieved, and how often; each but the last writes once."""

    ZERO = "zero"
    """The request alone."""
    FEW = "few"
    """The most similar examples as they are."""
    ACECODER = "acecoder"
    """Examples that differ, each with a preliminary."""
    RAR = "rar"
    """Documentation and examples, chosen by what they have to do with one another."""
    EVOR = "evor"
    """All of it, again and again, with what checkers say."""
