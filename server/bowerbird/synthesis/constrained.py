"""Code that keeps to a grammar: for which requests, and what it takes to end it whole.

The paper's model writes a preliminary and the code in one go (AceCoder, section 3.4). A grammar knows only
the code, so here it is asked twice: for the preliminary as usual, then for the code behind it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bowerbird.execution.executor import Feedback, Level, Message
from bowerbird.syntax.gbnf.constraint import grammar_for, place_for
from bowerbird.syntax.gbnf.following import accepts, close
from bowerbird.syntax.gbnf.reading import GrammarError
from bowerbird.syntax.indent import leading_space
from bowerbird.synthesis.analyzer import TAGS, Preliminary
from bowerbird.synthesis.answer import Answer, is_nothing
from bowerbird.synthesis.outcome import looked_at
from bowerbird.synthesis.place import without_margin
from bowerbird.synthesis.prompt import SOURCE, Ask, Material
from bowerbird.synthesis.request import Request

FENCE = "```"
HELD = "The model is small and was held to a grammar, so it shows nothing that the code has no faults."
TYPE = re.compile(r"(?:actor|class|interface|primitive|struct|trait)\b")


@dataclass(frozen=True, slots=True)
class Constraint:
    """What code must be."""

    language: str
    place: str
    """Of the language's grammar."""

    @property
    def lead(self) -> str:
        """What a chat model is made to begin with: all that follows is code."""
        return f"{FENCE}{self.language}\n"

    def ends(self, ask: Ask, chat: bool) -> tuple[str, ...]:
        """How a model may say that the code is done."""
        return (f"\n{FENCE}",) if chat else tuple(f"\n\n{stop}" for stop in ask.stops)

    def grammar(self, ends: Sequence[str]) -> str:
        """GBNF for the code, and one of `ends` behind it."""
        return grammar_for(self.language, self.place, ends)

    def finished(self, text: str, ends: Sequence[str]) -> str | None:
        """`text` made whole, without any of `ends`; None where it does not keep to the grammar."""
        grammar = self.grammar(ends)
        if not accepts(grammar, text) and accepts(grammar, text.rstrip()):
            return text.rstrip()  # white space wants something to follow
        try:
            text += close(grammar, text)
        except GrammarError:
            return None
        for end in ends:
            text = text.removesuffix(end)
        return text


def constraint_for(request: Request) -> Constraint | None:
    """What the request's code must be; None where its language has no grammar, or no code fits there."""
    place = place_for(request.language, request.program, _likely(request))
    return Constraint(request.language, place) if place else None


def without_code(ask: Ask) -> Ask:
    """The same ask, whose answer ends where the code would begin."""
    return replace(ask, stops=(*ask.stops, SOURCE), chat_stops=(FENCE,))


def with_preliminary(material: Material, text: str) -> Material:
    """The material with the preliminary that the model wrote; without one, as if none was wanted."""
    written = re.split("|".join(map(re.escape, (SOURCE, *TAGS.values()))), text)[0].strip()
    if not written:
        return replace(material, preliminary=Preliminary.NONE)
    return replace(material, given=written)


def without_merit(feedback: Feedback) -> Feedback:
    """What is known of code that a small model was held to; only a run can tell whether it is any good.

    Names without sense in a form without faults would pass a check, and stand in the way of an example.
    """
    if not feedback.passed or feedback.level is Level.RUN:
        return feedback
    told = looked_at(feedback)
    messages = (Message(HELD),)
    return replace(feedback, passed=False, level=Level.UNCHECKED, messages=messages, note=told)


def whole_answer(code: str, request: Request) -> Answer:
    """The answer of a model that could write code only."""
    code = without_margin(code)
    return Answer("" if is_nothing(code, request.language) else code)


def _likely(request: Request) -> tuple[str, ...]:
    """What a person would expect at the place, where more than one kind of code fits."""
    if request.body:
        return ("body", "value")
    if not request.place.indent:
        return ()
    above = request.before.split("\n")
    outer = next((line for line in reversed(above) if _is_outer(line, request.place.indent)), "")
    return ("members", "body") if TYPE.match(outer.strip()) else ("body", "members")


def _is_outer(line: str, indent: str) -> bool:
    return bool(line.strip()) and len(leading_space(line)) < len(indent)
