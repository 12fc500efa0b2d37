"""What a writer of a pack should look at, and how much of the upstream names it has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bowerbird.knowledge.packs.folder import Contents
from bowerbird.knowledge.packs.problem import Problem, Severity
from bowerbird.knowledge.snippet import CALLED_KINDS, GrammarEntity


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of the names that there are upstream a pack documents."""

    wanted: int
    found: int
    missing: tuple[str, ...]

    @property
    def share(self) -> float:
        return self.found / self.wanted if self.wanted else 1.0


def coverage(contents: Contents, names: Iterable[str]) -> Coverage:
    """The share of `names` that stand in the pack as symbols or aliases."""
    sensitive = contents.manifest is None or contents.manifest.case_sensitive

    def key(name: str) -> str:
        return name if sensitive else name.casefold()

    have = {key(name) for entity in contents.entities for name in (entity.symbol, *entity.aliases)}
    wanted = list(dict.fromkeys(names))
    missing = tuple(name for name in wanted if key(name) not in have)
    return Coverage(len(wanted), len(wanted) - len(missing), missing)


def names_of_file(text: str) -> list[str]:
    """The names of a file that has one a line; empty lines and lines that begin with ``#`` and a blank go."""
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and line != "#" and not line.startswith("# ")]


def check(contents: Contents) -> list[Problem]:
    """All problems of a pack: those met while reading it, and what single pages cannot know."""
    problems = [*contents.problems]
    if contents.manifest is not None:
        problems += _unknown_related(contents)
        problems += _parameters(contents.entities)
    return sorted(problems)


def _unknown_related(contents: Contents) -> Iterator[Problem]:
    known = {name for entity in contents.entities for name in (entity.symbol, *entity.aliases)}
    if contents.manifest is not None and not contents.manifest.case_sensitive:
        known |= {name.casefold() for name in known}
    for entity in contents.entities:
        for name in entity.related:
            if name not in known and (contents.manifest is None or name.casefold() not in known):
                yield _warning(
                    entity, f"`{entity.symbol}`: the related name `{name[:60]}` is not in the pack."
                )


def _parameters(entities: Iterable[GrammarEntity]) -> Iterator[Problem]:
    """Parameters that are in no signature: one of the two is misspelt."""
    for entity in entities:
        if entity.kind in CALLED_KINDS and not entity.signatures:
            yield _warning(entity, f"`{entity.symbol}` has no signature.")
        if not entity.description:
            yield _warning(entity, f"`{entity.symbol}` has no description.")
        if not entity.signatures:
            continue
        words = set(re.findall(r"\w+", " ".join(entity.signatures)))
        for parameter in entity.parameters:
            if not words.issuperset(re.findall(r"\w+", parameter.name)):
                yield _warning(
                    entity, f"`{entity.symbol}`: no signature has the parameter `{parameter.name}`."
                )


def _warning(entity: GrammarEntity, sentence: str) -> Problem:
    return Problem(entity.page, entity.span.first, sentence, Severity.WARNING)
