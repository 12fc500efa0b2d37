"""An editor and a server that speak to one another inside the test, over the real protocol."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from lsprotocol import types

from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Completion, Request
from bowerbird.knowledge.library import Library
from bowerbird.knowledge.report import Counts
from bowerbird.lookup.engine import LookupEngine
from bowerbird.lsp.host import BowerbirdServer
from bowerbird.lsp.serve import converse
from bowerbird.lsp.server import create_server
from bowerbird.lsp.session import Editor
from bowerbird.settings import Settings
from bowerbird.trace import Reason, Trace

LIVENESS_S = 20
LIBRARY = Library()
"""The shipped packs: loaded once, by the first test that asks."""


@dataclass
class FakeEngine:
    """Enters by the completion engine's door; writes what the test says, when the test says."""

    text: str = "x = 1"
    reason: Reason = Reason.OK
    message: str = ""
    model: str = "fake"
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[tuple[UnfinishedCode, Request]] = field(default_factory=list)
    running: int = 0
    most_running: int = 0
    cancelled: int = 0
    fault: Exception | None = None

    def __post_init__(self) -> None:
        self.may_answer.set()

    async def prefill(self, unfinished: UnfinishedCode, request: Request) -> None:
        """Nobody waits for it."""

    async def complete(
        self, unfinished: UnfinishedCode, request: Request, watch: object = None
    ) -> Completion:
        del watch
        self.asked.append((unfinished, request))
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            if self.fault is not None:
                raise self.fault
            await self.may_answer.wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0.005)  # as a model stops: soon, not at once
            self.cancelled += 1
            raise
        finally:
            self.running -= 1
        trace = Trace(
            unfinished.name,
            unfinished.line + 1,
            unfinished.column + 1,
            request.mode.value,
            self.model,
            self.reason,
            text=self.text,
            total_ms=12.3,
        )
        return Completion(self.text, self.text, self.reason, trace, message=self.message)


class FakeRepository:
    """Notes what it is told."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(folders)
        self.scans = 0
        self.may_finish = threading.Event()
        self.may_finish.set()
        self.refreshed: list[Path] = []
        self.opened: dict[Path, str] = {}
        self.watching = 0
        self.saves = 0

    def set_folders(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(folders)

    def scan(self, progress: Callable[[Any], None], cancelled: Callable[[], bool]) -> None:
        del progress
        self.scans += 1
        while not self.may_finish.wait(0.005) and not cancelled():
            continue

    @property
    def counts(self) -> Counts:
        return Counts(files=len(self.sources()), disk_bytes=self.saves)

    def save(self) -> None:
        self.saves += 1

    def close(self) -> None: ...

    def refresh(self, paths: Iterable[Path]) -> int:
        self.refreshed += sorted(paths)
        return 0

    def open_document(self, path: Path, text: str, language: str | None) -> None:
        del language
        self.opened[path] = text

    def close_document(self, path: Path) -> None:
        self.opened.pop(path, None)

    def sources(self) -> list[Any]:
        return []

    def folder_of(self, path: Path) -> Path | None:
        return next((folder for folder in self.folders if path.is_relative_to(folder)), None)

    def name_of(self, path: Path) -> str:
        folder = self.folder_of(path)
        return path.relative_to(folder).as_posix() if folder else path.name

    async def watch(self) -> None:
        self.watching += 1
        try:
            await asyncio.Event().wait()
        finally:
            self.watching -= 1


class FakeModel:
    """Notes how often it is ended."""

    def __init__(self) -> None:
        self.restarts = 0
        self.closes = 0
        self.problem = ""
        self.problem = ""

    async def load(self) -> Any:
        return SimpleNamespace(notes=())

    async def restart(self) -> None:
        self.restarts += 1

    async def close(self) -> None:
        self.closes += 1


@dataclass
class FakeAssembly:
    """What `assemble` gives, made of fakes."""

    settings: Settings
    folders: tuple[Path, ...]
    repository: FakeRepository
    model: FakeModel
    completion: FakeEngine
    policy: Any = field(default_factory=lambda: SimpleNamespace(redact=str))
    dense: Any = None
    lookup: LookupEngine = field(default_factory=lambda: LookupEngine(LIBRARY, list))
    generator: Any = None
    synthesis: Any = None

    async def close(self, successor: FakeAssembly | None = None) -> None:
        if successor is None or successor.model is not self.model:
            await self.model.close()


@dataclass
class Wire:
    """What is written here is read there."""

    reader: asyncio.StreamReader
    closed: bool = False

    def write(self, data: bytes) -> None:
        if not self.closed:
            self.reader.feed_data(data)

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.reader.feed_eof()


class TestEditor(Editor):
    """An editor that answers the server's own requests, and notes them."""

    __test__ = False

    def __init__(
        self,
        capabilities: types.ClientCapabilities,
        name: str = "some editor",
        settings: Any = None,
    ) -> None:
        super().__init__(capabilities, name)
        self.settings = settings
        self.registered: list[types.Registration] = []
        self.progress_values: list[Any] = []
        self.refuses = False
        """Answer registrations with an error."""
        self.feature(types.WORKSPACE_CONFIGURATION)(partial(self._configuration))
        self.feature(types.CLIENT_REGISTER_CAPABILITY)(partial(self._register))
        self.feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)(lambda _: None)
        self.feature(types.PROGRESS)(partial(self._progressed))

    def _configuration(self, params: types.ConfigurationParams) -> list[Any]:
        assert [item.section for item in params.items] == ["bowerbird"]
        return [self.settings]

    def _register(self, params: types.RegistrationParams) -> None:
        if self.refuses:
            raise ValueError("not here")
        self.registered += params.registrations
        self._news.set()

    def _progressed(self, params: types.ProgressParams) -> None:
        self.progress_values.append(params.value)
        self._news.set()


