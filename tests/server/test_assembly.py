"""Which models an assembly runs, and which of them a change of settings leaves running."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from bowerbird.assembly import Assembly, assemble
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Request
from bowerbird.inference.generator import ServerUnreachable
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.remote import RemoteEngine
from bowerbird.retrieval.retriever import Query
from bowerbird.settings import (
    CompletionSettings,
    GenerationSettings,
    IndexSettings,
    InferenceSettings,
    Settings,
)
from tiny_bert import write_tiny_bert

URL = "http://127.0.0.1:9"


def named(completing: str = "", generating: str = "") -> Settings:
    return Settings(
        completion=CompletionSettings(model=completing), generation=GenerationSettings(model=generating)
    )


@pytest.mark.parametrize("settings", [named(), named("a.gguf"), named("a.gguf", "a.gguf")])
def test_one_model_serves_both(settings: Settings) -> None:
    """Where no other one is named to generate, or the same."""
    assembly = assemble(settings, [])
    assert assembly.generator is assembly.model


@pytest.mark.parametrize("settings", [named(URL), named(URL, URL), named("", URL)])
async def test_nothing_stands_in_for_a_server_that_generates(settings: Settings) -> None:
    """The built-in model is too small for that; for completions it is what there is."""
    assembly = assemble(settings, [])
    try:
        with pytest.raises(ServerUnreachable, match=r"127\.0\.0\.1:9"):
            await assembly.generator.load()
    finally:
        await assembly.close()


def test_a_server_that_generates_goes_on_with_its_own_setting() -> None:
    """Where it is named for completions only, another address there is another server here."""
    first = assemble(named(URL), [])
    assert assemble(named(URL), [], first).generator is first.generator
    other = assemble(named("http://127.0.0.1:8"), [], first)
    assert other.generator is not first.generator


def test_each_setting_takes_a_path_a_name_or_a_url(tmp_path: Path) -> None:
    """And a URL becomes a server, whichever of the two it is."""
    own = assemble(named(str(tmp_path / "a.gguf"), "coder"), [])
    assert isinstance(own.model, LlamaEngine)
    assert own.model.model_path == tmp_path / "a.gguf"
    assert isinstance(own.generator, LlamaEngine)
    assert own.generator.model_path.name == "coder.gguf"
    mixed = assemble(named(URL, "coder"), [])
    assert (type(mixed.model), type(mixed.generator)) == (RemoteEngine, LlamaEngine)
    mixed = assemble(named("coder", URL), [])
    assert (type(mixed.model), type(mixed.generator)) == (LlamaEngine, RemoteEngine)


def test_a_change_leaves_what_it_does_not_touch() -> None:
    """A model goes on unless its own name changes, or how models are run."""
    first = assemble(named("a", "b"), [])
    other_generator = assemble(named("a", "c"), [], first)
    assert other_generator.model is first.model
    assert other_generator.generator is not first.generator
    other_model = assemble(named("d", "b"), [], first)
    assert other_model.model is not first.model
    assert other_model.generator is first.generator
    both = assemble(replace(named("a", "b"), inference=InferenceSettings(threads=2)), [], first)
    assert both.model is not first.model
    assert both.generator is not first.generator


def test_the_completing_model_is_never_taken_over_as_the_generating_one() -> None:
    """`a` completed and generated; now it generates beside another, and the old one may be closed."""
    first = assemble(named("a", "a"), [])
    second = assemble(named("b", "a"), [], first)
    assert second.generator is not first.model
    assert second.generator is not second.model


async def test_what_goes_on_is_not_closed() -> None:
    """An assembly that is replaced ends only what its successor does not use."""
    first = assemble(named("a", "b"), [])
    second = assemble(named("c", "b"), [], first)
    closed: list[object] = []

    def noting(engine: object) -> Callable[[], Coroutine[None, None, None]]:
        async def close() -> None:
            closed.append(engine)

        return close

    for engine in (first.model, first.generator, first.execution):
        engine.close = noting(engine)  # type: ignore[method-assign]
    await first.close(second)
    assert closed == [first.model]
    await first.close()
    assert {*closed[1:]} == {first.model, first.generator, first.execution}


async def test_an_embedding_model_finds_windows_beside_words(tmp_path: Path) -> None:
    """By both or by one of them; a change that does not touch it leaves its vectors as they are.

    Where words suffice there is no such model, and no vectors; the index stays through all changes.
    """
    (tmp_path / "birds.py").write_text("heron = 1\n")
    model = write_tiny_bert(tmp_path / "tiny.gguf")
    settings = Settings(
        completion=CompletionSettings(embedding_model=str(model)),
        index=IndexSettings(store=False, watch=False),
        inference=InferenceSettings(threads=1),
    )
    first = assemble(settings, [tmp_path])
    first.repository.scan()

    async def origins(assembly: Assembly) -> list[str]:
        if assembly.dense is not None:
            await assembly.dense.complete()
            await assembly.dense.prepare("heron = 2", None)
        return [hit.origin for hit in assembly.completion.retriever.retrieve(Query("heron = 2"), 3)]

    async def changed(before: Assembly, find_by: str) -> Assembly:
        completion = replace(settings.completion, find_by=find_by)
        after = assemble(replace(settings, completion=completion), [tmp_path], before)
        await before.close(after)
        assert after.repository is first.repository
        return after

    def processes() -> set[int]:
        return {child.pid for child in psutil.Process().children()}

    others = processes()
    assert await origins(first) == ["jaccard and dense"]
    by_vectors = await changed(first, "vectors")
    assert by_vectors.dense is first.dense
    assert by_vectors.dense is not None
    assert len(by_vectors.dense.index) == 1
    by_words = await changed(by_vectors, "words")
    assert (by_words.dense, by_words.listeners.dense) == (None, None)
    assert await origins(by_words) == ["jaccard"]
    assert not processes() - others
    (tmp_path / "birds.py").write_text("heron = 2\n")
    (tmp_path / "more.py").write_text("heron = 2\n")
    by_words.repository.refresh([tmp_path / "birds.py", tmp_path / "more.py"])
    again = await changed(by_words, "both")
    assert await origins(again) == ["jaccard and dense"] * 2
    assert processes() - others
    without = assemble(Settings(), [tmp_path], again)
    assert without.dense is None
    await again.close(without)
    await without.close()


async def test_a_bad_embedding_model_leaves_words_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Completions go on, and a sentence says why they have less."""
    (tmp_path / "birds.py").write_text("heron = 1\n")
    (tmp_path / "bad.gguf").write_bytes(b"GGUF" + bytes(100))
    completion = CompletionSettings(embedding_model=str(tmp_path / "bad.gguf"))
    assembly = assemble(
        Settings(completion=completion, index=IndexSettings(store=False, watch=False)), [tmp_path]
    )
    assembly.repository.scan()
    assert assembly.dense is not None
    here = UnfinishedCode(tmp_path / "new.py", "new.py", "w", "python", "heron = ", "")
    try:
        answer = await assembly.completion.complete(here, Request(time_budget_ms=None, max_new_tokens=2))
    finally:
        await assembly.close()
    assert [hit.origin for hit in answer.trace.iterations[0].hits] == ["jaccard"]
    assert "bad.gguf cannot be loaded" in assembly.dense.problem
    assert "Windows are found by their words alone" in caplog.text
