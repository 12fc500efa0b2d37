"""A small editor without a screen: starts a server for a folder and asks it for completions."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lsprotocol import types
from pygls.io_ import run_async
from pygls.lsp.client import LanguageClient
from pygls.protocol import JsonRPCNotification, JsonRPCResponseMessage, default_converter

from bowerbird import __version__
from bowerbird.lsp import commands, status
from bowerbird.lsp.convert import uri_of
from bowerbird.lsp.serve import Sink
from bowerbird.text import Position

COMMAND = (sys.executable, "-P", "-m", "bowerbird", "serve")
LOG_LINES = 200
EXIT_TIMEOUT_S = 10.0

GHOST_TEXT = types.ClientCapabilities(
    general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf32]),
    text_document=types.TextDocumentClientCapabilities(
        inline_completion=types.InlineCompletionClientCapabilities()
    ),
)
"""An editor that shows inline completions and counts columns in code points."""


class ServerEndedError(Exception):
    """The server's process has ended; `str()` holds the end of its log."""


class Editor(LanguageClient):
    """Speaks to a server over a pair of streams, and remembers what the server told by itself."""

    def __init__(self, capabilities: types.ClientCapabilities = GHOST_TEXT, name: str = "bowerbird") -> None:
        super().__init__(name, __version__, converter_factory=plain_converter)
        self.capabilities = capabilities
        self.server: types.InitializeResult | None = None
        """What the server announced."""
        self.statuses: list[dict[str, Any]] = []
        """Each `bowerbird/status`, oldest first."""
        self.messages: list[str] = []
        """What was shown to the user."""
        self._versions: dict[str, int] = {}
        self._news = asyncio.Event()

        self.feature(status.METHOD)(partial(self._heard_status))
        self.feature(types.WINDOW_SHOW_MESSAGE)(partial(self._heard_message))

    def _heard_status(self, params: dict[str, Any]) -> None:
        self.statuses.append(params)
        self._news.set()

    def _heard_message(self, params: types.ShowMessageParams) -> None:
        self.messages.append(params.message)
        self._news.set()

    def listen(self, reader: asyncio.StreamReader, sink: Sink) -> asyncio.Task[None]:
        """Speak to the server by these two from now on; the task ends with the server's stream."""
        self.protocol.set_writer(sink)
        return asyncio.create_task(self._listen(reader))

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        await run_async(stop_event=threading.Event(), reader=reader, protocol=self.protocol)
        for waiting in tuple(self.protocol._request_futures.values()):
            if not waiting.done():
                waiting.set_exception(ServerEndedError("The server has ended."))

    async def begin(
        self, folders: Sequence[Path], options: Mapping[str, Any] | None = None
    ) -> types.InitializeResult:
        """The handshake."""
        workspace = [types.WorkspaceFolder(uri_of(folder), folder.name) for folder in folders]
        params = types.InitializeParams(
            capabilities=self.capabilities,
            process_id=os.getpid(),
            client_info=types.ClientInfo(self.name, self.version),
            workspace_folders=workspace or None,
            root_uri=workspace[0].uri if workspace else None,
            initialization_options=dict(options) if options is not None else None,
        )
        self.server = await self.initialize_async(params)
        self.initialized(types.InitializedParams())
        return self.server

    async def finish(self) -> None:
        """The polite end."""
        await self.shutdown_async(None)
        self.exit(None)

    def show(self, uri: str, text: str, language_id: str = "") -> None:
        """Open a document."""
        self._versions[uri] = 1
        item = types.TextDocumentItem(uri, language_id, 1, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def edit(self, uri: str, *changes: types.TextDocumentContentChangeEvent) -> None:
        """Change a document, one change upon the other."""
        version = self._versions[uri] = self._versions.get(uri, 0) + 1
        identifier = types.VersionedTextDocumentIdentifier(version, uri)
        self.text_document_did_change(types.DidChangeTextDocumentParams(identifier, list(changes)))

    async def ghosts(
        self,
        uri: str,
        place: types.Position,
        invoked: bool = False,
        selected: types.SelectedCompletionInfo | None = None,
    ) -> Sequence[types.InlineCompletionItem]:
        """The inline completions at `place`."""
        kinds = types.InlineCompletionTriggerKind
        context = types.InlineCompletionContext(kinds.Invoked if invoked else kinds.Automatic, selected)
        params = types.InlineCompletionParams(context, types.TextDocumentIdentifier(uri), place)
        answer = await self.text_document_inline_completion_async(params)
        return answer.items if isinstance(answer, types.InlineCompletionList) else answer or ()

    def type_into(self, uri: str, start: Position, end: Position, text: str) -> None:
        """Replace what stands between two places of a document."""
        range_ = types.Range(types.Position(start.line, start.column), types.Position(end.line, end.column))
        self.edit(uri, types.TextDocumentContentChangePartial(range_, text))

    def ask(self, uri: str, place: Position, name: str) -> Awaitable[types.InlineCompletionList]:
        """Ask for inline completions, as an editor does by itself while somebody types.

        `name` is for `withdraw`; the answer to a request that was withdrawn or superseded is an error.
        """
        context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic)
        params = types.InlineCompletionParams(
            context, types.TextDocumentIdentifier(uri), types.Position(place.line, place.column)
        )
        method = types.TEXT_DOCUMENT_INLINE_COMPLETION
        answer: Awaitable[types.InlineCompletionList] = self.protocol.send_request_async(
            method, params, msg_id=name
        )
        return answer

    def withdraw(self, name: str) -> None:
        """The editor no longer wants an answer."""
        self.cancel_request(types.CancelParams(name))

    async def until(self, arrived: Callable[[], Any]) -> None:
        """Wait until `arrived()`, which may look at what the server told."""
        while not arrived():
            self._news.clear()
            await self._news.wait()

    async def indexed(self) -> dict[str, Any]:
        """The first status that does not speak of indexing."""
        await self.until(lambda: self.statuses and self.statuses[-1]["state"] != status.State.INDEXING)
        return self.statuses[-1]


