"""A trained model -> GGUF, with all that Bowerbird asks of one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType, GGUFWriter, TokenType
from numpy.typing import NDArray
from tokenizers import Tokenizer

from nestling.model import HEAD_WIDTH, NORM_EPSILON, ROPE_BASE, Llama, Shape
from nestling.tokenizer import END_ID, PAD_ID, ROLES, SPECIALS

PROMPT_FORM_KEY = "bowerbird.prompt_form"
PROMPT_FORM = "1 suffix-first"
"""What `bowerbird.inference.families` calls it."""

IN_BLOCKS = {
    "attention_norm": "attn_norm",
    "attention.q": "attn_q",
    "attention.k": "attn_k",
    "attention.v": "attn_v",
    "attention.output": "attn_output",
    "feed_forward_norm": "ffn_norm",
    "feed_forward.gate": "ffn_gate",
    "feed_forward.up": "ffn_up",
    "feed_forward.down": "ffn_down",
}
OUTSIDE = {"embedding.weight": "token_embd.weight", "norm.weight": "output_norm.weight"}
OUTPUT = "output.weight"
LLAMA_FILE_TYPES = {
    GGMLQuantizationType.F32: gguf.LlamaFileType.ALL_F32,
    GGMLQuantizationType.F16: gguf.LlamaFileType.MOSTLY_F16,
    GGMLQuantizationType.Q8_0: gguf.LlamaFileType.MOSTLY_Q8_0,
}


def export_gguf(
    model: Llama, tokenizer: Tokenizer, path: Path, name: str, kind: GGMLQuantizationType
) -> None:
    """Write `model` with matrices as `kind` (F32, F16, Q8_0) and norms as F32."""
    shape = model.shape
    writer = GGUFWriter(path, "llama")
    writer.add_name(name)
    writer.add_license("mit")
    writer.add_string(PROMPT_FORM_KEY, PROMPT_FORM)
    writer.add_file_type(LLAMA_FILE_TYPES[kind])
    writer.add_block_count(shape.blocks)
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.heads)
    writer.add_rope_dimension_count(HEAD_WIDTH)
    writer.add_rope_freq_base(ROPE_BASE)
    writer.add_layer_norm_rms_eps(NORM_EPSILON)
    writer.add_vocab_size(shape.vocabulary)
    _add_vocabulary(writer, tokenizer, shape)
    for tensor, values in _tensors(model):
        stored = kind if values.ndim == 2 else GGMLQuantizationType.F32
        writer.add_tensor(tensor, gguf.quants.quantize(values, stored), raw_dtype=stored)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _tensors(model: Llama) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """llama.cpp's names, and the weights as float32; a tied output is left out."""
    for name, weight in model.state_dict().items():
        values = weight.detach().to("cpu", torch.float32).numpy()
        if name == OUTPUT:
            if not model.shape.tied:
                yield OUTPUT, values
        elif name in OUTSIDE:
            yield OUTSIDE[name], values
        else:
            _, number, inner = name.split(".", 2)
            yield f"blk.{number}.{IN_BLOCKS[inner.removesuffix('.weight')]}.weight", values


def _add_vocabulary(writer: GGUFWriter, tokenizer: Tokenizer, shape: Shape) -> None:
    told = json.loads(tokenizer.to_str())["model"]
    texts = {number: text for text, number in told["vocab"].items()}
    missing = [f"<unused {number}>" for number in range(len(texts), shape.vocabulary)]
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in told["merges"]]
    controls = [TokenType.CONTROL] * len(SPECIALS)
    normal = [TokenType.NORMAL] * (len(texts) - len(SPECIALS))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([*(texts[number] for number in range(len(texts))), *missing])
    writer.add_token_types([*controls, *normal, *[TokenType.UNUSED] * len(missing)])
    writer.add_token_merges(merges)
    writer.add_bos_token_id(END_ID)
    writer.add_eos_token_id(END_ID)
    writer.add_pad_token_id(PAD_ID)
    writer.add_add_bos_token(False)
    writer.add_uint32("tokenizer.ggml.fim_pre_token_id", ROLES["pre"])
    writer.add_uint32("tokenizer.ggml.fim_suf_token_id", ROLES["suf"])
    writer.add_uint32("tokenizer.ggml.fim_mid_token_id", ROLES["mid"])
    writer.add_uint32("tokenizer.ggml.fim_rep_token_id", ROLES["rep"])
    writer.add_uint32("tokenizer.ggml.fim_sep_token_id", ROLES["sep"])
    writer.add_uint32("tokenizer.ggml.fim_pad_token_id", PAD_ID)
