"""The embedding model in a process of its own: vectors, and what becomes of bad files and dead processes."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bowerbird.inference.embedding import EmbeddingEngine
from bowerbird.inference.generator import ModelCorrupt, ModelCrashed, ModelMissing
from bowerbird.inference.models import built_in_model
from bowerbird.settings import InferenceSettings
from tiny_bert import SIZE, TOKENS, write_tiny_bert

SETTINGS = InferenceSettings(threads=1)


@pytest.fixture
async def embedder(tmp_path: Path) -> AsyncIterator[EmbeddingEngine]:
    engine = EmbeddingEngine(write_tiny_bert(tmp_path / "tiny.gguf"), SETTINGS)
    yield engine
    await engine.close()


async def test_each_text_has_a_vector_of_unit_length(embedder: EmbeddingEngine) -> None:
    """The same for the same text, whatever is asked with it; near for texts that share words."""
    texts = ["heron = 1", "heron = 2", "def total(price):", "", "\udc80", "heron = 1"]
    vectors = await embedder.embed(texts)

    assert vectors.shape == (len(texts), SIZE)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(vectors[0], vectors[-1])
    assert np.allclose(vectors[2], (await embedder.embed(texts[2:3]))[0], atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


async def test_a_long_text_is_read_as_far_as_the_model_reads(embedder: EmbeddingEngine) -> None:
    """What follows behind makes no difference, and no error."""
    long = "heron " * TOKENS
    vectors = await embedder.embed([long, long + "stork " * 1000])
    assert np.allclose(vectors[0], vectors[1], atol=1e-6)


async def test_a_model_that_does_not_say_how_to_pool_takes_the_mean(
    tmp_path: Path, embedder: EmbeddingEngine
) -> None:
    """As most do that say it."""
    silent = EmbeddingEngine(write_tiny_bert(tmp_path / "silent.gguf", pooling=None), SETTINGS)
    try:
        assert np.allclose(await silent.embed(["heron"]), await embedder.embed(["heron"]), atol=1e-6)
    finally:
        await silent.close()


async def test_a_model_that_writes_gives_vectors_too() -> None:
    """It reads one text after another, none of which colours the next."""
    engine = EmbeddingEngine(built_in_model(), SETTINGS)
    try:
        first, _, again = await engine.embed(["heron = 1", "something else", "heron = 1"])
        assert np.allclose(first, again, atol=1e-4)
    finally:
        await engine.close()


@pytest.mark.parametrize(
    ("content", "kind", "said"),
    [
        (None, ModelMissing, "There is no model file"),
        (b"something else", ModelCorrupt, "is no GGUF file"),
        (b"GGUF" + bytes(200), ModelCorrupt, "cannot be loaded"),
    ],
)
async def test_a_bad_file_is_told_in_a_sentence(
    tmp_path: Path, content: bytes | None, kind: type[Exception], said: str
) -> None:
    """Each time, and the sentence stays to be shown."""
    file = tmp_path / "bad.gguf"
    if content is not None:
        file.write_bytes(content)
    engine = EmbeddingEngine(file, SETTINGS)
    for _ in range(2):
        with pytest.raises(kind, match=said):
            await engine.embed(["heron"])
    assert said in engine.problem
    await engine.close()


async def test_a_mended_file_is_tried_again(tmp_path: Path) -> None:
    """Nobody has to restart anything."""
    file = tmp_path / "mended.gguf"
    file.write_bytes(b"GGUF" + bytes(200))
    engine = EmbeddingEngine(file, SETTINGS)
    with pytest.raises(ModelCorrupt):
        await engine.embed(["heron"])
    write_tiny_bert(file)
    try:
        assert (await engine.embed(["heron"])).shape == (1, SIZE)
        assert engine.problem == ""
    finally:
        await engine.close()


async def test_an_idle_model_makes_room(tmp_path: Path) -> None:
    """As the one that completes does; the next use brings it back."""
    settings = replace(SETTINGS, idle_minutes=0.001)  # type: ignore[arg-type]
    engine = EmbeddingEngine(write_tiny_bert(tmp_path / "tiny.gguf"), settings)
    try:
        first = await engine.embed(["heron"])
        process = engine._process
        assert process is not None
        async with asyncio.timeout(60):
            await process.gone()
        assert np.array_equal(await engine.embed(["heron"]), first)
    finally:
        await engine.close()


async def test_a_dead_process_is_replaced(embedder: EmbeddingEngine) -> None:
    """Who asks while it dies hears of it; the next one gets a new process."""
    await embedder.embed(["heron"])
    process = embedder._process
    assert process is not None
    asking = asyncio.create_task(embedder.embed(["heron stork " * 30] * 3000))
    await asyncio.sleep(0.2)
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(ModelCrashed, match="embedding model's process was killed"):
        await asking
    assert (await embedder.embed(["heron"])).shape == (1, SIZE)
