"""Which models an assembly runs, and which of them a change of settings leaves running."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.assembly import assemble
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.remote import RemoteEngine
from bowerbird.settings import CompletionSettings, GenerationSettings, InferenceSettings, Settings

URL = "http://127.0.0.1:9"


def named(completing: str = "", generating: str = "") -> Settings:
    return Settings(
        completion=CompletionSettings(model=completing), generation=GenerationSettings(model=generating)
    )


@pytest.mark.parametrize("settings", [named(), named("a.gguf"), named("a.gguf", "a.gguf"), named(URL, URL)])
def test_one_model_serves_both(settings: Settings) -> None:
    """Where no other one is named to generate, or the same."""
    assembly = assemble(settings, [])
    assert assembly.generator is assembly.model


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
