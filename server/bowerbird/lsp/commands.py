"""Bowerbird's own requests, and the commands that an editor can run."""

from __future__ import annotations

from typing import Any

from bowerbird.lsp.host import BowerbirdServer

EXPLAIN = "bowerbird/explain"
ACCEPTED = "bowerbird.accepted"

NOTHING_YET = "Nothing has been completed yet."
NOT_READY = "The server has not been initialized."


def explain(server: BowerbirdServer, params: object = None) -> dict[str, Any]:
    """``{trace, sentence}`` of the last completion; `trace` is null before the first."""
    del params
    trace = server.last_trace
    if trace is None:
        return {"trace": None, "sentence": NOTHING_YET}
    return {"trace": trace.as_json(), "sentence": server.last_sentence}


def tell_status(server: BowerbirdServer, params: object = None) -> dict[str, Any]:
    """What `bowerbird/status` last said, for who did not listen."""
    del params
    return server.status.now.as_json()


def accepted(server: BowerbirdServer, *_: Any) -> None:
    """The user took a completion."""
    server.status.update(accepted=server.status.now.accepted + 1)


def explain_command(server: BowerbirdServer, *_: Any) -> dict[str, Any]:
    """The same as the request, for editors that can only run commands."""
    return explain(server)


async def restart_model(server: BowerbirdServer, *_: Any) -> str:
    """End the model's process and forget its crashes; the next completion starts it again."""
    if server.assembly is None:
        return NOT_READY
    server.turns.cancel()
    await server.assembly.model.restart()
    return "The model starts again with the next completion."


async def reindex(server: BowerbirdServer, *_: Any) -> str:
    """Read the workspace again."""
    if server.assembly is None:
        return NOT_READY
    server.indexing.start()
    return "Bowerbird reads the workspace again."


COMMANDS = {
    "bowerbird.explain": explain_command,
    "bowerbird.restartModel": restart_model,
    "bowerbird.reindex": reindex,
    ACCEPTED: accepted,
}
