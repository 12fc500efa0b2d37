"""What the model is asked: documentation, feedback, examples as triples, and the request.

Shares of the room follow EVOR's appendix F: the answer first, some tokens for snippets, feedback as message
and line, and documentation in what is left. Lengths come as arguments; nothing here knows a tokenizer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from bowerbird.knowledge.snippet import Snippet
from bowerbird.knowledge.soup import Entry
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.synthesis.analyzer import TAGS, Preliminary, Triple
from bowerbird.synthesis.request import Request

ANSWER_TOKENS = 400
SNIPPET_TOKENS = 300
CONTEXT_LINES = 30  # of the document before the place; only chat models are shown them
LONGEST_MESSAGE = 400  # characters
LONGEST_CARD = 1_200  # characters of one entity; what a prompt is about stands at its beginning

REQUIREMENT, SOURCE = "[requirement]", "[source code]"
DOCUMENTATION, FEEDBACK = "[documentation]", "[feedback]"

T = TypeVar("T")

TITLES = {"powerquery": "Power Query M", "csharp": "C#", "cpp": "C++", "tsx": "TypeScript (TSX)"}


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation with a model that follows instructions."""

    role: str
    """``system``, ``user`` or ``assistant``."""
    content: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A prompt in both forms."""

    text: str
    """For models that continue texts: the triples as they stand."""
    messages: tuple[Message, ...]
    """For models that follow instructions."""
    stops: tuple[str, ...] = ()
    """Where a continuation ends, at the latest."""
    led_by: str = ""
    """The tag that `text` ends with: the answer begins with what belongs to it."""
    chat_stops: tuple[str, ...] = ()
    """As `stops`, for the answer of a model that follows instructions."""


@dataclass(frozen=True, slots=True)
class Material:
    """What retrieval found for a request, best first."""

    triples: tuple[Triple, ...] = ()
    preliminary: Preliminary = Preliminary.NONE
    """Of the triples, and what the model is to write before the code."""
    feedback: tuple[Entry, ...] = ()
    """Programs that failed, and why."""
    documentation: tuple[Snippet, ...] = ()
    given: str = ""
    """The request's own preliminary, where the workspace has tests for it."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Tokens for each part of a prompt."""

    total: int
    """For the whole prompt, without the answer."""
    snippets: int = SNIPPET_TOKENS


def texts_of(material: Material, request: Request) -> list[str]:
    """All that must be counted before `fit` can choose."""
    return [
        *map(triple_text, material.triples),
        *map(feedback_text, material.feedback),
        *map(card_text, material.documentation),
        _tail(request, material),
        instruction(request, material.preliminary),
    ]


def fit(material: Material, request: Request, tokens: Mapping[str, int], shares: Shares) -> Material:
    """As much of the material as there is room for: feedback, then snippets, then documentation."""
    fixed = (_tail(request, material), instruction(request, material.preliminary))
    room = shares.total - sum(tokens[text] for text in fixed)
    told = [feedback_text(one) for one in material.feedback]
    feedback, room = _that_fit(material.feedback, told, tokens, room)
    shown = [triple_text(one) for one in material.triples]
    triples, left = _that_fit(material.triples, shown, tokens, min(room, shares.snippets))
    room -= min(room, shares.snippets) - left
    cards = [card_text(one) for one in material.documentation]
    documentation, _ = _that_fit(material.documentation, cards, tokens, room)
    return Material(triples, material.preliminary, feedback, documentation, material.given)


def compose(request: Request, material: Material, context: str = "") -> Ask:
    """The prompt. Examples ascend, so that the most similar one stands nearest the request.

    `context` is the document's code before the place, fit to be shown.
    """
    knowledge = "\n\n".join(_knowledge(material))
    triples = material.triples[::-1]
    head = [knowledge] if knowledge else []
    tail = _tail(request, material)
    text = "\n\n".join([*head, *map(triple_text, triples), tail])
    system = "\n\n".join([instruction(request, material.preliminary), *head])
    turns: list[Message] = [Message("system", system)]
    for triple in triples:
        turns.append(Message("user", triple.example.requirement))
        turns.append(Message("assistant", _answer(triple, material.preliminary)))
    turns.append(Message("user", _wish(request, material, context)))
    leading = SOURCE if material.given else TAGS.get(material.preliminary, SOURCE)
    return Ask(text, tuple(turns), (REQUIREMENT,), leading)


