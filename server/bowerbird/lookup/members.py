"""Names of libraries that may follow what is typed: filtered by it, and few."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bowerbird.knowledge.packs.names import last_part
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.packs.usage import UNWRITTEN_KINDS
from bowerbird.knowledge.snippet import EntityKind, GrammarEntity
from bowerbird.lookup.matching import use_of
from bowerbird.lookup.owners import Owners, find_owners
from bowerbird.syntax.lexis import place_of
from bowerbird.syntax.receivers import receivers

DOTTED_NAMES = frozenset({"powerquery"})
"""Languages in which a dot belongs to a name."""
LEAST_AFTER_DOT = 2
"""Characters of a member before any is offered: whose members they are, only a compiler knows."""
TYPED = re.compile(r"#?[\w$@]*\Z")
TYPED_DOTTED = re.compile(r"#?\w[\w.]*\Z|#\Z")
QUOTED_NAME = re.compile(r'#"[^"\n]*\Z')
NOT_OFFERED = UNWRITTEN_KINDS | {EntityKind.OPERATOR, EntityKind.STATEMENT}
PLAIN_NAME = re.compile(r"#?[\w$@.]+")


@dataclass(frozen=True, slots=True)
class Member:
    """A name on offer."""

    pack: Pack
    index: int
    """Of the entity in the pack."""
    text: str
    """What is written: the symbol, or only its last part behind a dot."""

    @property
    def entity(self) -> GrammarEntity:
        return self.pack.entities[self.index]


@dataclass(frozen=True, slots=True)
class Members:
    """Names on offer, the likeliest first."""

    found: tuple[Member, ...] = ()
    typed: str = ""
    """What stands before the cursor that each of them begins with, and replaces."""
    more: bool = False
    """There are others, which more letters would show."""


def members_at(prefix: str, suffix: str, language: str | None, packs: Sequence[Pack], most: int) -> Members:
    """What may be written behind `prefix`; nothing in comments and texts. Never raises."""
    if not packs:
        return Members()
    typed = (TYPED_DOTTED if language in DOTTED_NAMES else TYPED).search(prefix)
    written = typed[0] if typed else ""
    before = prefix[: len(prefix) - len(written)]
    line = before[before.rfind("\n") + 1 :]
    if written[:1].isdigit() or place_of(prefix, language) != "code" or QUOTED_NAME.search(line):
        return Members()
    chain = receivers(before)
    if chain or before.rstrip().endswith("."):
        found = _of_receiver(written, chain, prefix + suffix, packs)
    elif written:
        found = _free(written, packs)
    else:
        return Members()
    used = set(re.findall(r"[\w.]+", prefix + suffix)) - {written}
    owners = find_owners(chain, prefix + suffix, packs)
    found.sort(key=lambda one: _rank(one, used, owners, bool(chain)))
    found = _distinct(found)
    return Members(tuple(found[:most]), written, len(found) > most)


def _free(written: str, packs: Iterable[Pack]) -> list[Member]:
    """Whole names that begin with what is written; in other cases of letters only where there is none."""
    for fold in (False, True):
        found = []
        for pack in packs:
            caseless = fold or not pack.manifest.case_sensitive
            start = written.casefold() if caseless else written
            for index, entity in enumerate(pack.entities):
                if entity.kind in NOT_OFFERED or (
                    _is_member(entity) and pack.manifest.language not in DOTTED_NAMES
                ):
                    continue
                name = entity.symbol.casefold() if caseless else entity.symbol
                if name.startswith(start) and PLAIN_NAME.fullmatch(entity.symbol):
                    found.append(Member(pack, index, entity.symbol))
        if found:
            return found
    return []


def _of_receiver(written: str, chain: Sequence[str], text: str, packs: Sequence[Pack]) -> list[Member]:
    """Members that begin so: of the receiver's type where the text tells it, else of all."""
    owners = find_owners(chain, text, packs)
    start = written.casefold()
    found: list[Member] = []
    certain: list[Member] = []
    for pack in packs:
        for index, entity in enumerate(pack.entities):
            last = last_part(entity.symbol)
            if last == entity.symbol or entity.kind in NOT_OFFERED or not last.casefold().startswith(start):
                continue
            member = Member(pack, index, last)
            (certain if owners.rank(entity) == 0 else found).append(member)
    if certain:
        return certain
    return found if len(written) >= LEAST_AFTER_DOT else []


def _is_member(entity: GrammarEntity) -> bool:
    return last_part(entity.symbol) != entity.symbol


def _rank(
    member: Member, used: set[str], owners: Owners, behind_dot: bool
) -> tuple[int, bool, int, int, str]:
    return (
        owners.rank(member.entity) if behind_dot else 0,
        member.text not in used,
        -use_of(member.pack, member.index),
        len(member.text),
        member.text,
    )


def _distinct(found: Iterable[Member]) -> list[Member]:
    """One member of each name; the first stands for its namesakes."""
    distinct: dict[str, Member] = {}
    for one in found:
        distinct.setdefault(one.text, one)
    return list(distinct.values())
