"""A document's blocks -> entities and examples, whatever markup it was written in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from bowerbird.knowledge.packs.builders.blocks import (
    MAX_SENTENCE,
    Block,
    Code,
    Described,
    Prose,
    Table,
    Title,
    shortened,
)
from bowerbird.knowledge.packs.builders.examples import examples_in
from bowerbird.knowledge.packs.builders.titles import title_names
from bowerbird.knowledge.packs.manifest import Manifest
from bowerbird.knowledge.packs.markup import one_line, tidy
from bowerbird.knowledge.snippet import EntityKind, Example, GrammarEntity, Parameter

MAX_DESCRIPTION = 2_000
MAX_SYMBOL = 120

_PARTS = """
    example examples usage syntax parameters arguments args returns return value notes note remarks output see
    also related content description about references
"""
PARTS = frozenset(_PARTS.split())
"""Titles of these words speak of what stands above them, and are no concept of their own."""

_WORD = re.compile(r"[^\W\d_]+")
_LIST_ITEM = re.compile(
    r"^[*+-]\s+`?\*{0,2}([\w.$]+)`?\*{0,2}(?:\s*\(([^()]*)\))?\s*(?::|-|–)\s+(.*)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A page of a pack to be."""

    path: str
    """With ``/``, ending in ``.md``."""
    title: str
    entities: tuple[GrammarEntity, ...] = ()
    examples: tuple[Example, ...] = ()


@dataclass(slots=True)
class _Section:
    """A title, what stands above it, and what below."""

    title: str
    path: tuple[str, ...]
    body: list[Block] = field(default_factory=list)


def read_document(blocks: Iterable[Block], path: str, manifest: Manifest, source: str = "") -> Draft:
    """A page of prose: sections become concepts, or the functions that their titles name."""
    sections = _sections(blocks)
    page = next((section.title for section in sections if section.title), path)
    entities: list[GrammarEntity] = []
    examples: list[Example] = []
    for section in sections:
        owner = entities[-1].symbol if entities else ""
        entity = None
        if section.title and not PARTS.issuperset(_WORD.findall(section.title.lower())):
            entity = _entity(section, manifest, source or path)
        elif entities:
            entities[-1] = _with_part(entities[-1], section)
        if entity is not None:
            entities.append(entity)
            owner = entity.symbol
        examples += examples_in(section.body, section.title or page, owner, manifest)
        for block in section.body:
            if isinstance(block, Described):
                found, shown = described(block, manifest, source or path)
                entities += found
                examples += shown
    return Draft(path, page, tuple(entities), tuple(examples))


def described(
    block: Described, manifest: Manifest, source: str, owner: str = ""
) -> tuple[list[GrammarEntity], list[Example]]:
    """What a directive such as ``.. function::`` describes, and what it describes inside."""
    signature = block.signatures[0]
    match = re.match(r"(?:(?:class|async|static|abstract|property)\s+)*([\w.:$~]+)", signature)
    name = (match[1] if match else signature).strip(".:")[:MAX_SYMBOL]
    if not name:
        return [], []
    symbol = f"{owner}.{name}" if owner and not name.startswith(f"{owner}.") else name
    kind = EntityKind(block.kind)
    told = [one for one in block.body if not isinstance(one, Described)]
    entity = GrammarEntity(
        kind=kind,
        symbol=symbol,
        pack=manifest.name,
        language=manifest.language,
        signatures=block.signatures if "(" in signature or kind is EntityKind.TYPE else (),
        parameters=_field_parameters(block.fields),
        result=next((text for key, text in block.fields if key in ("return", "returns")), ""),
        description=prose_of(told),
        member_of=owner,
        source=source,
    )
    entities, examples = [entity], examples_in(told, symbol, symbol, manifest)
    for one in block.body:
        if isinstance(one, Described):
            inner, shown = described(one, manifest, source, symbol if kind is EntityKind.TYPE else "")
            entities += inner
            examples += shown
    return entities, examples


def prose_of(blocks: Iterable[Block]) -> str:
    """The first paragraphs among blocks."""
    text = "\n\n".join(tidy(block.text) for block in blocks if isinstance(block, Prose))
    return shortened(tidy(text), MAX_DESCRIPTION)


def parameters_in(text: str) -> list[Parameter]:
    """Parameters of a list such as ``* `name`: what it is for``."""
    return [
        Parameter(match[1], one_line(match[2] or ""), note=one_line(match[3]))
        for match in _LIST_ITEM.finditer(text)
    ]


def _sections(blocks: Iterable[Block]) -> list[_Section]:
    sections = [_Section("", ())]
    path: list[tuple[int, str]] = []
    for block in blocks:
        if isinstance(block, Title):
            path = [(level, title) for level, title in path if level < block.level]
            sections.append(_Section(one_line(block.text), tuple(title for _, title in path)))
            path.append((block.level, one_line(block.text)))
        else:
            sections[-1].body.append(block)
    return sections


def _entity(section: _Section, manifest: Manifest, source: str) -> GrammarEntity | None:
    """What a section is about; None if there is nothing to say of it."""
    kind, symbol, signature = title_names(section.title)
    description = prose_of(section.body)
    if not description and kind is EntityKind.CONCEPT:
        return None
    symbol = one_line(symbol[:MAX_SYMBOL])
    if not symbol:
        return None
    return GrammarEntity(
        kind=kind,
        symbol=symbol,
        pack=manifest.name,
        language=manifest.language,
        signatures=(signature,) if signature else (),
        description=description,
        module=section.path[-1] if section.path and kind is not EntityKind.CONCEPT else "",
        source=source,
    )


def _with_part(entity: GrammarEntity, section: _Section) -> GrammarEntity:
    """What a section such as "Parameters" adds to the entity above it."""
    name = section.title.lower()
    text = prose_of(section.body)
    if name.startswith(("param", "arg")):
        rows = [
            row
            for block in section.body
            if isinstance(block, Table)
            for row in block.rows[1:]
            if len(row) > 1
        ]
        found = [
            Parameter(one_line(row[0].strip("`")), note=one_line(row[-1]))
            for row in rows
            if row[0].strip("` ")
        ]
        return replace(entity, parameters=(*entity.parameters, *found, *parameters_in(text)))
    if name.startswith("return") and text and not entity.result:
        return replace(entity, result=one_line(text)[: 2 * MAX_SENTENCE])
    if name.startswith("syntax") and not entity.signatures:
        code = next((block.text for block in section.body if isinstance(block, Code)), "")
        return replace(entity, signatures=(one_line(code),)) if 0 < len(code) < 400 else entity
    if name.startswith(("desc", "about")) and text and not entity.description:
        return replace(entity, description=text)
    return entity


def _field_parameters(fields: Iterable[tuple[str, str]]) -> tuple[Parameter, ...]:
    found: dict[str, Parameter] = {}
    for key, text in fields:
        word, _, rest = key.partition(" ")
        kind, _, name = rest.rpartition(" ")
        if word in ("param", "parameter", "arg", "argument") and name:
            found[name] = Parameter(name, kind, note=text)
        elif word == "type" and name in found:
            found[name] = replace(found[name], type=text)
    return tuple(found.values())
