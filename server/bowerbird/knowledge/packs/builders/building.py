"""What a builder finds -> a folder of pages, in which no two paths and no two names are the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bowerbird.knowledge.packs.builders.document import Draft
from bowerbird.knowledge.packs.builders.paths import PagePaths
from bowerbird.knowledge.packs.builders.table import Builder
from bowerbird.knowledge.packs.builders.upstream import Upstream
from bowerbird.knowledge.packs.manifest import FILE_NAME, Manifest, write_manifest
from bowerbird.knowledge.packs.problem import Problem
from bowerbird.knowledge.packs.writing import write_page
from bowerbird.knowledge.snippet import EntityKind, GrammarEntity


@dataclass(frozen=True, slots=True)
class Build:
    """What a builder made."""

    builder: str
    pages: int
    entities: int
    examples: int
    problems: tuple[Problem, ...]
    """What was skipped."""


def build_folder(upstream: Upstream, manifest: Manifest, builder: Builder, target: Path) -> Build:
    """Write the pack into the folder `target`, which is there and empty. Raises `OSError`."""
    drafts = list(_unique(builder.drafts(upstream, manifest)))
    (target / FILE_NAME).write_text(write_manifest(manifest), encoding="utf-8")
    for draft in drafts:
        path = target / draft.path
        path.parent.mkdir(parents=True, exist_ok=True)
        text = write_page(draft.entities, draft.examples, draft.title)
        path.write_text(text, encoding="utf-8", errors="replace", newline="\n")
    return Build(
        builder.name,
        len(drafts),
        sum(len(draft.entities) for draft in drafts),
        sum(len(draft.examples) for draft in drafts),
        tuple(upstream.problems),
    )


def _unique(drafts: Iterable[Draft]) -> Iterator[Draft]:
    """No two pages of one path, no two entities of one kind and name: on one page overloads are joined, and
    what another page has already is led by its module or its page's title."""
    pages = PagePaths()
    seen: set[tuple[EntityKind, str]] = set()
    for draft in drafts:
        entities: dict[tuple[EntityKind, str], GrammarEntity] = {}
        renamed: dict[str, str] = {}
        for entity in draft.entities:
            key = (entity.kind, entity.symbol)
            if key in entities:
                entities[key] = _joined(entities[key], entity)
                continue
            symbol = _free(entity, draft.title, seen)
            if symbol != entity.symbol:
                renamed.setdefault(entity.symbol, symbol)
            seen.add((entity.kind, symbol))
            entities[key] = replace(entity, symbol=symbol)
        examples = tuple(replace(one, entity=renamed.get(one.entity, one.entity)) for one in draft.examples)
        yield Draft(pages.take(draft.path), draft.title, tuple(entities.values()), examples)


def _joined(first: GrammarEntity, second: GrammarEntity) -> GrammarEntity:
    return replace(
        first,
        signatures=tuple(dict.fromkeys((*first.signatures, *second.signatures))),
        description=first.description or second.description,
    )


def _free(entity: GrammarEntity, title: str, seen: set[tuple[EntityKind, str]]) -> str:
    """The entity's symbol, or one like it that is not taken."""
    symbol = entity.symbol
    if (entity.kind, symbol) in seen:
        concept = entity.kind is EntityKind.CONCEPT
        symbol = f"{title}: {symbol}" if concept else f"{entity.module or title}.{symbol}"
    number, name = 1, symbol
    while (entity.kind, name) in seen:
        number += 1
        name = f"{symbol} ({number})"
    return name
