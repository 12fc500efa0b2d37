"""The one place where real parts are joined, for the editor's door and for the shell's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bowerbird.completion.engine import CompletionEngine
from bowerbird.execution.engine import ExecutionEngine
from bowerbird.execution.executor import Permission
from bowerbird.inference.choice import Purpose
from bowerbird.inference.embedding import EmbeddingEngine
from bowerbird.inference.engine import Engine, choose_engine
from bowerbird.inference.models import is_server, named_model
from bowerbird.knowledge.archive import Archive
from bowerbird.knowledge.library import Library
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.repository import Repository
from bowerbird.knowledge.snippet import Source
from bowerbird.knowledge.soup import Soup, soup_file
from bowerbird.lookup.engine import LookupEngine
from bowerbird.retrieval.dense import DenseRetriever
from bowerbird.retrieval.fusion import FusedRetriever
from bowerbird.retrieval.guidance import Guidance
from bowerbird.retrieval.nearness import NearnessRetriever
from bowerbird.retrieval.retriever import Retriever
from bowerbird.retrieval.standin import StandIn
from bowerbird.retrieval.workspace import WindowRetriever, WindowShape
from bowerbird.settings import CompletionSettings, Settings
from bowerbird.synthesis.capability import tried_out
from bowerbird.synthesis.documented import Documented, join_sources
from bowerbird.synthesis.engine import SynthesisEngine
from bowerbird.synthesis.writer import Writer

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
    listeners: Listeners
    """What the repository tells of changes."""
    dense: DenseRetriever | None
    """By vectors, where the settings name an embedding model and want it asked."""
    model: Engine
    completion: CompletionEngine
    lookup: LookupEngine
    generator: Engine
    """The model that generates; often the one that completes."""
    execution: ExecutionEngine
    synthesis: SynthesisEngine

    async def close(self, successor: Assembly | None = None) -> None:
        """Stop the processes but those that `successor` goes on with. Can be called twice."""
        if successor is None or successor.repository is not self.repository:
            self.repository.close()
            self.functions.stop()
        if self.dense is not None and (successor is None or successor.dense is not self.dense):
            await self.dense.close()
        kept = () if successor is None else (successor.model, successor.generator, successor.execution)
        engines: set[Engine | ExecutionEngine] = {self.model, self.generator, self.execution}
        for engine in engines.difference(kept):
            await engine.close()


class Listeners:
    """Tells several retrievers what one repository says."""

    def __init__(self) -> None:
        self.retrievers: list[WindowRetriever] = []
        self.dense: DenseRetriever | None = None

    def replaced(self, source: Source) -> None:
        for retriever in self.retrievers:
            retriever.replaced(source)
        if (dense := self.dense) is not None:
            dense.replaced(source)

    def removed(self, path: Path) -> None:
        for retriever in self.retrievers:
            retriever.removed(path)
        if (dense := self.dense) is not None:
            dense.removed(path)

    def memory_bytes(self) -> int:
        return sum(retriever.index.memory_bytes for retriever in self.retrievers)


def assemble(settings: Settings, folders: Sequence[Path], previous: Assembly | None = None) -> Assembly:
    """Join the parts for these workspace folders. Starts no process and reads nothing of the workspace.

    The index and the model of `previous` are taken over where the settings leave them as they are.
    """
    index = _index_of(previous, settings, folders) or _new_index(settings, folders)
    policy, repository, retriever, functions, listeners = index
    dense = listeners.dense = _dense(settings, retriever, repository, previous)
    if previous is not None and previous.repository is not repository:
        previous.repository.close()  # the new one writes from now on
    model = _model(settings, previous)
    library = previous.lookup.library if previous is not None else Library()
    guide = Guidance(library.of) if settings.completion.documentation else None
    completion = CompletionEngine(
        _joined(_with_priors(retriever, settings.completion), dense, settings.completion),
        _with_priors(StandIn(functions, retriever), settings.completion),
        model,
        policy,
        settings.completion,
        guide,
    )
    lookup = LookupEngine(library, repository.sources)
    generator = _generator(settings, model, previous)
    execution = _execution(settings, folders, library, previous)
    learned = soup_file(folders[0]) if folders and settings.generation.learn else None
    synthesis = SynthesisEngine(
        Writer(generator, generator, tried_out),
        execution,
        join_sources(repository.sources, Documented(library), policy.holds_secret),
        Soup(learned, policy.holds_secret),
        policy.redact,
    )
    return Assembly(
        settings,
        tuple(folders),
        policy,
        repository,
        retriever,
        functions,
        listeners,
        dense,
        model,
        completion,
        lookup,
        generator,
        execution,
        synthesis,
    )


def _joined(words: Retriever, dense: DenseRetriever | None, settings: CompletionSettings) -> Retriever:
    """What finds windows for lines."""
    if dense is None:
        return words
    return dense if settings.find_by == "vectors" else FusedRetriever([words, dense])


def _with_priors(retriever: Retriever, settings: CompletionSettings) -> Retriever:
    return NearnessRetriever(retriever, settings.priors) if settings.priors else retriever


def _model(settings: Settings, previous: Assembly | None) -> Engine:
    """The model that completes."""
    name = settings.completion.model
    if (
        previous is not None
        and previous.settings.completion.model == name
        and previous.settings.inference == settings.inference
        and previous.settings.remote == settings.remote
    ):
        return previous.model
    return choose_engine(name, settings.inference, settings.remote)


def _generator(settings: Settings, model: Engine, previous: Assembly | None) -> Engine:
    """The model that completes, unless the settings or the user's choice name another one.

    Servers are asked beside it in any case: nothing stands in for them, since what can is too small.
    """
    completing = named_model(settings.completion.model)
    name = named_model(settings.generation.model, Purpose.GENERATION) or completing
    if name == completing and not is_server(name):
        return model
    if (
        previous is not None
        and previous.generator is not previous.model
        and previous.settings.generation.model == settings.generation.model
        and (settings.generation.model or previous.settings.completion.model == settings.completion.model)
        and previous.settings.inference == settings.inference
        and previous.settings.remote == settings.remote
    ):
        return previous.generator
    return choose_engine(name, settings.inference, settings.remote, False)


def _execution(
    settings: Settings, folders: Sequence[Path], library: Library, previous: Assembly | None
) -> ExecutionEngine:
    """Looks at programs; those of the workspace's folders are hidden from them."""
    run = bool(settings.generation.run_programs)
    same_folders = previous is not None and previous.folders == tuple(folders)
    if previous is not None and same_folders and bool(previous.settings.generation.run_programs) == run:
        return previous.execution
    return ExecutionEngine(lambda: library.packs, Permission.RUN if run else Permission.CHECK, folders)


