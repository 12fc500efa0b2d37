"""A progress bar in the editor, where it has one."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

REPORT_EVERY_S = 0.2
CREATE_TIMEOUT_S = 5.0

logger = logging.getLogger(__name__)


class Bar:
    """One bar; silent where the editor shows none."""

    def __init__(self, server: LanguageServer, token: str | None) -> None:
        self._server = server
        self._token = token
        self._last = 0.0

    def due(self) -> bool:
        """Is it time to report again? A quick worker must not drown the editor. Any thread may ask."""
        now = time.monotonic()
        if now - self._last < REPORT_EVERY_S:
            return False
        self._last = now
        return True

    def report(self, message: str, percentage: int | None) -> None:
        """What is being done now."""
        if self._token is None:
            return
        value = types.WorkDoneProgressReport(message=message, percentage=percentage)
        self._server.work_done_progress.report(self._token, value)

    @property
    def cancelled(self) -> bool:
        """Has the user pressed the bar's button?"""
        pressed = self._server.work_done_progress.tokens.get(self._token or "")
        return pressed is not None and pressed.cancelled()


@asynccontextmanager
async def progress_bar(server: LanguageServer, title: str, shown: bool) -> AsyncIterator[Bar]:
    """A bar while the block runs, if the editor shows bars that a server begins."""
    token = await _create(server) if shown else None
    if token is not None:
        begin = types.WorkDoneProgressBegin(title=title, cancellable=True, percentage=0)
        server.work_done_progress.begin(token, begin)
    try:
        yield Bar(server, token)
    finally:
        if token is not None:
            server.work_done_progress.end(token, types.WorkDoneProgressEnd())
            server.work_done_progress.tokens.pop(token, None)


async def _create(server: LanguageServer) -> str | None:
    token = f"bowerbird/{uuid.uuid4()}"
    try:
        async with asyncio.timeout(CREATE_TIMEOUT_S):
            await server.work_done_progress.create_async(token)
    except (TimeoutError, JsonRpcException) as error:
        logger.info("The editor shows no progress: %s", error or "no answer")
        return None
    return token
