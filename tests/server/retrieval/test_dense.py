"""Windows found by their vectors, and by vectors and words together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from bowerbird.knowledge.snippet import Source
from bowerbird.retrieval.dense import DenseRetriever
from bowerbird.retrieval.fusion import FusedRetriever, fuse
from bowerbird.retrieval.retriever import Hit, Query
from bowerbird.retrieval.vectors import MAX_LOOSE, Floats, VectorIndex, part_of
from bowerbird.retrieval.workspace import WindowRetriever, WindowShape
from bowerbird.text import Span

SHAPE = WindowShape(window_lines=2, slide_lines=2, snap=False)
BIRDS = ("heron", "stork", "crane", "egret", "ibis")


class Counting:
    """Counts birds: two texts are near if they speak of the same ones."""

    def __init__(self) -> None:
        self.problem = ""
        self.texts: list[str] = []
        self.wait = asyncio.Event()
        self.wait.set()

    async def embed(self, texts: Sequence[str]) -> Floats:
        await self.wait.wait()
        if self.problem:
            raise OSError(self.problem)
        self.texts += texts
        counts = np.array([[0.01, *map(text.count, BIRDS)] for text in texts], dtype=np.float32)
        return (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)

    async def close(self) -> None:
        self.problem = "closed"


class Workspace:
    """Sources, and a retriever that follows them."""

    def __init__(self, **files: str) -> None:
        self.embedder = Counting()
        self.sources: dict[Path, Source] = {}
        self.dense = DenseRetriever(SHAPE, lambda: self.sources.values(), self.embedder)
        for name, text in files.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        source = Source(Path(f"/w/{name}"), name, text, "python")
        self.sources[source.path] = source
        self.dense.replaced(source)

    def remove(self, name: str) -> None:
        del self.sources[Path(f"/w/{name}")]
        self.dense.removed(Path(f"/w/{name}"))

    async def found(self, text: str, **exclude: object) -> list[str]:
        await self.dense.complete()
        await self.dense.prepare(text, None)
        hits = self.dense.retrieve(Query(text, **exclude), 10)  # type: ignore[arg-type]
        return [hit.snippet.name for hit in hits if hit.score > 0.5]


async def test_it_follows_a_repository() -> None:
    """A source is found as it is now; only texts that are new are computed."""
    workspace = Workspace(a="heron\nheron\nstork\nstork", b="crane")
    assert await workspace.found("heron") == ["a"]
    assert await workspace.found("stork crane") == ["a", "b"]
    workspace.embedder.texts.clear()
    workspace.write("a", "heron\nheron\negret\negret")
    workspace.write("c", "ibis")
    workspace.remove("b")
    assert await workspace.found("stork crane") == []
    assert await workspace.found("egret") == ["a"]
    assert sorted(workspace.embedder.texts) == ["egret", "egret\negret", "ibis"]
    await workspace.dense.close()


async def test_a_changed_file_is_not_found_as_it_was() -> None:
    """From the change on, before anything is computed."""
    workspace = Workspace(a="heron")
    assert await workspace.found("heron") == ["a"]
    workspace.write("a", "stork")
    assert workspace.dense.retrieve(Query("heron"), 10) == []
    await workspace.dense.close()


async def test_the_prompts_own_lines_are_left_out() -> None:
    """As with every retriever."""
    workspace = Workspace(a="heron\nheron\nheron\nstork")
    here = {"exclude_path": Path("/w/a")}
    assert await workspace.found("heron", **here, exclude_lines=Span(0, 9)) == []
    assert await workspace.found("heron", **here, exclude_lines=Span(0, 1)) == ["a"]
    await workspace.dense.close()


async def test_however_many_are_left_out_others_are_found() -> None:
    """Also where all the nearest stand in the prompt already."""
    workspace = Workspace(a="heron\n" * 100, c="heron stork\nheron\nheron\nheron", b="heron")
    here = {"exclude_path": Path("/w/a"), "exclude_lines": Span(0, 200)}
    assert sorted(await workspace.found("heron", **here)) == ["b", "c", "c"]
    await workspace.dense.close()


async def test_a_slow_model_holds_nobody_up() -> None:
    """The query finds nothing in time; when it is asked again it does."""
    workspace = Workspace(a="heron")
    await workspace.dense.complete()
    workspace.embedder.wait.clear()
    await workspace.dense.prepare("heron", 0.01)
    assert workspace.dense.retrieve(Query("heron"), 10) == []
    workspace.embedder.wait.set()
    assert await workspace.found("heron") == ["a"]
    await workspace.dense.close()


async def test_a_model_that_fails_leaves_words_alone(caplog: pytest.LogCaptureFixture) -> None:
    """The sentence is told once; when the model is there again, all is computed."""
    workspace = Workspace(a="heron")
    workspace.embedder.problem = "There is no model file x.gguf."
    words = WindowRetriever(SHAPE, list)
    for source in workspace.sources.values():
        words.replaced(source)
    both = FusedRetriever([words, workspace.dense])
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            await workspace.dense.complete()
            await workspace.dense.prepare("heron", None)
    assert both.retrieve(Query("heron"), 5) == words.retrieve(Query("heron"), 5) != []
    assert [record.getMessage() for record in caplog.records] == [
        "Windows are found by their words alone: There is no model file x.gguf."
    ]
    assert workspace.dense.problem
    workspace.embedder.problem = ""
    assert await workspace.found("heron") == ["a"]
    await workspace.dense.close()


async def test_memory_has_an_end() -> None:
    """Files for which there is no room are counted, and the others found."""
    workspace = Workspace(**{f"f{at:03}": f"heron {at}" for at in range(20)})
    workspace.dense.max_bytes = 5 * 200
    found = await workspace.found("heron")
    assert 0 < len(found) < 10
    assert workspace.dense.files_left_out == 20 - len(workspace.dense.index)
    await workspace.dense.close()


def test_many_files_are_found_as_one_product_would() -> None:
    """Bytes in place of floats, parts and dead rows leave the nearest windows what they are."""
    random = np.random.default_rng(1)
    index, kept = VectorIndex(), {}
    for at in range(4 * MAX_LOOSE):
        source = Source(Path(f"/w/{at:03}"), f"{at:03}", "a\nb\nc\nd")
        windows = WindowRetriever(SHAPE, list)._windows(source)
        vectors = random.normal(size=(len(windows), 24)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        index.replace(source.path, part_of(windows, vectors))
        kept[source.path] = (windows, vectors)
        if at % 3 == 0:
            gone = Path(f"/w/{at // 2:03}")
            index.remove(gone)
            kept.pop(gone, None)
    assert len(index) == sum(len(windows) for windows, _ in kept.values())
    for _ in range(20):
        query = random.normal(size=24).astype(np.float32)
        query /= np.linalg.norm(query)
        cosines = {
            (path, window.span): float(vector @ query)
            for path, (windows, vectors) in kept.items()
            for window, vector in zip(windows, vectors, strict=True)
        }
        hits = index.nearest(query, Query("?"), 8)
        assert [hit.score for hit in hits] == pytest.approx(sorted(cosines.values())[:-9:-1], abs=0.02)
        assert all(
            cosines[hit.snippet.path, hit.snippet.span] == pytest.approx(hit.score, abs=0.02) for hit in hits
        )


def test_fusion_is_by_reciprocal_rank() -> None:
    """What both find comes before what one finds; the best of both has the score 1."""

    def hit(name: str, origin: str) -> Hit:
        source = Source(Path(f"/w/{name}"), name, "x")
        return Hit(WindowRetriever(SHAPE, list)._windows(source)[0], 0.5, origin)

    words = [hit(name, "jaccard") for name in "abc"]
    vectors = [hit(name, "dense") for name in "adc"]
    fused = fuse([words, vectors], 3)

    assert [one.snippet.name for one in fused] == ["a", "c", "b"]
    assert fused[0].score == pytest.approx(1)
    assert fused[1].score == pytest.approx(61 / 63)
    assert [one.origin for one in fused] == ["jaccard and dense", "jaccard and dense", "jaccard"]
