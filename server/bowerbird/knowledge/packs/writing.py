"""Entities and examples -> a page that reads as they are."""

from __future__ import annotations

from collections.abc import Iterable

from bowerbird.knowledge.packs.fields import field_lines
from bowerbird.knowledge.packs.format import COUNTER_EXAMPLE, OUTPUT
from bowerbird.knowledge.packs.markup import escape, fenced, heading_name, heading_text, one_line, tidy
from bowerbird.knowledge.snippet import Example, GrammarEntity


def write_page(entities: Iterable[GrammarEntity], examples: Iterable[Example], title: str = "") -> str:
    """A page that reads as `entities`, each with the examples that name it, then the other `examples`."""
    by_entity: dict[str, list[Example]] = {}
    for example in examples:
        by_entity.setdefault(example.entity, []).append(example)
    parts = [f"# {heading_text(one_line(title))}"] if title else []
    # Examples that belong to none stand first: below an entity they would belong to that.
    parts += map(_example_text, by_entity.pop("", ()))
    for entity in entities:
        parts.append(_entity_text(entity))
        parts += map(_example_text, by_entity.pop(entity.symbol, ()))
    for orphans in by_entity.values():
        parts += ["# Examples", *map(_example_text, orphans)]
    return "\n\n".join(parts) + "\n"


def _entity_text(entity: GrammarEntity) -> str:
    heading = f"## {heading_name(one_line(entity.symbol))}"
    lines = "\n".join([heading, *field_lines(entity)])
    description = tidy(entity.description)
    return f"{lines}\n\n{escape(description)}" if description else lines


def _example_text(example: Example) -> str:
    parts = [f"### {heading_text(one_line(example.purpose))}"]
    if note := tidy(example.note):
        parts.append(f"{escape(note)}\n")
    flag = f" {COUNTER_EXAMPLE}" if example.counter_example else ""
    parts.append(fenced(example.code, f"{example.language}{flag}"))
    if example.output:
        parts.append(fenced(example.output, OUTPUT))
    return "\n".join(parts)
