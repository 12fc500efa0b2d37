"""Windows of one shape, kept in step with a repository."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

from bowerbird.knowledge.snippet import Source
from bowerbird.retrieval.nearness import NearnessRetriever
from bowerbird.retrieval.retriever import Query
from bowerbird.retrieval.standin import StandIn
from bowerbird.retrieval.workspace import WindowRetriever, WindowShape

LIVENESS_S = 60
SHAPE = WindowShape(window_lines=4, slide_lines=2, snap=False)


def source(name: str, text: str) -> Source:
    return Source(Path(f"/w/{name}"), name, text, "python")


def found(retriever: WindowRetriever, words: str) -> list[str]:
    return [hit.snippet.name for hit in retriever.retrieve(Query(words), 10)]


def test_it_follows_what_it_is_told() -> None:
    """A source is found once it is there, as it is now, and no more when it is gone."""
    retriever = WindowRetriever(SHAPE, list)
    retriever.replaced(source("a.py", "heron = 1"))
    retriever.replaced(source("b.py", "heron = 2"))
    retriever.replaced(source("b.py", "stork = 2"))

    assert found(retriever, "heron") == ["a.py"]
    assert found(retriever, "stork") == ["b.py"]
    retriever.removed(Path("/w/a.py"))
    assert found(retriever, "heron") == []


def test_a_lazy_one_is_built_by_the_first_query() -> None:
    """Nothing is cut before somebody asks; then all sources are there, and changes are followed."""
    asked = []

    def sources() -> list[Source]:
        asked.append(True)
        return [source("a.py", "heron = 1"), source("b.py", "stork = 2")]

    retriever = WindowRetriever(SHAPE, sources, lazy=True)
    retriever.replaced(source("a.py", "heron = 1"))
    retriever.removed(Path("/w/b.py"))

    assert len(retriever.index) == 0
    assert not asked
    assert found(retriever, "stork") == ["b.py"]
    retriever.replaced(source("c.py", "stork = 3"))
    retriever.removed(Path("/w/b.py"))
    assert found(retriever, "stork") == ["c.py"]
    assert asked == [True]


def test_changes_while_it_is_built_neither_wait_nor_get_lost() -> None:
    """The newer text wins, whichever of the two comes first; what went stays away."""

    def sources() -> Iterator[Source]:
        yield source("a.py", "heron = 1")
        changing = threading.Thread(target=change)
        changing.start()
        changing.join(LIVENESS_S)
        assert not changing.is_alive()
        yield source("b.py", "heron = 2")
        yield source("c.py", "heron = 3")
        yield source("d.py", "heron = 4")

    def change() -> None:
        retriever.replaced(source("a.py", "stork = 1"))
        retriever.replaced(source("b.py", "stork = 2"))
        retriever.removed(Path("/w/c.py"))
        retriever.replaced(source("e.py", "stork = 5"))

    retriever = WindowRetriever(SHAPE, sources, lazy=True)
    assert not retriever.wanted
    retriever.build()

    assert found(retriever, "heron") == ["d.py"]
    assert found(retriever, "stork") == ["a.py", "b.py", "e.py"]


def test_building_ends_early_when_nobody_wants_it_any_more() -> None:
    """What is there then is not taken for all."""

    def sources() -> Iterator[Source]:
        yield source("a.py", "heron = 1")
        retriever.stop()
        yield source("b.py", "heron = 2")

    retriever = WindowRetriever(SHAPE, sources, lazy=True)
    retriever.build()

    assert not retriever.built
    assert not retriever.wanted
    assert len(retriever.index) == 1


async def test_who_asks_first_is_answered_by_shorter_windows() -> None:
    """While the longer ones are made, however long that takes; only the first one waits for them a little."""
    going_on = threading.Event()

    def sources() -> Iterator[Source]:
        assert going_on.wait(LIVENESS_S)
        yield source("a.py", "heron = 1\n" * 30)

    lines = WindowRetriever(SHAPE, list)
    lines.replaced(source("a.py", "heron = 1\n" * 30))
    functions = WindowRetriever(WindowShape(20, 10, False), sources, lazy=True)
    retriever = NearnessRetriever(StandIn(functions, lines), ("folder",))

    async def longest(patience_s: float | None) -> int:
        await retriever.prepare("heron", patience_s)
        query = Query("heron", Path("/w/b.py"))
        return max(len(hit.snippet.text.splitlines()) for hit in retriever.retrieve(query, 3))

    async with asyncio.timeout(LIVENESS_S):
        assert await longest(0.01) == SHAPE.window_lines
        assert await longest(2 * LIVENESS_S) == SHAPE.window_lines
        going_on.set()
        assert await longest(None) == 20
