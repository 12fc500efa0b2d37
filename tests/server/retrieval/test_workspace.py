"""Windows of one shape, kept in step with a repository."""

from pathlib import Path

from bowerbird.knowledge.snippet import Source
from bowerbird.retrieval.retriever import Query
from bowerbird.retrieval.workspace import WindowRetriever, WindowShape

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
