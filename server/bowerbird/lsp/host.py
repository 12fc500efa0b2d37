"""The server object: what one editor's session holds, and what the handlers share."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from bowerbird import __version__
from bowerbird.assembly import Assembly
from bowerbird.completion.live import LiveCompletion
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Request
from bowerbird.lsp import status
from bowerbird.lsp.cells import ALL_NOTEBOOKS
from bowerbird.lsp.clients import Client
from bowerbird.lsp.convert import Encoding
from bowerbird.lsp.diagnostics import Checking
from bowerbird.lsp.documents import Documents
from bowerbird.lsp.indexing import Indexing
from bowerbird.lsp.power import on_battery
from bowerbird.lsp.protocol import BowerbirdProtocol, message_converter
from bowerbird.lsp.records import Records
from bowerbird.lsp.superseding import Turns
from bowerbird.settings import Settings
from bowerbird.trace import Reason

CLOSE_TIMEOUT_S = 3.0
REFINED = "bowerbird/refined"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """A document as the editor and as the engine call it; a notebook's cells share a path."""

    uri: str
    path: Path
    line: int
    """The cursor's, as the editor counts."""


class Assemble(Protocol):
    """Joins the parts; takes over those of `previous` that the settings leave as they are."""

    def __call__(
        self, settings: Settings, folders: Sequence[Path], previous: Assembly | None = None
    ) -> Assembly: ...


