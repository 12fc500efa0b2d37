"""What is told of a library name, short enough for a terminal: in Markdown, or as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bowerbird.knowledge.packs.names import owner_of
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.snippet import CALLED_KINDS, EntityKind, Example, GrammarEntity

WIDEST_SIGNATURE = 84  # characters; wider ones get a line for each parameter
MOST_SIGNATURES = 6
MOST_CODE_LINES = 14
MOST_OUTPUT_LINES = 6
MOST_PARAMETERS = 12
MOST_MEMBERS = 12
MOST_OTHERS = 5

_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")


@dataclass(frozen=True, slots=True)
class Card:
    """An element of a library, and what is shown with it."""

    pack: Pack
    entity: GrammarEntity
    example: Example | None = None
    members: tuple[GrammarEntity, ...] = ()
    """Of an enumeration."""
    others: tuple[str, ...] = ()
    """Symbols that may be meant as well: which, only a compiler knows."""

    @property
    def source(self) -> str:
        """Where this is written: the pack, its page and line, and the page upstream."""
        entity = self.entity
        upstream = f" ({entity.source})" if entity.source else ""
        title = f"{self.pack.manifest.title} {self.pack.manifest.version}".strip()
        return f"{title}, {entity.page}:{entity.span.first + 1}{upstream}"


def markdown(card: Card, signature: bool = True) -> str:
    """The card for editors that show Markdown; readable where they show it as it is."""
    language = card.entity.language
    blocks = []
    if signature:
        blocks.append(fence("\n".join(signatures(card.entity)), language))
    blocks += _prose(card)
    if card.example is not None:
        example = card.example
        blocks.append(f"{_example_title(example)}\n{fence(_cut(example.code, MOST_CODE_LINES), language)}")
        if example.output:
            blocks.append(f"gives\n{fence(_cut(example.output, MOST_OUTPUT_LINES), '')}")
    blocks.append(f"*{card.source}*")
    return "\n\n".join(blocks)


def plain(card: Card, signature: bool = True) -> str:
    """The card for editors that show text only."""
    blocks = ["\n".join(signatures(card.entity))] if signature else []
    blocks += [_SPAN.sub(r"\1", block) for block in _prose(card)]
    if card.example is not None:
        example = card.example
        title = _SPAN.sub(r"\1", _example_title(example))
        blocks.append(f"{title}\n{_indented(_cut(example.code, MOST_CODE_LINES))}")
        if example.output:
            blocks.append(f"gives\n{_indented(_cut(example.output, MOST_OUTPUT_LINES))}")
    blocks.append(card.source)
    return "\n\n".join(blocks)


def fence(code: str, language: str) -> str:
    """A Markdown block whose fence is longer than any in the code."""
    marks = "```"
    while marks in code:
        marks += "`"
    return f"{marks}{language}\n{code}\n{marks}"


def signatures(entity: GrammarEntity) -> list[str]:
    """The entity's signatures, wide ones broken at their parameters; its symbol where there is none."""
    shown = [wrapped(one) for one in entity.signatures[:MOST_SIGNATURES]] or [_headline(entity)]
    if len(entity.signatures) > MOST_SIGNATURES:
        shown.append("...")
    return shown


def wrapped(signature: str) -> str:
    """A signature with one parameter on a line where it is wide."""
    if len(signature) <= WIDEST_SIGNATURE or "\n" in signature:
        return signature
    lines: list[str] = []
    depth = begin = 0
    for at, character in enumerate(signature):
        depth += character in "([{"
        if (character == "(" and depth == 1) or (character == "," and depth == 1):
            lines.append(("  " if lines else "") + signature[begin : at + 1].strip())
            begin = at + 1
        elif character == ")" and depth == 1:
            lines.append("  " + signature[begin:at].strip())
            begin = at
        depth -= character in ")]}"
    return "\n".join([*lines, signature[begin:].strip()])


def summary(entity: GrammarEntity) -> str:
    """The first sentence of the description."""
    return _SENTENCE.split(_first_paragraph(entity.description), maxsplit=1)[0]


def _headline(entity: GrammarEntity) -> str:
    value = f" = {entity.value}" if entity.value else ""
    return f"{entity.symbol}{value}"


def _prose(card: Card) -> Iterator[str]:
    entity = card.entity
    if facts := _facts(entity):
        yield facts
    description = _first_paragraph(entity.description)
    if description:
        yield description
    parameters = [f"- `{one.name}`: {one.note}" for one in entity.parameters if one.note]
    if parameters:
        yield "\n".join([*parameters[:MOST_PARAMETERS], *_more(len(parameters) - MOST_PARAMETERS)])
    if entity.result:
        yield f"Gives: {entity.result}"
    if card.members:
        members = [f"- `{one.symbol}`: {summary(one)}" for one in card.members[:MOST_MEMBERS]]
        yield "\n".join([*members, *_more(len(card.members) - MOST_MEMBERS)])
    if card.others:
        yield f"Or one of: {_listed(card.others)}."


_KIND_TOLD = frozenset({EntityKind.KEYWORD, EntityKind.OPERATOR, EntityKind.CAPABILITY})
"""Kinds that the signature does not show."""


def _facts(entity: GrammarEntity) -> str:
    """What the signature leaves unsaid of where the entity belongs."""
    owner = entity.member_of or owner_of(entity.symbol)
    of = "" if not owner or any(entity.symbol in one for one in entity.signatures) else f" of `{owner}`"
    module = (
        entity.module if entity.kind in _IN_MODULES and not entity.symbol.startswith(entity.module) else ""
    )
    if not (of or module or entity.kind in _KIND_TOLD):
        return ""
    said = f"{entity.kind.capitalize()}{of}" + (f" in `{module}`" if module else "")
    return f"{said}, value {entity.value}." if entity.value and entity.signatures else f"{said}."


_IN_MODULES = CALLED_KINDS | {EntityKind.TYPE, EntityKind.FIELD, EntityKind.CONSTANT}


def _more(count: int) -> list[str]:
    return [f"- and {count} more"] if count > 0 else []


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:MOST_OTHERS])
    more = len(names) - MOST_OTHERS
    return f"{shown} and {more} more" if more > 0 else shown


def _example_title(example: Example) -> str:
    lead = "This fails" if example.counter_example else "Example"
    purpose = example.purpose.strip().rstrip(":.")
    return (
        f"{lead}: {purpose[:1].lower() + purpose[1:2] + purpose[2:] if purpose[1:2].islower() else purpose}"
    )


def _first_paragraph(text: str) -> str:
    return " ".join(text.strip().split("\n\n", 1)[0].split())


def _cut(code: str, most: int) -> str:
    lines = code.split("\n")
    return "\n".join([*lines[: most - 1], "..."]) if len(lines) > most else code


def _indented(code: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in code.split("\n"))
