"""Keeps the index in step with the disk and the editor, beside the requests."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bowerbird.knowledge.report import Progress
from bowerbird.knowledge.repository import Repository
from bowerbird.lsp.documents import Document, Documents
from bowerbird.lsp.progress import Bar, progress_bar
from bowerbird.syntax.languages import language_of

if TYPE_CHECKING:
    from bowerbird.lsp.host import BowerbirdServer

T = TypeVar("T")

TYPING_S = 0.25  # what is being typed reaches the index so often; its own prompt has it at once
CATCH_UP_S = 0.2  # a request waits so long at most for what was typed in other documents
MAX_SHARE = 0.2  # of a processor for that: a huge document is read more seldom
SAVE_S = 30.0  # so often what changed is kept on disk, or what another editor's server kept is used
THREADS = 4  # for the scan, for what changed on disk, for what changed in the editor, for what is kept

logger = logging.getLogger(__name__)


class Indexing:
    """Reads the workspace in a thread, then follows it: by the editor's reports, else by looking itself."""

    def __init__(self, server: BowerbirdServer) -> None:
        self._server = server
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="index")
        self._scan: asyncio.Task[None] | None = None
        self._stop_scan = threading.Event()
        self._watch: asyncio.Task[None] | None = None
        self._saving: asyncio.Task[None] | None = None
        self._touched: set[Path] = set()
        """Changed on disk and not yet looked at."""
        self._refresh: asyncio.Task[None] | None = None
        self._unread: dict[Path, Document | None] = {}
        """Changed in the editor and not yet in the index; None for a document that was closed."""
        self._reading = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._pause_s = TYPING_S
        self._folders: Sequence[Path] | None = None
        """Changed while paused and not yet told to the repository."""

    @property
    def _repository(self) -> Repository:
        assert self._server.assembly is not None
        return self._server.assembly.repository

    def start(self, folders: Sequence[Path] | None = None) -> None:
        """Read the whole workspace, its `folders` changed, and follow it; ends a reading under way.

        While the server is paused nothing is read; `start` again when it goes on.
        """
        self._folders = self._folders if folders is None else folders
        if self._server.paused:
            return
        folders, self._folders = self._folders, None
        self._stop_scan.set()
        self._stop_scan = threading.Event()
        self._server.status.update(indexing=True)
        self.watch()  # first, so that nothing changes unseen while the scan runs
        self._scan = self._server.run_beside(self._read_all(self._scan, self._stop_scan, folders))
        if self._saving is None or self._saving.done():
            self._saving = self._server.run_beside(self._keep())
        if self._unread:
            self._read_soon()

    def watch(self) -> None:
        """Follow the disk ourselves, where the editor does not and the user has not forbidden it."""
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        assembly = self._server.assembly
        if assembly is not None and assembly.settings.index.watch and not self._server.client.watches_files:
            self._watch = self._server.run_beside(self._follow_disk(assembly.repository))

    async def pause(self) -> None:
        """Read no more until `start`; what was typed meanwhile is read then."""
        await self._let_go()
        async with self._reading:  # what is being read is read to its end
            pass

    async def stop(self) -> None:
        """Read no more, ever."""
        await self._let_go()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _let_go(self) -> None:
        self._stop_scan.set()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        tasks = [task for task in (self._watch, self._scan, self._refresh, self._saving) if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def refresh(self, paths: Iterable[Path]) -> None:
        """Look again at these files and folders, which came, changed or went."""
        self._touched.update(paths)
        if self._server.paused:
            return  # `start` looks at everything
        if self._touched and (self._refresh is None or self._refresh.done()):
            self._refresh = self._server.run_beside(self._look_again())

    def document_changed(self, document: Document) -> None:
        """The editor has a newer text of a file than the disk."""
        if document.path is not None:
            self._unread[document.path] = document
            self._read_soon()

    def document_closed(self, document: Document) -> None:
        """The disk counts again."""
        if document.path is not None:
            self._unread[document.path] = None
            self._read_soon()

    def follow(self, documents: Documents) -> None:
        """Tell a new index what is open."""
        for document in documents:
            self.document_changed(document)

    async def catch_up(self, but: Path) -> None:
        """Have what was typed elsewhere in the index; the document at `but` has its text in the prompt."""
        others = [path for path in self._unread if path != but]
        if others:
            reading = self._server.run_beside(self._read_documents(others))
            await asyncio.wait([reading], timeout=CATCH_UP_S)

    async def _read_all(
        self, before: asyncio.Task[None] | None, stop: threading.Event, folders: Sequence[Path] | None
    ) -> None:
        if before is not None:
            await asyncio.wait([before])
        repository, loop = self._repository, asyncio.get_running_loop()
        try:
            if folders is not None:
                await self._in_thread(lambda: repository.set_folders(folders))
            async with progress_bar(self._server, "Bowerbird: indexing", self._server.client.progress) as bar:

                def report(progress: Progress) -> None:
                    if bar.due():
                        loop.call_soon_threadsafe(self._show, bar, progress)

                await self._in_thread(lambda: repository.scan(report, lambda: stop.is_set() or bar.cancelled))
        finally:
            if self._stop_scan is stop:  # no other reading has begun
                self._server.status.update(indexing=False, **asdict(repository.counts))

    def _show(self, bar: Bar, progress: Progress) -> None:
        done, found = progress.files_done, progress.files_found
        bar.report(f"{done:,} of {found:,} files", 100 * done // found if found else 0)
        self._server.status.update(files=done)

    async def _follow_disk(self, repository: Repository) -> None:
        try:
            await repository.watch()
        except OSError as error:
            logger.warning("Changes on disk cannot be followed (%s); files are looked at when saved.", error)

    async def _keep(self) -> None:
        """Write now and then; a scan does so by itself."""
        while True:
            await asyncio.sleep(SAVE_S)
            if self._server.assembly is not None and not self._server.status.now.indexing:
                repository = self._repository
                await self._in_thread(repository.save)
                self._server.status.update(**asdict(repository.counts))

    async def _look_again(self) -> None:
        while self._touched:
            paths, self._touched = self._touched, set()
            repository = self._repository
            await self._in_thread(lambda: repository.refresh(paths))  # noqa: B023 - awaited
            if not self._server.status.now.indexing:
                self._server.status.update(**asdict(repository.counts))

    def _read_soon(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._pause_s, self._read_now)

    def _read_now(self) -> None:
        self._timer = None
        self._server.run_beside(self._read_documents(tuple(self._unread)))

    async def _read_documents(self, paths: Iterable[Path]) -> None:
        async with self._reading:
            began = time.monotonic()
            for path in paths:
                if path in self._unread and self._server.assembly is not None and not self._server.paused:
                    document = self._unread.pop(path)
                    await self._in_thread(self._reader(path, document))
            self._pause_s = max(TYPING_S, (time.monotonic() - began) / MAX_SHARE)

    def _reader(self, path: Path, document: Document | None) -> Callable[[], None]:
        repository = self._repository
        if document is None:
            return lambda: repository.close_document(path)
        language = language_of(path, document.language_id, document.content(0))
        return lambda: repository.open_document(path, document.text, language)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)