class BowerbirdServer(LanguageServer):
    """Serves one editor. Nothing is global: a second server in the same process shares nothing with it."""

    def __init__(self, assemble: Assemble) -> None:
        super().__init__(
            "bowerbird",
            __version__,
            protocol_cls=BowerbirdProtocol,
            converter_factory=message_converter,
            notebook_document_sync=ALL_NOTEBOOKS,
        )
        self._assemble = assemble
        self.assembly: Assembly | None = None
        """None until `initialize`."""
        self.client = Client()
        self.folders: tuple[Path, ...] = ()
        self.trusted = True
        self.options: dict[str, dict[str, Any]] = {}
        """What the editor sent, by where it came from, the weakest first."""
        self.problems: list[str] = []
        """What is wrong with the options, as last told."""
        self.begun = False
        """Has the editor said `initialized`? Nothing is indexed and no status told before."""
        self.documents = Documents()
        self.turns = Turns()
        self.generations = Turns()
        self.last_generation: dict[str, Any] | None = None
        """All about it, as `Outcome.as_json` tells it."""
        self.paused = False
        """By the user's command: nothing runs until it is resumed."""
        self.records = Records(self.documents, self.mask)
        self.asked: Asked | None = None
        """Where a completion was last asked for."""
        self.status = status.StatusLine(self._notify_status, self.warn)
        self.indexing = Indexing(self)
        self.checking = Checking(self)
        self.exit_code = 1  # until the editor has said `shutdown` and `exit`
        self.ended: Callable[[], None] = lambda: None
        """Wakes the transport, so that it stops reading."""
        self._live: LiveCompletion | None = None
        self._telling: asyncio.Handle | None = None
        """A status that is about to be told, unless another comes first."""
        self._closing: asyncio.Task[None] | None = None
        self._background: set[asyncio.Task[Any]] = set()

    @property
    def encoding(self) -> Encoding:
        """What the columns of this editor count."""
        return Encoding(self.workspace.position_encoding or Encoding.UTF16)

    def assemble(self, settings: Settings, folders: Sequence[Path]) -> None:
        """Join the parts anew, keeping those that need not change."""
        old, self.folders = self.assembly, tuple(folders)
        new = self.assembly = self._assemble(settings, self.folders, old)
        self.records.configure(settings.records.traces, settings.records.figures)
        enabled = settings.completion.enabled
        why = Reason.UNTRUSTED if not self.trusted else None if enabled else Reason.DISABLED
        paused = Reason.PAUSED if self.paused else why
        self.status.update(paused=paused)
        if old is None or new.completion is not old.completion:
            if self._live is not None:
                self._live.drop()
            self._live = LiveCompletion(new.completion, self._prepare, self._refined, on_battery)
        if old is None or new is old:
            return
        if new.model is not old.model or paused:
            self.turns.cancel()
        self.run_beside(old.close(new))
        if new.repository is not old.repository:
            self.indexing.follow(self.documents)
            if self.begun:
                self.indexing.start()

    @property
    def live(self) -> LiveCompletion:
        """Completes while somebody types; there from `initialize` on."""
        assert self._live is not None
        return self._live

    async def pause(self) -> None:
        """Run nothing until `resume`: no model, no index."""
        self.paused = True
        self.status.update(paused=Reason.PAUSED)
        self.turns.cancel()
        self.generations.cancel()
        if self.assembly is not None:
            await self.live.stop()
        if self.assembly is not None and self.paused:  # it may be resumed while we wait
            await self.indexing.pause()
        if self.assembly is not None and self.paused:
            self.status.update(indexing=False)
            await self.assembly.model.close()

    def resume(self) -> None:
        """Go on as before the pause."""
        self.paused = False
        if self.assembly is not None:
            self.assemble(self.assembly.settings, self.folders)
            self.indexing.start()

    async def _prepare(self, unfinished: UnfinishedCode, request: Request) -> None:
        """Before the model is asked, the index should have what was typed in other documents."""
        del request
        await self.indexing.catch_up(unfinished.path)

    def _refined(self, unfinished: UnfinishedCode) -> None:
        """A later iteration has said something else: an editor that knows this notification asks again."""
        asked = self.asked
        if self.client.refines and asked is not None and asked.path == unfinished.path:
            self.protocol.notify(REFINED, {"uri": asked.uri, "line": asked.line})

    def mask(self, text: str) -> str:
        """`text` without its secrets. Any thread may ask."""
        return self.assembly.policy.redact(text) if self.assembly is not None else ""

    def change_folders(self, folders: tuple[Path, ...]) -> None:
        """Work on these folders from now on; what is indexed of those that stay is kept."""
        self.folders = folders
        if self.assembly is not None:
            self.assembly = replace(self.assembly, folders=folders)
            self.indexing.start(folders)

    def run_beside(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run something that no request waits for; what goes wrong in it is logged."""
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._background_ended)
        return task

    def _background_ended(self, task: asyncio.Task[Any]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("Something failed beside the requests.", exc_info=error)

    def warn(self, sentence: str) -> None:
        """Show the user something that only they can mend."""
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"Bowerbird: {sentence}"))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log it. pygls would open a message box for every notification that it cannot read."""
        logger.error("%s: %s", getattr(source, "__name__", source), error)

    def _notify_status(self, now: dict[str, Any]) -> None:
        if self._telling is not None:
            self._telling.cancel()
        if not (self.begun and self.client.habits.status):
            return
        if (
            now["state"] == status.State.GENERATING
        ):  # once the model has its work: a write may take a millisecond
            loop = asyncio.get_running_loop()
            self._telling = loop.call_soon(self.protocol.notify, status.METHOD, now)
        else:
            self.protocol.notify(status.METHOD, now)

    def shut_down(self) -> None:
        """The editor said `shutdown`: begin to close, so that nothing is left to do at `exit`."""
        self.exit_code = 0
        self._closing = asyncio.ensure_future(self._close())

    def leave(self) -> None:
        """The editor said `exit`."""
        self.ended()

    async def close(self) -> None:
        """Let go of the index's threads and of the model's process. Can be called twice."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await self._closing

    async def _close(self) -> None:
        self.turns.cancel()
        self.generations.cancel()
        if self._live is not None:
            self._live.drop()  # waits for nothing: the model may hang, and its process is ended below
        for task in tuple(self._background):
            task.cancel()
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self.records.close()
                await self.indexing.stop()
                if self.assembly is not None:
                    await self.assembly.close()
        except TimeoutError:
            logger.error("Not everything could be closed within %s s.", CLOSE_TIMEOUT_S)

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        """Serve on two pipes, by default the process's own; `exit_code` says how it ended."""
        from bowerbird.lsp.serve import over_pipes

        asyncio.run(over_pipes(self, stdin, stdout))

    def start_tcp(self, host: str, port: int) -> None:
        """Serve one connection from this machine; `ValueError` for an address that others can reach."""
        from bowerbird.lsp.serve import over_tcp

        asyncio.run(over_tcp(self, host, port))
