"""Places to write at, and the prompts that the completion engine makes there."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bowerbird.assembly import Assembly
from bowerbird.cli.bench.overheard import Overheard
from bowerbird.cli.spots import Spot
from bowerbird.completion.engine import CompletionEngine
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Mode, Request
from bowerbird.inference.generator import Prompt, Token, Usage
from bowerbird.knowledge.snippet import Source, Window
from bowerbird.retrieval.retriever import Hit, Query, Retriever
from bowerbird.text import Position, Span, split_at

KINDS = {
    "a window holds the answer": "some lines are missing, and the nearest window is a copy that has them",
    "ordinary places": "the windows that retrieval finds",
    "repetitive code": "one file whose lines differ by a name",
}
"""The kinds of places, and what is in the prompt there."""

WINDOW_LINES = 20
LINES_BEFORE = 8  # in a planted window; the others stand behind the cursor
LINES_MISSING = 10  # behind the cursor's, where a window holds them: more than are written
NAMES = (
    "width",
    "height",
    "depth",
    "weight",
    "volume",
    "colour",
    "label",
    "price",
    "count",
    "stock",
    "maker",
)


@dataclass(frozen=True, slots=True)
class Planted:
    """A retriever that finds one window of its own before all others."""

    retriever: Retriever
    window: Window

    def retrieve(self, query: Query, k: int) -> list[Hit]:
        """The planted window first."""
        return [Hit(self.window, 1.0, "planted"), *self.retriever.retrieve(query, k)][:k]


class Noted(Overheard):
    """A model that keeps the prompts and writes nothing."""

    async def generate(self, prompt: Prompt) -> AsyncGenerator[Token, None]:
        """End at once."""
        self.prompts.append(prompt)
        yield Token("", Usage(0, 0, 0, 0.0, 0.0, "end"), count=0)


async def prompts_by_kind(assembly: Assembly, spots: Sequence[Spot], seed: int) -> dict[str, list[Prompt]]:
    """For each kind a prompt at as many places as there are `spots`."""
    planted, ordinary, repetitive = KINDS
    made_up = [repetitive_spot(random.Random(f"{seed} {number}")) for number in range(len(spots))]
    return {
        planted: [
            await _prompt(assembly, unfinished_at(assembly, spot, LINES_MISSING), Mode.RAG, copy_of(spot))
            for spot in spots
        ],
        ordinary: [await _prompt(assembly, unfinished_at(assembly, spot), Mode.RAG) for spot in spots],
        repetitive: [
            await _prompt(assembly, unfinished_at(assembly, spot), Mode.IN_FILE) for spot in made_up
        ],
    }


def unfinished_at(assembly: Assembly, spot: Spot, missing: int = 0) -> UnfinishedCode:
    """The code at `spot` without the end of its line, which the index no longer has either.

    The `missing` lines behind it are only hidden from the prompt.
    """
    prefix, suffix = split_at(spot.text, spot.position)
    suffix = "".join(f"\n{line}" for line in suffix.split("\n")[1 + missing :])
    source = spot.source
    folder = assembly.repository.folder_of(source.path) or source.path.parent
    if source.path.is_file():
        assembly.repository.open_document(source.path, spot.text, source.language)
    return UnfinishedCode(source.path, source.name, folder.name, source.language, prefix, suffix)


def copy_of(spot: Spot) -> Window:
    """The lines around `spot`, whole, as they would stand in another file."""
    name = f"copies/{spot.source.name}"
    first = max(0, spot.position.line - LINES_BEFORE)
    last = min(first + WINDOW_LINES, len(spot.source.lines))
    return Window(Source(Path("/copies") / name, name, spot.source.text), Span(first, last))


def repetitive_spot(chance: random.Random) -> Spot:
    """A class whose methods differ by a name, the last one unfinished."""
    names = chance.sample(NAMES, 8)
    subject = chance.choice(("item", "box", "part"))
    lines = [f"class {subject.title()}:"]
    for name in names:
        lines += [
            f"    def with_{name}(self, {name}):",
            f"        self.{subject}.{name} = {name}",
            f"        self.changed.append('{name}')",
            "        return self",
            "",
        ]
    cut = len(lines) - 4
    source = Source(Path(f"/made-up/{subject}.py"), f"{subject}.py", "\n".join(lines[: cut + 1]))
    return Spot(source, Position(cut, 8), lines[cut][8:])


async def _prompt(
    assembly: Assembly, unfinished: UnfinishedCode, mode: Mode, window: Window | None = None
) -> Prompt:
    noted = Noted(assembly.model)
    parts = assembly.completion
    retriever = Planted(parts.retriever, window) if window else parts.retriever
    engine = CompletionEngine(retriever, parts.function_retriever, noted, parts.policy, parts.settings)
    completion = await engine.complete(unfinished, Request(mode))
    if not noted.prompts:
        from bowerbird.cli.errors import ModelProblem

        raise ModelProblem(completion.message or completion.trace.sentence)
    return noted.prompts[0]
