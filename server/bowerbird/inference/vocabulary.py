"""The tokens of a model: text to ids and back, which of them are special, which end a text.

Runs in the model's process only.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import llama_cpp.llama_cpp as llama
import numpy as np
import numpy.typing as npt

from bowerbird.inference.grammar import Grammar
from bowerbird.inference.plain_text import SENTINEL, plain_parts, without_sentinel

CONTROL = llama.LLAMA_TOKEN_ATTR_CONTROL
SPECIAL = CONTROL | llama.LLAMA_TOKEN_ATTR_USER_DEFINED
NO_TEXT = CONTROL | llama.LLAMA_TOKEN_ATTR_UNKNOWN
SPECIAL_OR_UNKNOWN = SPECIAL | NO_TEXT

ROLES = {
    "pre": llama.llama_vocab_fim_pre,
    "suf": llama.llama_vocab_fim_suf,
    "mid": llama.llama_vocab_fim_mid,
    "pad": llama.llama_vocab_fim_pad,
    "rep": llama.llama_vocab_fim_rep,
    "sep": llama.llama_vocab_fim_sep,
    "bos": llama.llama_vocab_bos,
}


class Vocabulary:
    """What llama.cpp knows of a model's tokens."""

    def __init__(self, vocab: Any, probe: Iterable[str]) -> None:
        """`probe`: texts that may be special tokens; those that are end a generation."""
        self._vocab = vocab
        self._piece = ctypes.create_string_buffer(256)
        self.size: int = llama.llama_vocab_n_tokens(vocab)
        self.roles = {role: token for role, ask in ROLES.items() if (token := ask(vocab)) >= 0}
        self.known = {text: token for text in probe if (token := self._special(text)) is not None}
        self.ends = self._find_ends()
        self._reserved = {
            *self.known.values(),
            *(token for token in self.roles.values() if self._attributes(token) & SPECIAL),
        }
        # SentencePiece vocabularies of the Llama kind put a space before every text.
        plain = self._tokenize("a", special=False)
        self.space_prefix = bool(plain) and self.bytes_of(plain[0]).startswith(b" ")
        self._sentinel = self._tokenize(SENTINEL, special=False) if self.space_prefix else []

    def report(self) -> dict[str, Any]:
        """What the server needs to know, as JSON."""
        named = {*self.roles.values(), *self.known.values()}
        return {
            "vocabulary_tokens": self.size,
            "add_bos": bool(llama.llama_vocab_get_add_bos(self._vocab)),
            "space_prefix": self.space_prefix,
            "roles": self.roles,
            "known": self.known,
            "texts": [[token, self._text(token)] for token in sorted(named)],
            "bos_text": self._text(bos) if (bos := llama.llama_vocab_bos(self._vocab)) >= 0 else "",
            "eos_text": self._text(eos) if (eos := llama.llama_vocab_eos(self._vocab)) >= 0 else "",
        }

    def encode(self, text: str) -> list[int]:
        """The ids of `text` by itself: no space before it, and nothing in it is taken for a special token."""
        tokens = self._plain(text)
        if self._reserved.isdisjoint(tokens):
            return tokens
        # Tokens that a model's makers declared as text, not as control tokens, are found in any text.
        reserved = [self._text(token) for token in self._reserved.intersection(tokens)]
        return [token for part in plain_parts(text, reserved) for token in self._plain(part)]

    def encode_own(self, text: str) -> list[int]:
        """The ids of a text by the model's makers, whose special tokens are meant."""
        if not self._sentinel or not text:
            return self._tokenize(text, special=True)
        return without_sentinel(self._tokenize(SENTINEL + text, special=True), self._sentinel)

    def bytes_of(self, token: int) -> bytes:
        """What `token` writes; nothing for control tokens."""
        size = llama.llama_token_to_piece(self._vocab, token, self._piece, len(self._piece), 0, False)
        if size < 0:
            self._piece = ctypes.create_string_buffer(-size)
            return self.bytes_of(token)
        return self._piece.raw[:size]

    def grammar(self, gbnf: str) -> Grammar:
        """A grammar in these tokens; raises `DecoderError`."""
        own_ends = (int(token) for token in np.flatnonzero(self.ends))
        end = next((token for token in own_ends if llama.llama_vocab_is_eog(self._vocab, token)), None)
        return Grammar(self._vocab, end, gbnf)

    def _plain(self, text: str) -> list[int]:
        if not self._sentinel or not text:
            return self._tokenize(text, special=False)
        return without_sentinel(self._tokenize(SENTINEL + text, special=False), self._sentinel)

    def _tokenize(self, text: str, special: bool) -> list[int]:
        data = text.encode("utf-8", "replace")  # lone surrogates would end the process
        capacity = len(data) + 2
        while True:
            buffer = (llama.llama_token * capacity)()
            count = llama.llama_tokenize(self._vocab, data, len(data), buffer, capacity, False, special)
            if count >= 0:
                return buffer[:count]
            capacity = -count

    def _special(self, text: str) -> int | None:
        """The id of `text` if it is one special token of this vocabulary."""
        tokens = self._tokenize(text, special=True)
        if len(tokens) != 1 or not self._attributes(tokens[0]) & SPECIAL or self._text(tokens[0]) != text:
            return None
        return tokens[0]

    def _attributes(self, token: int) -> int:
        return int(llama.llama_vocab_get_attr(self._vocab, token))

    def _text(self, token: int) -> str:
        text: bytes = llama.llama_vocab_get_text(self._vocab, token)
        return text.decode("utf-8", "replace")

    def _find_ends(self) -> npt.NDArray[np.bool_]:
        """Which tokens end a generation: llama.cpp's, the named ones, and every other that writes nothing."""
        ends = np.zeros(self.size, dtype=np.bool_)
        for token in range(self.size):
            attributes = self._attributes(token)
            if attributes & SPECIAL_OR_UNKNOWN:
                ends[token] = attributes & NO_TEXT or llama.llama_vocab_is_eog(self._vocab, token)
        own = (llama.llama_vocab_eos(self._vocab), llama.llama_vocab_eot(self._vocab))
        ends[[*self.known.values(), *(token for token in own if token >= 0)]] = True
        return ends
