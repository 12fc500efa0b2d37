"""A model that knows the solutions: what the harness shows of it is the most that any model can reach."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Sequence

from bowerbird.cli.bench.generate.tasks import Task
from bowerbird.inference.families import CONTINUING
from bowerbird.inference.fim import FimTemplate
from bowerbird.inference.generator import Prompt, Token, Usage
from bowerbird.inference.loaded import LoadedModel

NAME = "reference"
CONTEXT_TOKENS = 8_192
CHARACTERS_PER_TOKEN = 4


class Reference:
    """Answers each prompt with the solution of the task whose comment stands last in it."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = tuple(tasks)

    async def load(self) -> LoadedModel:
        """It is always there."""
        template = FimTemplate(CONTINUING, {}, {})
        return LoadedModel(NAME, "", "scripted 7.0 B", CONTEXT_TOKENS, CONTEXT_TOKENS, 1, template)

    async def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """As many tokens as a usual vocabulary would take."""
        return [[0] * (len(text) // CHARACTERS_PER_TOKEN + 1) for text in texts]

    async def generate(self, prompt: Prompt) -> AsyncGenerator[Token, None]:
        """The solution, in a fence."""
        best = max(self._tasks, key=lambda task: prompt.text.rfind(task.text))
        yield Token(f"```\n{best.solution}\n```")
        yield Token("", Usage(0, len(prompt.tokens), 1, 0.0, 0.0, "end"))

    async def close(self) -> None:
        """Nothing to end."""
