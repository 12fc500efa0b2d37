"""The real server completes alike whether its index was read, recalled from disk, or mended."""

from __future__ import annotations

import asyncio
import random
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from lsprotocol import types

from bowerbird.cli.model_checks import check_embedding
from bowerbird.knowledge.store.place import store_folder
from bowerbird.lsp.session import LspSession
from bowerbird.settings import CompletionSettings
from bowerbird.text import Position
from tiny_bert import write_tiny_bert

SHOP = Path(__file__).parents[2] / "workspaces" / "shop"
WORDS = ("heron", "stork", "crane", "price", "total", "currency", "customer", "self")
CALM = {"speculate": False, "candidates": 1}
LINE = "        self."
FUNCTION = "    def total(self):\n        "

pytestmark = pytest.mark.timeout(300)


class Case(NamedTuple):
    """What is typed at a file's end, the settings, and when a trace shows that all indexes are there."""

    typed: str
    settings: Mapping[str, Any]
    settled: Callable[[Mapping[str, Any]], bool]


class Answer(NamedTuple):
    """A completion and all that led to it."""

    texts: Sequence[str]
    hits: Sequence[tuple[object, ...]]
    prompts: Sequence[str]


def at_once(trace: Mapping[str, Any]) -> bool:
    return bool(trace["iterations"])


def with_vectors(trace: Mapping[str, Any]) -> bool:
    """Have all windows vectors, and had all queries?"""
    complete = re.match(r"([\d,]+) of \1 windows have vectors$", trace["vectors"])
    return complete is not None and all(
        any("dense" in hit["origin"] for hit in iteration["hits"]) for iteration in trace["iterations"]
    )


def with_long_windows(trace: Mapping[str, Any]) -> bool:
    """Were windows of whole functions found, which are longer than the others?"""
    spans = (map(int, hit["lines"].split("-")) for one in trace["iterations"] for hit in one["hits"])
    return any(last - first >= CompletionSettings().window_lines for first, last in spans)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A workspace in which many windows are somewhat alike."""
    folder = Path(shutil.copytree(SHOP, tmp_path / "shop"))
    chance = random.Random(1)
    for number in range(8):
        lines = (f"{' '.join(chance.choices(WORDS, k=3))} = {chance.randrange(99)}\n" for _ in range(60))
        (folder / f"birds{number}.py").write_text("".join(lines))
    return folder


async def answers(shop: Path, cases: Sequence[Case], store: bool = True) -> tuple[list[Answer], str]:
    """Start a server, complete in each case, end it; also the end of its log."""
    path = shop / "shop" / "wishlist.py"
    async with LspSession(shop, {"completion": CALM, "index": {"store": store}}) as session:
        await session.indexed()
        await session.open(path, language_id="python")
        found = [await answer(session, path, case) for case in cases]
    return found, "".join(session.log)


async def answer(session: LspSession, path: Path, case: Case) -> Answer:
    """Ask until all that is made beside the requests is there, and once more.

    Each time under another time budget, which brings an engine that remembers nothing.
    """
    text = (await asyncio.to_thread(path.read_text)) + case.typed
    await session.change(path, text)
    place = Position(text.count("\n"), len(text.split("\n")[-1]))
    were_there = False
    for budget_ms in count(60_000):
        told = {"completion": {**CALM, **case.settings, "timeBudgetMs": budget_ms}}
        session.editor.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"bowerbird": told})
        )
        items = await session.inline_completion(path, place)
        trace = await session.explain()
        assert trace is not None
        assert trace["reason"] in ("ok", "empty")
        if were_there:
            break
        were_there = case.settled(trace)
    hits = [hit for iteration in trace["iterations"] for hit in iteration["hits"]]
    return Answer(
        [str(item.insert_text) for item in items],
        [tuple(hit[name] for name in ("name", "lines", "score", "origin", "fate")) for hit in hits],
        [iteration["prompt"] for iteration in trace["iterations"]],
    )


async def test_completions_are_the_same_from_a_cold_a_warm_and_a_mended_index(
    shop: Path, tmp_path: Path
) -> None:
    """By words, by nearness, by vectors, by both, and for whole functions: windows, prompts and texts."""
    vectors = {"embeddingModel": str(write_tiny_bert(tmp_path / "tiny.gguf"))}
    cases = [
        Case(LINE, {}, at_once),
        Case(LINE, {"priors": ["folder", "imports", "name"]}, at_once),
        Case(LINE, {**vectors, "findBy": "vectors"}, with_vectors),
        Case(LINE, {**vectors, "findBy": "both"}, with_vectors),
        Case(FUNCTION, {}, with_long_windows),
    ]

    def kept() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in store_folder(str(shop)).glob("*.text")}

    cold, _ = await answers(shop, cases, store=False)
    assert not kept()
    first, _ = await answers(shop, cases)
    written = kept()
    warm, _ = await answers(shop, cases)
    assert written
    assert kept() == written
    (name, content), *_ = written.items()
    (store_folder(str(shop)) / name).write_bytes(content[:-100])
    mended, log = await answers(shop, cases)

    assert "is damaged" in log
    assert first == cold
    assert warm == cold
    assert mended == cold
    assert len({str(one.hits) for one in cold}) == len(cases)
    assert all(one.hits and one.prompts for one in cold)
    assert any(one.texts for one in cold)


async def test_doctor_tells_what_an_editor_has_of_vectors(shop: Path, tmp_path: Path) -> None:
    """As the last completion found it, also of a model that cannot be loaded; the user is told that, too."""
    model = write_tiny_bert(tmp_path / "tiny.gguf")
    await answers(shop, [Case(LINE, {"embeddingModel": str(model)}, with_vectors)])
    _, found = await check_embedding(None)
    assert re.search(r"([\d,]+) of \1 windows have vectors", found.detail)

    bad = {"embeddingModel": str(tmp_path / "gone.gguf")}
    async with LspSession(shop, {"completion": {**CALM, **bad, "timeBudgetMs": 60_000}}) as session:
        await session.indexed()
        path = shop / "shop" / "wishlist.py"
        text = path.read_text() + LINE
        await session.open(path, text, "python")
        place = Position(text.count("\n"), len(LINE))
        await session.inline_completion(path, place)
        await session.editor.until(lambda: any("gone.gguf" in one for one in session.editor.messages))
    _, found = await check_embedding(None)
    assert "There is no model file" in found.detail
