"""The real server, with a count of the model's decodes: run as a program by `bench latency`.

It answers one more request than `bowerbird serve`, `DECODES`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bowerbird.assembly import Assembly, assemble
from bowerbird.completion.engine import CompletionEngine
from bowerbird.inference.engine import Engine
from bowerbird.inference.generator import Prompt, Token
from bowerbird.inference.loaded import LoadedModel
from bowerbird.lsp.serve import log_to_stderr
from bowerbird.lsp.server import create_server
from bowerbird.settings import Settings

DECODES = "bowerbird/bench/decodes"


@dataclass(slots=True)
class Decodes:
    """How often the model wrote."""

    started: int = 0
    running: int = 0
    most_at_once: int = 0


class Counted:
    """A model whose generations are counted."""

    def __init__(self, model: Engine, decodes: Decodes) -> None:
        self.model = model
        self.decodes = decodes

    async def load(self) -> LoadedModel:
        return await self.model.load()

    async def encode(self, texts: Sequence[str]) -> list[list[int]]:
        return await self.model.encode(texts)

    async def generate(self, prompt: Prompt) -> AsyncGenerator[Token, None]:
        decodes = self.decodes
        decodes.started += 1
        decodes.running += 1
        decodes.most_at_once = max(decodes.most_at_once, decodes.running)
        try:
            async with aclosing(self.model.generate(prompt)) as tokens:
                async for token in tokens:
                    yield token
        finally:
            decodes.running -= 1


def serve_counted() -> None:
    """Serve an editor on stdin and stdout."""
    decodes = Decodes()

    def assemble_counted(
        settings: Settings, folders: Sequence[Path], previous: Assembly | None = None
    ) -> Assembly:
        assembly = assemble(settings, folders, previous)
        parts = assembly.completion
        counted = CompletionEngine(
            parts.retriever,
            parts.function_retriever,
            Counted(assembly.model, decodes),
            parts.policy,
            parts.settings,
        )
        return replace(assembly, completion=counted)

    def tell(*_: Any) -> dict[str, Any]:
        return asdict(decodes)

    log_to_stderr()
    server = create_server(assemble_counted)
    server.feature(DECODES)(tell)
    server.start_io()


if __name__ == "__main__":
    serve_counted()
