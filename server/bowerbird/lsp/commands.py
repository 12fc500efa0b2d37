"""Bowerbird's own requests, and the commands that an editor can run."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from bowerbird.knowledge.packs.store import cache_folder
from bowerbird.lsp.host import BowerbirdServer
from bowerbird.trace import SENTENCES, Reason

EXPLAIN = "bowerbird/explain"
ACCEPTED = "bowerbird.accepted"

NOT_READY = "The server has not been initialized."

logger = logging.getLogger(__name__)


def explain(server: BowerbirdServer, params: object = None) -> dict[str, Any]:
    """What `Records.explain` says of the last completions."""
    return server.records.explain(params)


def tell_status(server: BowerbirdServer, params: object = None) -> dict[str, Any]:
    """What `bowerbird/status` last said, for who did not listen."""
    del params
    return server.status.now.as_json()


def accepted(server: BowerbirdServer, *_: Any) -> None:
    """The user took a completion."""
    server.records.accept()
    server.status.update(accepted=server.status.now.accepted + 1)


def explain_command(server: BowerbirdServer, *arguments: Any) -> dict[str, Any]:
    """The same as the request, for editors that can only run commands."""
    return explain(server, arguments[0] if arguments else None)


async def restart_model(server: BowerbirdServer, *_: Any) -> str:
    """End the model's process and forget its crashes; the next completion starts it again."""
    if server.assembly is None:
        return NOT_READY
    server.turns.cancel()
    await server.live.stop()
    await server.assembly.model.restart()
    return "The model starts again with the next completion."


async def reindex(server: BowerbirdServer, *_: Any) -> str:
    """Read the workspace again."""
    if server.assembly is None:
        return NOT_READY
    server.indexing.start()
    return "Bowerbird reads the workspace again."


async def clear_caches(server: BowerbirdServer, *_: Any) -> str:
    """Forget what is kept for speed alone: completions, the model's state, the index, built packs."""
    if server.assembly is None:
        return NOT_READY
    server.turns.cancel()
    await server.live.stop()
    server.assemble(server.assembly.settings, server.folders)  # with a new engine, which remembers nothing
    await server.assembly.model.restart()
    await asyncio.to_thread(_remove_built_packs)
    server.indexing.start()
    return "The caches are empty; the workspace is read again."


def _remove_built_packs() -> None:
    for path in cache_folder().glob("*"):
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            logger.warning("%s was not removed: %s", path, error)


async def pause(server: BowerbirdServer, *_: Any) -> str:
    """Run nothing until resumed."""
    await server.pause()
    return SENTENCES[Reason.PAUSED]


async def resume(server: BowerbirdServer, *_: Any) -> str:
    """Go on."""
    server.resume()
    return "Bowerbird goes on."


async def toggle(server: BowerbirdServer, *_: Any) -> str:
    """Pause, or go on."""
    return await (resume if server.paused else pause)(server)


COMMANDS = {
    "bowerbird.pause": pause,
    "bowerbird.resume": resume,
    "bowerbird.togglePause": toggle,
    "bowerbird.explain": explain_command,
    "bowerbird.restartModel": restart_model,
    "bowerbird.reindex": reindex,
    "bowerbird.clearCaches": clear_caches,
    ACCEPTED: accepted,
}
