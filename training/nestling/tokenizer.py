"""The vocabulary: byte-level BPE with GPT-2's pre-tokenizer, which llama.cpp reproduces token for token."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

END, PREFIX, SUFFIX, MIDDLE, REPOSITORY, FILE, PAD = SPECIALS = (
    "<|endoftext|>",
    "<|fim_prefix|>",
    "<|fim_suffix|>",
    "<|fim_middle|>",
    "<|repo_name|>",
    "<|file_sep|>",
    "<|fim_pad|>",
)
"""Their ids are their places here."""

END_ID = SPECIALS.index(END)
PAD_ID = SPECIALS.index(PAD)
ROLES = {
    "pre": SPECIALS.index(PREFIX),
    "suf": SPECIALS.index(SUFFIX),
    "mid": SPECIALS.index(MIDDLE),
    "rep": SPECIALS.index(REPOSITORY),
    "sep": SPECIALS.index(FILE),
}
"""The roles of Bowerbird's prompt templates."""


def train_tokenizer(texts: Iterable[str], vocabulary: int) -> Tokenizer:
    """A tokenizer of `vocabulary` ids, the special ones first, then the 256 bytes."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(SPECIALS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def load_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer that `Tokenizer.save` wrote."""
    return Tokenizer.from_file(str(path))


def encode(tokenizer: Tokenizer, text: str) -> list[int]:
    """The ids of `text`; a special token's text in it is text like any other."""
    # `encode_special_tokens` keeps the texts of special tokens from being found.
    tokenizer.encode_special_tokens = True
    ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
    return ids


def encode_all(tokenizer: Tokenizer, texts: Sequence[str]) -> Iterator[list[int]]:
    """The same for many."""
    tokenizer.encode_special_tokens = True
    return (encoding.ids for encoding in tokenizer.encode_batch_fast(list(texts), add_special_tokens=False))
