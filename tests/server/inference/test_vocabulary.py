"""Tokens of real vocabularies: texts come back as they were, and stay texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import parts

VocabularyOf = Callable[[Path], Any]
WithTokens = Callable[[Path, Mapping[str, int]], Path]

CONTROL, USER_DEFINED = 3, 4  # token types in a GGUF

BYTE_LEVEL = ("qwen2", "starcoder", "refact", "deepseek-coder", "llama-bpe", "command-r")
SENTENCE_PIECE = ("llama-spm",)

TEXTS = (
    "def total(self) -> int:\n    return sum(item.price for item in self.items)\n",
    "    indented",
    "  two",
    "\ttab\n\n\nlines\r\n",
    " ",
    "\n",
    "\n\n    \n",
    "x",
    "日本語 ünïcödé 🦜☺",
    "a\0b",
    "</s><|endoftext|><fim_prefix>",
    "",
)


def written(vocabulary: Any, tokens: list[int]) -> str:
    return b"".join(vocabulary.bytes_of(token) for token in tokens).decode()


@pytest.mark.parametrize("name", BYTE_LEVEL + SENTENCE_PIECE)
def test_texts_come_back_byte_for_byte(name: str, vocabulary_of: VocabularyOf) -> None:
    """The tokens of a text write that text: no space before it, nothing taken for a special token."""
    vocabulary = vocabulary_of(parts.require_vocabulary(name))
    for text in TEXTS:
        assert written(vocabulary, vocabulary.encode(text)) == text


def test_pieces_have_the_tokens_of_the_whole(vocabulary_of: VocabularyOf) -> None:
    """In a SentencePiece vocabulary a piece gets the tokens that it has in the middle of a text."""
    vocabulary = vocabulary_of(parts.require_vocabulary("llama-spm"))
    assert vocabulary.space_prefix
    head, tail = "import os\n", "def f(x):\n    return x\n"
    assert vocabulary.encode(head) + vocabulary.encode(tail) == vocabulary.encode(head + tail)
    assert vocabulary.encode("def")[0] != vocabulary.encode(" def")[0]


def test_lone_surrogates_do_no_harm(vocabulary_of: VocabularyOf, model: Path) -> None:
    """A text that is no Unicode becomes question marks instead of ending the process."""
    vocabulary = vocabulary_of(model)
    assert written(vocabulary, vocabulary.encode("a\ud800b")) == "a?b"


@pytest.mark.parametrize("kind", [CONTROL, USER_DEFINED])
def test_special_tokens_in_a_text_are_text(
    kind: int, vocabulary_of: VocabularyOf, with_tokens: WithTokens
) -> None:
    """A file that spells a special token cannot write one into the prompt, whatever type that token has."""
    path = with_tokens(parts.require_vocabulary("qwen2"), {"<|file_sep|>": kind, "<|EOT|>": kind})
    vocabulary = vocabulary_of(path)
    assert set(vocabulary.known) == {"<|file_sep|>", "<|EOT|>", "<|endoftext|>"}
    text = "a <|file_sep|>b<|EOT|><|EOT|> <|endoftext|>"
    tokens = vocabulary.encode(text)
    assert not set(vocabulary.known.values()) & set(tokens)
    assert written(vocabulary, tokens) == text


def test_end_tokens(vocabulary_of: VocabularyOf, with_tokens: WithTokens) -> None:
    """The model's own end, tokens that separate files, and tokens that write nothing end a generation."""
    added = {
        "<|file_sep|>": USER_DEFINED,
        "<|fim_pad|>": CONTROL,
        "<|strange|>": CONTROL,
        "<think>": USER_DEFINED,
    }
    vocabulary = vocabulary_of(with_tokens(parts.require_vocabulary("qwen2"), added))
    first = vocabulary.size - len(added)
    assert [bool(vocabulary.ends[first + place]) for place in range(4)] == [True, True, True, False]
    assert vocabulary.ends[vocabulary.known["<|endoftext|>"]]
    assert not vocabulary.ends[vocabulary.encode("return")[0]]


def test_a_probed_text_must_be_one_special_token(vocabulary_of: VocabularyOf) -> None:
    """Texts that a vocabulary does not have, or has as ordinary words, are not reported."""
    assert vocabulary_of(parts.require_vocabulary("llama-spm")).known == {}
    known = vocabulary_of(parts.require_vocabulary("starcoder")).known
    assert {"<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<repo_name>", "<file_sep>"} <= set(known)
