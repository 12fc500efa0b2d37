"""Snippets: what retrieval finds. Each keeps where it came from, from index to hover."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from bowerbird.knowledge.utf8 import Utf8Text, utf8_text
from bowerbird.syntax.entities import Definition, definitions, enclosing_definition
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.syntax.parser import parse
from bowerbird.text import Span

NOWHERE = Span(0, 0)
DOCS = "docs"
"""What leads the name of every snippet of a documentation pack."""


class Snippet(Protocol):
    """Anything that may stand in a prompt."""

    @property
    def name(self) -> str:
        """Where it came from, as shown in prompts and traces."""
        ...

    @property
    def text(self) -> str:
        """What it says; lines end with ``\\n``, none at the very end."""
        ...


class Source:
    """One file of the workspace as it was read, or one document as the editor has it. It never changes.

    Two sources are the same only if they are one object: a changed file is a new source.
    """

    __slots__ = ("__weakref__", "_definitions", "_location", "body", "language", "name", "open")

    def __init__(
        self,
        path: Path | str,
        name: str,
        text: str | Utf8Text,
        language: str | None = None,
        open: bool = False,  # noqa: A002 - as the attribute
    ) -> None:
        """`path` is absolute, `text` decoded, with ``\\n`` line ends."""
        self._location = str(path)
        self.name = name
        """Path relative to its workspace folder, with ``/``; led by the folder's name among several."""
        self.body = text if isinstance(text, Utf8Text) else utf8_text(text)
        """The text in the form in which it is kept."""
        self.language = language
        """Key in `syntax.languages.LANGUAGES`, or None for plain text."""
        self.open = open
        """The editor's version, which may differ from the disk's."""
        self._definitions: tuple[Definition, ...] | None = None

    def __repr__(self) -> str:
        return f"Source({self._location!r}, {self.name!r}, {self.line_count} lines)"

    @property
    def path(self) -> Path:
        """Absolute."""
        return Path(self._location)

    @property
    def location(self) -> str:
        """The path as text."""
        return self._location

    @property
    def posix(self) -> str:
        """The path as text, with ``/``."""
        return self._location if os.sep == "/" else self._location.replace(os.sep, "/")

    @property
    def text(self) -> str:
        """Made anew from its bytes each time."""
        return self.body.decode()

    @property
    def line_count(self) -> int:
        """As many as `lines` gives."""
        return self.body.line_count

    @property
    def lines(self) -> list[str]:
        """Without line ends, made anew each time. A final newline gives no extra line."""
        lines = self.text.split("\n")
        if lines and not lines[-1]:
            lines.pop()
        return lines

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """What is defined in it, in order; parsed when first asked for, as few windows ever are."""
        if self._definitions is None:
            tree = parse(self.text, self.language)
            self._definitions = definitions(tree) if tree else ()
        return self._definitions

    def says_the_same(self, other: Source) -> bool:
        """Is it the same text under the same name, in the same language?"""
        same_labels = (self.name, self.language) == (other.name, other.language)
        return self is other or (same_labels and self.body.same_as(other.body))

    def renamed(self, name: str) -> Source:
        """Another source of the same text, called `name`."""
        return Source(self._location, name, self.body, self.language, self.open)


@dataclass(frozen=True, slots=True)
class Window:
    """Some consecutive lines of a file (RepoCoder's retrieval unit, section 2.2)."""

    source: Source
    span: Span
    """Where the lines stand, so that a hover can lead back to them."""
    _text: str | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def definition(self) -> str | None:
        """Dotted name of the innermost definition around the first line, such as ``Shop.total``."""
        around = enclosing_definition(self.source.definitions, self.span.first)
        return around.name if around else None

    @property
    def path(self) -> Path:
        return self.source.path

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def text(self) -> str:
        """Cut out of the source when first asked for."""
        if self._text is None:
            object.__setattr__(self, "_text", self.source.body.cut(self.span.first, self.span.end))
        assert self._text is not None
        return self._text


class EntityKind(StrEnum):
    """What a documented element of a language is."""

    FUNCTION = "function"
    METHOD = "method"
    CONSTRUCTOR = "constructor"
    BEHAVIOUR = "behaviour"
    FIELD = "field"
    TYPE = "type"
    """A class, actor, primitive, trait, interface, struct or alias; the signature says which."""
    ENUMERATION = "enumeration"
    MEMBER = "member"
    CONSTANT = "constant"
    KEYWORD = "keyword"
    OPERATOR = "operator"
    STATEMENT = "statement"
    CAPABILITY = "capability"
    CONCEPT = "concept"
    MODULE = "module"


CALLED_KINDS = frozenset(
    {EntityKind.FUNCTION, EntityKind.METHOD, EntityKind.CONSTRUCTOR, EntityKind.BEHAVIOUR}
)
"""Kinds that take arguments."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function or the like."""

    name: str
    type: str = ""
    """In the language's own notation; empty where it has none."""
    optional: bool = False
    note: str = ""
    """What it is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrammarEntity:
    """A documented element of a language (RAR, section 3)."""

    kind: EntityKind
    symbol: str
    """What a user types or searches: ``Table.AddColumn``, ``Array.push``, ``for``."""
    pack: str
    """Name of the pack that documents it."""
    language: str
    """Key in `syntax.languages.LANGUAGES`."""
    signatures: tuple[str, ...] = ()
    """In the language's own notation; several where it is overloaded."""
    parameters: tuple[Parameter, ...] = ()
    result: str = ""
    """What it gives."""
    description: str = ""
    """Markdown; paragraphs are parted by empty lines."""
    module: str = ""
    since: str = ""
    related: tuple[str, ...] = ()
    """Symbols."""
    aliases: tuple[str, ...] = ()
    """Other spellings of the symbol."""
    value: str = ""
    """Of a constant or a member of an enumeration."""
    member_of: str = ""
    """The type or enumeration that holds it."""
    source: str = ""
    """Page or file upstream where the facts stand."""
    page: str = ""
    """Path in the pack's folder, with ``/``."""
    span: Span = NOWHERE
    """Its lines on the page."""

    @property
    def name(self) -> str:
        return f"{DOCS}/{self.pack}/{self.symbol}"

    @property
    def text(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield from self.signatures or (self.symbol,)
        if self.value:
            yield f"Value: {self.value}"
        if self.description:
            yield self.description
        for parameter in self.parameters:
            if parameter.note:
                yield f"{parameter.name}: {parameter.note}"
        if self.result:
            yield f"Result: {self.result}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Code that shows how something is done, and what for (RAR, section 3)."""

    purpose: str
    """One line, in a user's words."""
    code: str
    pack: str
    """Name of the pack that it stands in."""
    language: str
    """Key in `syntax.languages.LANGUAGES`."""
    output: str = ""
    """What the code gives; empty where that is not told."""
    note: str = ""
    """What else is said about it."""
    counter_example: bool = False
    """The code must fail."""
    entity: str = ""
    """Symbol of the entity below which it stands; empty on a page of examples."""
    page: str = ""
    """Path in the pack's folder, with ``/``."""
    span: Span = NOWHERE
    """Its lines on the page."""

    @property
    def name(self) -> str:
        return f"{DOCS}/{self.pack}/{self.page}:{self.span.first + 1}"

    @property
    def text(self) -> str:
        comment = LANGUAGES[self.language].comment if self.language in LANGUAGES else ""
        heading = f"{comment or '#'} {self.purpose}"
        return f"{heading}\n{self.code}" if self.code else heading
