"""The model's own seam, with an ear at it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from bowerbird.assembly import Assembly
from bowerbird.completion.engine import CompletionEngine
from bowerbird.inference.engine import Engine
from bowerbird.inference.generator import Prompt, Token
from bowerbird.inference.loaded import LoadedModel


class Overheard:
    """A model that keeps each prompt that it was given, token by token: a trace has only the text."""

    def __init__(self, model: Engine) -> None:
        self.model = model
        self.prompts: list[Prompt] = []

    async def load(self) -> LoadedModel:
        return await self.model.load()

    async def encode(self, texts: Sequence[str]) -> list[list[int]]:
        return await self.model.encode(texts)

    def generate(self, prompt: Prompt) -> AsyncGenerator[Token, None]:
        self.prompts.append(prompt)
        return self.model.generate(prompt)


def overheard_engine(assembly: Assembly, model: Overheard) -> CompletionEngine:
    """The completion engine of `assembly` on another model, without memory of earlier completions."""
    parts = assembly.completion
    return CompletionEngine(parts.retriever, parts.function_retriever, model, parts.policy, parts.settings)
