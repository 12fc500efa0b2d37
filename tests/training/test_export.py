"""llama.cpp does what PyTorch does, and Bowerbird knows the model for one of its own."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType
from tokenizers import Tokenizer

from bowerbird.inference.context import AbortFlag
from bowerbird.inference.decoder import Decoder
from bowerbird.inference.families import texts_to_probe
from bowerbird.inference.llama import LlamaEngine
from bowerbird.settings import InferenceSettings
from nestling.export import PROMPT_FORM, export_gguf
from nestling.model import Llama, Shape
from nestling.repository import TEMPLATE
from nestling.tokenizer import ROLES, SPECIALS, encode

PIECES = (
    "\tif x:\n\t\treturn\t1\n",
    "a = 1\r\nb = 2\r\n",
    "naïve = 'żółć' + '日本語' + 'Ω≈ç√'\n",
    "print('🐦 👩‍💻 🇫🇷')\n",
    "x" + " " * 300 + "y\n" + " " * 17 + "z  \n\n\n   \n",
    "it's don't we'll I'VE x'y\n",
    "<|fim_prefix|> is text here, and so is <|endoftext|>\n",
    "½ x² ٣ Ⅷ _a__b1__ 0x1F 1_000.5e-3\n",
    "\u200b\u00a0\ufeff\u2028 \x0b\x0c\x1f end",
    "",
)
"""Where tokenizers tend to differ."""


@pytest.fixture(scope="module")
def exported(model: Llama, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The model in all kinds of file."""
    folder = tmp_path_factory.mktemp("exported")
    paths = {}
    for kind in (GGMLQuantizationType.F32, GGMLQuantizationType.F16, GGMLQuantizationType.Q8_0):
        paths[kind.name] = folder / f"{kind.name}.gguf"
        export_gguf(model, tokenizer, paths[kind.name], "Nestling test", kind)
    return paths


def _decoder(path: Path, vocabulary_only: bool = False) -> Decoder:
    """Bowerbird's own: it knows which of llama.cpp's ways to compute are broken on this processor."""
    asked = {
        "path": str(path),
        "probe": texts_to_probe(),
        "vocabulary_only": vocabulary_only,
        "context_tokens": 0,
        "micro_batch_tokens": 64,
        "threads": 1,
        "gpu_layers": 0,
    }
    return Decoder(asked, AbortFlag(), lambda: None)


def _logits(path: Path, ids: list[int]) -> np.ndarray:
    context = _decoder(path).context
    assert context is not None
    rows = []
    for start in range(0, len(ids), context.step):
        step = ids[start : start + context.step]
        context.decode(step, all_logits=True)
        rows += [context.logits(place).copy() for place in range(len(step))]
    return np.stack(rows)


@pytest.mark.parametrize(("kind", "tolerance"), [("F32", 0.01), ("F16", 0.02), ("Q8_0", 0.1)])
def test_llama_cpp_computes_the_same_logits(
    exported: dict[str, Path],
    model: Llama,
    tokenizer: Tokenizer,
    code: list[str],
    kind: str,
    tolerance: float,
) -> None:
    """At every one of 200 places of real code, as far as the file's precision allows."""
    ids = encode(tokenizer, code[0])[:200]
    with torch.no_grad():
        expected = model(torch.tensor([ids]))[0].numpy()
    found = _logits(exported[kind], ids)
    assert np.abs(found - expected).max() < tolerance * np.abs(expected).max()
    assert (found.argmax(1) == expected.argmax(1)).mean() > 0.9


def test_an_untied_output_is_exported(tokenizer: Tokenizer, tmp_path: Path) -> None:
    """The output is a matrix of its own, with its own weights."""
    torch.manual_seed(1)
    untied = Llama(Shape(tokenizer.get_vocab_size(), 128, 1, 64, tied=False)).eval()
    path = tmp_path / "untied.gguf"
    export_gguf(untied, tokenizer, path, "untied", GGMLQuantizationType.F32)
    with torch.no_grad():
        expected = untied(torch.tensor([[10, 20, 30]]))[0].numpy()
    assert np.abs(_logits(path, [10, 20, 30]) - expected).max() < 0.01


def test_llama_cpp_finds_the_same_tokens(
    exported: dict[str, Path], tokenizer: Tokenizer, code: list[str]
) -> None:
    """Real code and what tokenizers differ on, token for token; texts of special tokens stay text."""
    vocabulary = _decoder(exported["F16"], vocabulary_only=True).vocabulary
    for text in (*code, *PIECES):
        ids = encode(tokenizer, text)
        assert vocabulary.encode(text) == ids
        assert tokenizer.decode(ids, skip_special_tokens=False) == text
        assert not set(ids) & set(range(len(SPECIALS)))


def test_bowerbird_takes_it_for_a_nestling(exported: dict[str, Path]) -> None:
    """Family, prompt form and the ids of all roles come out of the file as they were put in."""

    async def loaded() -> None:
        engine = LlamaEngine(exported["Q8_0"], InferenceSettings(threads=1))
        try:
            told = await engine.load()
        finally:
            await engine.close()
        assert told.template.family == TEMPLATE.family
        assert told.template.family.prompt_form == PROMPT_FORM
        assert dict(told.template.ids) == ROLES
        assert told.template.bos is None
        assert not told.notes

    asyncio.run(loaded())
