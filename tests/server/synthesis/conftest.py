"""Joins scripted parts to an engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bowerbird.knowledge.examples import Demonstration
from bowerbird.knowledge.soup import Soup
from bowerbird.synthesis.engine import SynthesisEngine
from bowerbird.synthesis.sources import Sources
from bowerbird.synthesis.writer import Writer
from scripted import EXAMPLES, SECRET, ScriptedExecutor, ScriptedModel


@pytest.fixture
def soup(tmp_path: Path) -> Soup:
    return Soup(tmp_path / "soup.jsonl", lambda text: SECRET in text)


@pytest.fixture
def make(soup: Soup) -> Callable[..., SynthesisEngine]:
    """`make(model, executor)` joins an engine that knows `EXAMPLES`."""

    def build(
        model: ScriptedModel,
        executor: ScriptedExecutor,
        tests: Sequence[str] = (),
        examples: Sequence[Demonstration] = EXAMPLES,
    ) -> SynthesisEngine:
        sources = Sources(
            workspace=lambda _: [],
            packs=lambda language: [one for one in examples if one.language == language],
            documentation=lambda _: None,
            tests=lambda _language, _name: tests,
            holds_secret=lambda text: SECRET in text,
        )
        masked = lambda text: text.replace(SECRET, "***")  # noqa: E731
        return SynthesisEngine(Writer(model), executor, sources, soup, masked)

    return build
