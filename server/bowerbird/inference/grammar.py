"""What llama.cpp's reading of a grammar (GBNF) lets a model write next.

Runs in the model's process only. A token that the grammar refuses must never be taken: llama.cpp throws a
C++ exception then, which ends the process.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import llama_cpp.llama_cpp as llama
import numpy as np

from bowerbird.inference.context import DecoderError

ROOT = b"root"
CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])  # `llama_token_data`
NOT_UNDERSTOOD = "The answer should keep to a grammar that llama.cpp does not understand."


class Grammar:
    """One text, followed through a grammar as it is written. `close` it afterwards."""

    def __init__(self, vocab: Any, end: int | None, gbnf: str) -> None:
        """`end`: one of llama.cpp's own end tokens; raises `DecoderError`."""
        data = gbnf.encode("utf-8", "replace")
        self._sampler = None if b"\0" in data else llama.llama_sampler_init_grammar(vocab, data, ROOT)
        if not self._sampler:
            raise DecoderError("grammar", NOT_UNDERSTOOD)
        self._end = end
        self._admitted: int | None = None
        """The token that the grammar said yes to last."""

    def may_end(self) -> bool:
        """Is the text whole as it stands?"""
        return self._end is not None and self._first([self._end]) is not None

    def first(self, tokens: Sequence[int]) -> int | None:
        """The first of `tokens`, none of which ends a text, that may be written next."""
        self._admitted = self._first(tokens)
        return self._admitted

    def take(self, token: int) -> None:
        """`token` is written, if the grammar lets it."""
        if token != self._admitted and self.first([token]) is None:
            raise DecoderError("grammar", "A token was to be written that the grammar does not allow.")
        self._admitted = None
        llama.llama_sampler_accept(self._sampler, token)

    def close(self) -> None:
        """Give back what llama.cpp holds. Can be called twice."""
        sampler, self._sampler = self._sampler, None
        if sampler:
            llama.llama_sampler_free(sampler)

    def _first(self, tokens: Sequence[int]) -> int | None:
        candidates = np.zeros(len(tokens), dtype=CANDIDATE)
        candidates["id"] = tokens
        data = candidates.ctypes.data_as(ctypes.POINTER(llama.llama_token_data))
        array = llama.llama_token_data_array(data, len(tokens), -1, False)
        llama.llama_sampler_apply(self._sampler, ctypes.byref(array))  # refused ones get a logit of -inf
        allowed = np.flatnonzero(candidates["logit"] == 0)
        return int(tokens[allowed[0]]) if len(allowed) else None
