"""A scripted model and a scripted executor behind their seams, and examples to retrieve."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from bowerbird.execution.executor import Feedback, Level, Message, Program
from bowerbird.inference.families import CONTINUING
from bowerbird.inference.fim import FimTemplate
from bowerbird.inference.generator import InferenceError, Prompt, Token, Usage
from bowerbird.inference.loaded import LoadedModel
from bowerbird.knowledge.examples import Demonstration, From

SECRET = "hunter2secret"


@dataclass(eq=False)
class ScriptedModel:
    """Answers with its lines one after the other, the last one again and again; counts words as tokens."""

    answers: Sequence[str]
    context_tokens: int = 8_192
    description: str = "test 7.0 B"
    asked: list[Prompt] = field(default_factory=list)
    closed: int = 0
    delay_s: float = 0.0

    async def load(self) -> LoadedModel:
        return LoadedModel(
            name="scripted",
            path="",
            description=self.description,
            context_tokens=self.context_tokens,
            trained_tokens=self.context_tokens,
            vocabulary_tokens=1,
            template=FimTemplate(CONTINUING, {}, {}),
        )

    async def encode(self, texts: Sequence[str]) -> list[list[int]]:
        return [[0] * len(text.split()) for text in texts]

    async def encode_chat(self, _messages: Sequence[object]) -> list[int] | None:
        return None

    async def generate(self, prompt: Prompt) -> AsyncGenerator[Token, None]:
        self.asked.append(prompt)
        answer = self.answers[min(len(self.asked), len(self.answers)) - 1]
        if answer == "CRASH":
            raise InferenceError("The model's process stopped.")
        try:
            for word in answer.split(" "):
                await asyncio.sleep(self.delay_s)
                yield Token(f"{word} ")
            yield Token("", Usage(0, len(prompt.tokens), len(answer.split()), 0.0, 0.0, "end"))
        finally:
            self.closed += 1


@dataclass
class ScriptedExecutor:
    """Answers with its feedback one after the other, the last one again and again."""

    answers: Sequence[Feedback]
    programs: list[Program] = field(default_factory=list)

    async def execute(self, program: Program) -> Feedback:
        self.programs.append(program)
        return self.answers[min(len(self.programs), len(self.answers)) - 1]


def checked(*errors: str, level: Level = Level.CHECKED, first: int = 0) -> Feedback:
    """What a checker says that found these errors, on the lines `first`, ..."""
    messages = tuple(Message(text, line) for line, text in enumerate(errors, first))
    return Feedback(passed=not errors, level=level, by=("judge",), messages=messages)


def example(requirement: str, code: str, **more: object) -> Demonstration:
    """One of a pack."""
    told = {"language": "python", "name": f"docs/test/{requirement}", "origin": From.PACK, **more}
    return Demonstration(requirement=requirement, code=code, **told)  # type: ignore[arg-type]


TOTAL = "def total(items):\n    return sum(items)"

EXAMPLES = (
    example(
        "sum of a list", "def total(items):\n    return sum(items)", tests=("assert total([1, 2]) == 3",)
    ),
    example("largest item of a list", "def largest(items):\n    return max(items)", output="3"),
    example("sum of a list of secret numbers", f"open('{SECRET}')"),
)
