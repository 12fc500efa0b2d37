"""From a place in a document to the card of what stands there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.snippet import EntityKind, GrammarEntity
from bowerbird.lookup.card import Card
from bowerbird.lookup.matching import Match, matches
from bowerbird.lookup.nearest import ChooseExample, code_around, nearest_example
from bowerbird.syntax.spot import spot_at
from bowerbird.text import Position, Range


@dataclass(frozen=True, slots=True)
class Hover:
    """A card, and the word that it speaks of."""

    card: Card
    range: Range


def hover_at(
    text: str,
    position: Position,
    language: str | None,
    packs: Sequence[Pack],
    choose_example: ChooseExample = nearest_example,
) -> Hover | None:
    """The card of the library name at `position`; None where there is no such name."""
    if not packs:
        return None
    spot = spot_at(text, position, language)
    found = matches(spot, text, packs) if spot is not None else []
    if spot is None or not found:
        return None
    return Hover(make_card(found, code_around(text, position.line), choose_example), spot.range)


def make_card(found: Sequence[Match], code: str, choose_example: ChooseExample = nearest_example) -> Card:
    """The card of the first of `found`, with the example that is nearest to `code`."""
    best = found[0]
    pack, entity = best.pack, best.entity
    members: tuple[GrammarEntity, ...] = ()
    if entity.kind is EntityKind.ENUMERATION:
        members = tuple(
            one for one in pack.entities if one.kind is EntityKind.MEMBER and one.member_of == entity.symbol
        )
    others = () if best.certain else tuple(dict.fromkeys(one.entity.symbol for one in found[1:]))
    return Card(pack, entity, choose_example(pack, best.index, code), members, others)