def _dense(
    settings: Settings, retriever: WindowRetriever, repository: Repository, previous: Assembly | None
) -> DenseRetriever | None:
    """Finds windows by vectors. Where words suffice there is none: no vectors, and no model in memory."""
    model = settings.completion.embedding_model
    if not model or settings.completion.find_by == "words":
        return None
    if (
        previous is not None
        and previous.repository is repository
        and previous.settings.completion.embedding_model == model
        and previous.settings.inference == settings.inference
        and previous.dense is not None
    ):
        return previous.dense
    embedder = EmbeddingEngine(Path(model).expanduser(), settings.inference)
    return DenseRetriever(retriever.shape, repository.sources, embedder)


Index = tuple[Policy, Repository, WindowRetriever, WindowRetriever, Listeners]


def _new_index(settings: Settings, folders: Sequence[Path]) -> Index:
    listeners = Listeners()
    policy = Policy(folders, settings.index)
    archive = Archive(settings.index, policy.may_keep, listeners.retrievers)
    repository = Repository(folders, settings.index, policy, listeners, archive, listeners.memory_bytes)
    retriever = WindowRetriever(_shape(settings.completion), repository.sources)
    functions = WindowRetriever(FUNCTION_SHAPE, repository.sources, lazy=True)
    listeners.retrievers += [retriever, functions]
    return policy, repository, retriever, functions, listeners


def _index_of(previous: Assembly | None, settings: Settings, folders: Sequence[Path]) -> Index | None:
    """What `previous` has indexed, if it is what these settings would index."""
    if (
        previous is None
        or previous.folders != tuple(folders)
        or previous.settings.index != settings.index
        or _shape(previous.settings.completion) != _shape(settings.completion)
    ):
        return None
    return previous.policy, previous.repository, previous.retriever, previous.functions, previous.listeners


def _shape(settings: CompletionSettings) -> WindowShape:
    return WindowShape(settings.window_lines, settings.slide_lines, settings.snap)
