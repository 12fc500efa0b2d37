"""The real server, with a count of what the model was asked to do: run as a program by `bench typing`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bowerbird.assembly import Assembly, assemble
from bowerbird.completion.course import Watch
from bowerbird.completion.engine import CompletionEngine
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Completion, Request
from bowerbird.lsp.serve import log_to_stderr
from bowerbird.lsp.server import create_server
from bowerbird.settings import Settings

FLIGHTS = "bowerbird/bench/flights"


@dataclass(slots=True)
class Flights:
    """Runs of the completion engine."""

    demanded: int = 0
    """For a request."""
    foreseen: int = 0
    """As if what is shown had been accepted."""
    prefills: int = 0
    running: int = 0
    most_at_once: int = 0


class Observed(CompletionEngine):
    """A completion engine whose runs are counted."""

    def __init__(self, engine: CompletionEngine, flights: Flights) -> None:
        super().__init__(
            engine.retriever, engine.function_retriever, engine.model, engine.policy, engine.settings
        )
        self._flights = flights

    async def complete(
        self, unfinished: UnfinishedCode, request: Request, watch: Watch | None = None
    ) -> Completion:
        flights = self._flights
        flights.foreseen += request.speculative
        flights.demanded += not request.speculative
        flights.running += 1
        flights.most_at_once = max(flights.most_at_once, flights.running)
        try:
            return await super().complete(unfinished, request, watch)
        finally:
            flights.running -= 1

    async def prefill(self, unfinished: UnfinishedCode, request: Request) -> None:
        self._flights.prefills += 1
        await super().prefill(unfinished, request)


def serve_observed() -> None:
    """Serve an editor on stdin and stdout."""
    flights = Flights()

    def assemble_observed(
        settings: Settings, folders: Sequence[Path], previous: Assembly | None = None
    ) -> Assembly:
        assembly = assemble(settings, folders, previous)
        return replace(assembly, completion=Observed(assembly.completion, flights))

    def tell(*_: Any) -> dict[str, Any]:
        return asdict(flights)

    log_to_stderr()
    server = create_server(assemble_observed)
    server.feature(FLIGHTS)(tell)
    server.start_io()


if __name__ == "__main__":
    serve_observed()
