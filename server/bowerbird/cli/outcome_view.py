"""How generated code came about, for people: each round with its query, sources, program and feedback."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from bowerbird.explanation.visible import visible
from bowerbird.synthesis.outcome import Outcome, Round, looked_at

MOST_LINES = 12  # of what is no code


def outcome_view(outcome: Outcome) -> RenderableType:
    """Everything but the code, which stands above it."""
    cost = f"{outcome.tokens:,} tokens, {outcome.seconds:.1f} s"
    head = f"{outcome.mode} with {outcome.model or 'no model'}: {cost}"
    parts: list[RenderableType] = [Text(head, style="bold"), Text(visible(outcome.verdict))]
    if outcome.example is not None:
        parts.append(Text(f"example {visible(outcome.example.name)}: {visible(outcome.example.requirement)}"))
    for number, one in enumerate(outcome.rounds, start=1):
        mark = " (given)" if number - 1 == outcome.best else ""
        parts.append(Text(f"round {number}{mark}", style="bold"))
        parts += (Padding(Text(line), (0, 0, 0, 2)) for line in _lines(one))
    return Group(*parts)


def _lines(one: Round) -> Iterator[str]:
    yield f"query: {visible(one.query)}"
    kinds = Counter(source.kind for source in one.sources)
    yield "shown: " + (", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "nothing")
    for source in one.sources:
        told = f": {source.requirement}" if source.requirement else ""
        yield visible(f"  {source.kind} of the {source.origin} {source.name}{told}")
    yield f"prompt and answer: {one.tokens:,} tokens"
    if one.code:
        if one.preliminary:
            yield f"preliminary:\n{_head(one.preliminary)}"
        yield f"program:\n{visible(one.code)}"
    else:
        yield f"no program in the answer:\n{_head(one.answer.strip())}"
    if one.inputs:
        yield f"inputs: {visible('; '.join(one.inputs))}"
    yield visible(looked_at(one.feedback))


def _head(text: str) -> str:
    """The first lines of what a model wrote; a small one writes on and on."""
    lines = visible(text).split("\n")
    more = [f"... {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
    return "\n".join([*lines[:MOST_LINES], *more])