def triple_text(triple: Triple) -> str:
    """One example for a model that continues."""
    example = triple.example
    parts = [f"{REQUIREMENT}\n{commented(example.requirement, example.language)}"]
    if triple.preliminary:
        parts.append(f"{TAGS[triple.kind]}\n{triple.preliminary}")
    return "\n".join([*parts, f"{SOURCE}\n{example.code}"])


def feedback_text(entry: Entry) -> str:
    """What was wrong with a program: the message, and the line that it speaks of."""
    line = f"\n{entry.faulty_line}" if entry.faulty_line else ""
    return f"{FEEDBACK}{line}\n{entry.feedback[:LONGEST_MESSAGE]}"


def card_text(snippet: Snippet) -> str:
    """An entity of the documentation."""
    return snippet.text[:LONGEST_CARD]


def commented(text: str, language: str) -> str:
    """Each line as a comment of the language."""
    row = LANGUAGES.get(language)
    mark = (row.comment if row else "") or "#"
    return "\n".join(f"{mark} {line}".rstrip() for line in text.split("\n"))


def instruction(request: Request, preliminary: Preliminary) -> str:
    """What a chat model is told once."""
    title = TITLES.get(request.language, request.language.capitalize())
    what = "the body of the function" if request.body else "code"
    first = {
        Preliminary.TESTS: " First write a few test cases, one a line; then",
        Preliminary.API: " First list the functions that you will call; then",
        Preliminary.SIGNATURE: " First write the function's signature; then",
    }.get(preliminary, " Write")
    write = "write" if preliminary in TAGS else ""
    return (
        f"You write {title}: {what} that does what the user wants.{first} {write}".rstrip()
        + " the code in one fenced block, without explanations."
        " Use only what the language and the documentation below have."
    )


def query_ask(request: Request, program: str, inputs: Sequence[str], feedback: Sequence[str]) -> Ask:
    """M_q: which knowledge is needed now? (section 2.1)"""
    told = "\n".join(feedback[:5])
    tried = "\nInputs:\n" + "\n".join(inputs) if inputs else ""
    content = (
        f"Requirement: {request.requirement}\nProgram:\n{program}{tried}\nFeedback:\n{told}\n"
        "Which functions or syntax must be looked up to mend the program? Answer with one line of keywords."
    )
    return Ask(f"{content}\nKeywords:", (Message("user", content),), ("\n\n",))


def inputs_ask(request: Request, program: str) -> Ask:
    """M_t: inputs to run a program with (appendix C)."""
    content = (
        f"Requirement: {request.requirement}\nProgram:\n{program}\n"
        "Write five calls of its function with different valid inputs, one a line, and nothing else."
    )
    return Ask(f"{content}\nCalls:\n", (Message("user", content),), ("\n\n",))


def _knowledge(material: Material) -> Iterator[str]:
    if material.documentation:
        yield DOCUMENTATION + "\n" + "\n\n".join(map(card_text, material.documentation))
    yield from map(feedback_text, material.feedback)


def _tail(request: Request, material: Material) -> str:
    """The request for a model that continues: it ends where the model goes on."""
    parts = [f"{REQUIREMENT}\n{commented(request.requirement, request.language)}"]
    if request.signature:
        parts.append(request.signature)
    tag = TAGS.get(material.preliminary)
    if tag is not None:
        parts.append(f"{tag}\n{material.given}" if material.given else tag)
    if tag is None or material.given:
        parts.append(SOURCE)
    return "\n".join(parts) + "\n"


def _answer(triple: Triple, kind: Preliminary) -> str:
    lead = f"{triple.preliminary}\n\n" if triple.preliminary and kind is not Preliminary.NONE else ""
    return f"{lead}```{triple.example.language}\n{triple.example.code}\n```"


def _wish(request: Request, material: Material, context: str) -> str:
    parts = [request.requirement]
    if context:
        parts.append(f"The code before it:\n```{request.language}\n{context}\n```")
    if request.signature:
        parts.append(f"The function: `{request.signature}`. Write its body only.")
    if material.given:
        parts.append(f"Tests that it must pass:\n{material.given}")
    return "\n\n".join(parts)


def _that_fit(
    items: Iterable[T], texts: Sequence[str], tokens: Mapping[str, int], room: int
) -> tuple[tuple[T, ...], int]:
    """Those that fit, the first ones first, and the room that is left."""
    kept = []
    for item, text in zip(items, texts, strict=True):
        if tokens[text] <= room:
            kept.append(item)
            room -= tokens[text]
    return tuple(kept), room
