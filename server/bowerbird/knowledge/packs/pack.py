"""A pack as retrieval, hover and search have it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bowerbird.knowledge.packs.folder import Contents
from bowerbird.knowledge.packs.manifest import Manifest
from bowerbird.knowledge.packs.names import Names
from bowerbird.knowledge.packs.signature import with_parameters
from bowerbird.knowledge.packs.usage import used_indices
from bowerbird.knowledge.snippet import Example, GrammarEntity


@dataclass(frozen=True, eq=False)
class Pack:
    """The documentation of one language or library."""

    manifest: Manifest
    folder: Path
    """Where its pages lie, so that a hover can lead there."""
    entities: tuple[GrammarEntity, ...]
    examples: tuple[Example, ...]
    used: tuple[tuple[int, ...], ...]
    """For each example the entities that its code uses, as indices, in order of their first mention."""
    problems: int
    """How many things were wrong in its files; `docs check` tells them."""

    @property
    def name(self) -> str:
        return self.manifest.name

    @cached_property
    def names(self) -> Names:
        return Names(self.entities, self.manifest.case_sensitive)

    @cached_property
    def using(self) -> tuple[tuple[int, ...], ...]:
        """For each entity the examples that use it, as indices."""
        found: list[list[int]] = [[] for _ in self.entities]
        for example, indices in enumerate(self.used):
            for index in indices:
                found[index].append(example)
        return tuple(map(tuple, found))

    def find(self, name: str) -> tuple[GrammarEntity, ...]:
        """Entities by their whole name, else by the last part of dotted ones; in any case of letters where
        the language makes no difference."""
        return tuple(self.entities[index] for index in self.names.find(name))

    def path(self, snippet: GrammarEntity | Example) -> Path:
        """The file of the page that a snippet stands on."""
        return self.folder / snippet.page


def build_pack(contents: Contents, manifest: Manifest, folder: Path) -> Pack:
    """What is kept of a pack's folder: its contents, and which examples use which entities."""
    entities = tuple(map(with_parameters, contents.entities))
    names = Names(entities, manifest.case_sensitive)
    used = tuple(
        used_indices(example.code, example.language, entities, names) for example in contents.examples
    )
    return Pack(manifest, folder, entities, contents.examples, used, len(contents.problems))
