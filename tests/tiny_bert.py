"""Writes an embedding model of a few kilobytes: BERT with random weights, as a GGUF file."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

SIZE = 32
"""Numbers in a vector."""
TOKENS = 64
"""It reads no more of a text."""
WORDS = ("heron", "stork", "crane", "def", "return", "=", "1", "2", "(", ")", ":", "+", "price", "total")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
NORMAL, CONTROL = 1, 3  # llama.cpp's kinds of tokens
MEAN = 1  # llama.cpp's number for pooling by the mean
ALIGNMENT = 32

Value = str | int | float | bool | Sequence[str] | Sequence[int] | Sequence[float]


def write_tiny_bert(path: Path, pooling: int | None = MEAN) -> Path:
    """The same file each time; without `pooling` it does not say how vectors are pooled."""
    path.write_bytes(_gguf(_metadata(pooling), _tensors()))
    return path


def _metadata(pooling: int | None) -> dict[str, Value]:
    tokens = [*SPECIAL, *(f"\u2581{word}" for word in WORDS), *"abcdefghijklmnopqrstuvwxyz"]
    metadata: dict[str, Value] = {
        "general.architecture": "bert",
        "general.name": "tiny",
        "bert.context_length": TOKENS,
        "bert.embedding_length": SIZE,
        "bert.feed_forward_length": 2 * SIZE,
        "bert.block_count": 1,
        "bert.attention.head_count": 2,
        "bert.attention.layer_norm_epsilon": 1e-12,
        "bert.attention.causal": False,
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.token_type_count": 2,
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [CONTROL if token in SPECIAL else NORMAL for token in tokens],
        "tokenizer.ggml.scores": [0.0] * len(tokens),
        "tokenizer.ggml.padding_token_id": 0,
        "tokenizer.ggml.unknown_token_id": 1,
        "tokenizer.ggml.bos_token_id": 2,
        "tokenizer.ggml.eos_token_id": 3,
        "tokenizer.ggml.seperator_token_id": 3,  # llama.cpp's spelling
    }
    if pooling is not None:
        metadata["bert.pooling_type"] = pooling
    return metadata


def _tensors() -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)

    def weights(*shape: int) -> np.ndarray:
        return random.normal(0, 0.3, shape).astype(np.float32)

    vocabulary = len(SPECIAL) + len(WORDS) + 26
    tensors = {
        "token_embd.weight": 3 * weights(vocabulary, SIZE),
        "position_embd.weight": 0.1 * weights(TOKENS, SIZE),
        "token_types.weight": weights(2, SIZE),
    }
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        tensors[f"blk.0.{name}.weight"] = weights(SIZE, SIZE)
        tensors[f"blk.0.{name}.bias"] = weights(SIZE)
    tensors |= {
        "blk.0.ffn_up.weight": weights(2 * SIZE, SIZE),
        "blk.0.ffn_up.bias": weights(2 * SIZE),
        "blk.0.ffn_down.weight": weights(SIZE, 2 * SIZE),
        "blk.0.ffn_down.bias": weights(SIZE),
    }
    for name in ("token_embd_norm", "blk.0.attn_output_norm", "blk.0.layer_output_norm"):
        tensors[f"{name}.weight"] = np.ones(SIZE, dtype=np.float32)
        tensors[f"{name}.bias"] = np.zeros(SIZE, dtype=np.float32)
    return tensors


def _gguf(metadata: Mapping[str, Value], tensors: Mapping[str, np.ndarray]) -> bytes:
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata))
    head += b"".join(_text(key) + _value(value) for key, value in metadata.items())
    body = b""
    for name, tensor in tensors.items():
        shape = tuple(reversed(tensor.shape))
        head += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(body))
        body += _aligned(tensor.astype("<f4").tobytes())
    return _aligned(head) + body


def _aligned(data: bytes) -> bytes:
    return data + bytes(-len(data) % ALIGNMENT)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Value) -> bytes:
    match value:
        case bool():
            return struct.pack("<I?", 7, value)
        case int():
            return struct.pack("<II", 4, value)
        case float():
            return struct.pack("<If", 6, value)
        case str():
            return struct.pack("<I", 8) + _text(value)
    first = value[0]
    if isinstance(first, str):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(_text(str(one)) for one in value)
    kind, letter = (5, "i") if isinstance(first, int) else (6, "f")
    return struct.pack(f"<IIQ{len(value)}{letter}", 9, kind, len(value), *value)
