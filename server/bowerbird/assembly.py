"""The one place where real parts are joined, for the editor's door and for the shell's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bowerbird.completion.engine import CompletionEngine
from bowerbird.inference.engine import Engine, choose_engine
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.repository import Repository
from bowerbird.knowledge.snippet import Source
from bowerbird.retrieval.workspace import WindowRetriever, WindowShape
from bowerbird.settings import CompletionSettings, Settings

FUNCTION_SHAPE = WindowShape(window_lines=50, slide_lines=10, snap=False)  # section 4.2, function bodies


@dataclass(frozen=True, slots=True)
class Assembly:
    """The products and the engines they stand on."""

    settings: Settings
    folders: tuple[Path, ...]
    policy: Policy
    repository: Repository
    retriever: WindowRetriever
    functions: WindowRetriever
    """With the longer windows for whole functions; built on first use."""
    model: Engine
    completion: CompletionEngine

    async def close(self) -> None:
        """Stop the model's process. Can be called twice."""
        await self.model.close()


class _Listeners:
    """Tells several retrievers what one repository says."""

    def __init__(self) -> None:
        self.retrievers: list[WindowRetriever] = []

    def replaced(self, source: Source) -> None:
        for retriever in self.retrievers:
            retriever.replaced(source)

    def removed(self, path: Path) -> None:
        for retriever in self.retrievers:
            retriever.removed(path)


def assemble(settings: Settings, folders: Sequence[Path], previous: Assembly | None = None) -> Assembly:
    """Join the parts for these workspace folders. Starts no process and reads no file.

    The index and the model of `previous` are taken over where the settings leave them as they are.
    """
    index = _index_of(previous, settings, folders) or _new_index(settings, folders)
    policy, repository, retriever, functions = index
    if previous is not None and previous.settings.inference == settings.inference:
        model = previous.model
    else:
        model = choose_engine(settings.inference)
    completion = CompletionEngine(retriever, functions, model, policy, settings.completion)
    return Assembly(settings, tuple(folders), policy, repository, retriever, functions, model, completion)


Index = tuple[Policy, Repository, WindowRetriever, WindowRetriever]


def _new_index(settings: Settings, folders: Sequence[Path]) -> Index:
    listeners = _Listeners()
    policy = Policy(folders, settings.index)
    repository = Repository(folders, settings.index, policy, listeners)
    retriever = WindowRetriever(_shape(settings.completion), repository.sources)
    functions = WindowRetriever(FUNCTION_SHAPE, repository.sources, lazy=True)
    listeners.retrievers += [retriever, functions]
    return policy, repository, retriever, functions


def _index_of(previous: Assembly | None, settings: Settings, folders: Sequence[Path]) -> Index | None:
    """What `previous` has indexed, if it is what these settings would index."""
    if (
        previous is None
        or previous.folders != tuple(folders)
        or previous.settings.index != settings.index
        or _shape(previous.settings.completion) != _shape(settings.completion)
    ):
        return None
    return previous.policy, previous.repository, previous.retriever, previous.functions


def _shape(settings: CompletionSettings) -> WindowShape:
    return WindowShape(settings.window_lines, settings.slide_lines, settings.snap)