class LspSession:
    """A server process of our own and an editor that works in `folder`; a context manager."""

    def __init__(
        self,
        folder: Path,
        options: Mapping[str, Any] | None = None,
        command: Sequence[str] = COMMAND,
        editor: Editor | None = None,
    ) -> None:
        self.folder = folder
        self.options = options
        self.command = command
        self.editor = editor or Editor()
        self.log: deque[str] = deque(maxlen=LOG_LINES)
        """The end of what the server wrote to stderr."""
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def process(self) -> asyncio.subprocess.Process:
        """The server's."""
        assert self._process is not None, "not started"
        return self._process

    async def __aenter__(self) -> Self:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*self.command, stdin=pipe, stdout=pipe, stderr=pipe)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._tasks = [
            self.editor.listen(process.stdout, process.stdin),
            asyncio.create_task(self._keep_log(process.stderr)),
        ]
        try:
            await self.editor.begin([self.folder], self.options)
        except BaseException as error:
            await self._end()
            self._tell_story(error)
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._end()
        self._tell_story(error)

    async def _end(self) -> None:
        listening, _ = self._tasks
        with suppress(TimeoutError, ServerEndedError, ConnectionError):
            async with asyncio.timeout(EXIT_TIMEOUT_S):
                if not listening.done():
                    await self.editor.finish()
                await self.process.wait()
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        await asyncio.gather(*self._tasks)

    def _tell_story(self, error: BaseException | None) -> None:
        """Replace the bare news of the server's end by what its log says."""
        if isinstance(error, ServerEndedError):
            raise ServerEndedError(f"{error}\n{''.join(self.log)}".rstrip()) from None

    async def open(self, path: Path, text: str | None = None, language_id: str = "") -> None:
        """Show a file, by default as it is on disk."""
        if text is None:
            text = await asyncio.to_thread(path.read_text)
        self.editor.show(uri_of(path), text, language_id)

    async def change(self, path: Path, text: str) -> None:
        """Replace the whole text of an open file."""
        self.editor.edit(uri_of(path), types.TextDocumentContentChangeWholeDocument(text))

    async def inline_completion(
        self, path: Path, position: Position, invoked: bool = True
    ) -> Sequence[types.InlineCompletionItem]:
        """The completions at a place of an open file."""
        place = types.Position(position.line, position.column)
        return await self.editor.ghosts(uri_of(path), place, invoked)

    async def hover(self, path: Path, position: Position) -> types.Hover | None:
        """What is told of a place of an open file."""
        place = types.Position(position.line, position.column)
        params = types.HoverParams(types.TextDocumentIdentifier(uri_of(path)), place)
        return await self.editor.text_document_hover_async(params)

    async def close(self, path: Path) -> None:
        """Show an open file no longer."""
        identifier = types.TextDocumentIdentifier(uri_of(path))
        self.editor.text_document_did_close(types.DidCloseTextDocumentParams(identifier))

    async def execute(self, name: str, *arguments: Any) -> Any:
        """What a command of the server answers."""
        params = types.ExecuteCommandParams(name, list(arguments))
        return await self.editor.workspace_execute_command_async(params)

    async def explain(self) -> dict[str, Any] | None:
        """The trace of the last completion; None before the first."""
        answer = await self.editor.protocol.send_request_async(commands.EXPLAIN, None)
        trace: dict[str, Any] | None = answer["trace"]
        return trace

    async def indexed(self) -> dict[str, Any]:
        """Wait until the workspace has been read; the status then."""
        return await self.editor.indexed()

    async def _keep_log(self, stderr: asyncio.StreamReader) -> None:
        while line := await stderr.readline():
            self.log.append(line.decode(errors="replace"))


@cache
def plain_converter() -> Any:
    """pygls' converter, but what it does not know it leaves as the JSON that it is."""
    converter = default_converter()  # type: ignore[no-untyped-call]
    converter.register_structure_hook(JsonRPCResponseMessage, lambda data, kind: kind(**data))
    converter.register_structure_hook(JsonRPCNotification, lambda data, kind: kind(**data))
    return converter
