"""What is looked at first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from bowerbird.knowledge.looking import beside, nearest_first
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.repository import Repository
from bowerbird.knowledge.snippet import Source
from bowerbird.settings import IndexSettings


def test_what_lies_near_an_open_document_comes_first() -> None:
    """By how many folders are shared, else in the order given."""
    paths = ["/w/a/x.py", "/w/b/c/y.py", "/w/b/z.py", "/w/q.py", "/w/ba/y.py"]
    assert nearest_first(paths, []) == paths
    assert nearest_first(paths, ["/w/b/c/open.py"]) == [paths[1], paths[2], paths[0], paths[3], paths[4]]
    assert list(nearest_first(paths, ["/w/ba/o.py", "/w/a/o.py"]))[:2] == ["/w/a/x.py", "/w/ba/y.py"]


def test_the_folder_of_an_open_document_is_read_before_all_others(
    workspace: Callable[[Mapping[str, str]], Path],
) -> None:
    """A scan reads them before it has even looked for the rest; ignore rules hold for them as well."""
    folder = workspace(
        {"a.py": "x", "deep/b.py": "x", "deep/open.py": "x", "deep/no.py": "x", "deep/.gitignore": "no.py"}
    )
    heard: list[str] = []

    class Listener:
        def replaced(self, source: Source) -> None:
            heard.append(source.name)

        def removed(self, path: Path) -> None: ...

    policy = Policy([folder], IndexSettings())
    repository = Repository([folder], IndexSettings(), policy, Listener())
    repository.open_document(folder / "deep/open.py", "y", "python")
    assert str(folder / "deep/no.py") in beside(policy, [str(folder / "deep/open.py")])
    report = repository.scan()
    assert heard == ["deep/open.py", "deep/.gitignore", "deep/b.py", "a.py"]
    assert report.files == 4