@dataclass
class Pair:
    """A server and an editor at work."""

    server: BowerbirdServer
    editor: TestEditor
    engine: FakeEngine
    assemblies: list[FakeAssembly]
    folder: Path

    @property
    def repository(self) -> FakeRepository:
        """The one in use."""
        return self.assemblies[-1].repository

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def type_in(self, name: str, text: str, language: str = "python") -> tuple[str, types.Position]:
        """Open a document whose cursor is marked by ``|``; the URI, and the cursor in UTF-16."""
        before, _, behind = text.partition("|")
        uri = self.uri(name) if ":" not in name else name
        self.editor.show(uri, before + behind, language)
        line = before.replace("\r\n", "\n").split("\n")
        return uri, types.Position(len(line) - 1, len(line[-1].encode("utf-16-le", "surrogatepass")) // 2)

    async def ghost(self, name: str, text: str, **more: Any) -> types.InlineCompletionItem:
        """The only item at a marked place."""
        items = await self.editor.ghosts(*self.type_in(name, text), **more)
        assert len(items) == 1
        return items[0]

    async def wait_for(self, arrived: Callable[[], Any]) -> None:
        """Wait for something that happens on the server's side."""
        async with asyncio.timeout(LIVENESS_S):
            while not arrived():  # noqa: ASYNC110 - the server has no event for each thing that a test may ask
                await asyncio.sleep(0.005)


def capabilities(**workspace: Any) -> types.ClientCapabilities:
    """An editor that shows ghost text."""
    return types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(**workspace),
        text_document=types.TextDocumentClientCapabilities(
            inline_completion=types.InlineCompletionClientCapabilities()
        ),
    )


Connect = Callable[..., AbstractAsyncContextManager[Pair]]


def connector(tmp_path: Path) -> Connect:
    """`async with connect(editor, options=...) as pair:` after the handshake, the workspace indexed."""

    @asynccontextmanager
    async def connected(
        editor: TestEditor | None = None,
        options: Mapping[str, Any] | None = None,
        folders: Sequence[Path] | None = None,
        begin: bool = True,
    ) -> AsyncIterator[Pair]:
        editor = editor or TestEditor(capabilities())
        engine, assemblies = FakeEngine(), []

        def assemble(
            settings: Settings, folders: Sequence[Path], previous: FakeAssembly | None = None
        ) -> FakeAssembly:
            same_index = (
                previous and previous.settings.index == settings.index and previous.folders == tuple(folders)
            )
            same_model = (
                previous
                and previous.settings.inference == settings.inference
                and previous.settings.completion.model == settings.completion.model
            )
            repository = previous.repository if previous and same_index else FakeRepository(folders)
            model = previous.model if previous and same_model else FakeModel()
            assemblies.append(FakeAssembly(settings, tuple(folders), repository, model, engine))
            return assemblies[-1]

        server = create_server(assemble)  # type: ignore[arg-type]
        to_server, to_editor = asyncio.StreamReader(), asyncio.StreamReader()
        sink = Wire(to_server)
        tasks = [
            asyncio.create_task(converse(server, to_server, Wire(to_editor))),
            editor.listen(to_editor, sink),
        ]
        try:
            if begin:
                await editor.begin([tmp_path] if folders is None else folders, options)
                if editor.name != "emacs":
                    await editor.indexed()
            yield Pair(server, editor, engine, assemblies, tmp_path)
        finally:
            engine.may_answer.set()
            sink.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(LIVENESS_S):
                    await asyncio.gather(*tasks)

    return connected
