"""Prompts as a model was trained on them, made of its family's row and its own token ids.

A prompt is built of *pieces*: texts that are tokenised by themselves, and ids of special tokens. Everything
here is a function of its arguments; the model's process has looked up the ids (`vocabulary.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bowerbird.inference.families import (
    COMMENTS,
    CONTINUING,
    FAMILIES,
    FIM_FAMILY,
    REPOSITORY_FAMILY,
    Family,
    Form,
)

Pieces = tuple[str | int, ...]
"""Texts, each to be tokenised by itself, and ids of special tokens."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a model's vocabulary and metadata say, as `vocabulary.Vocabulary.report` gives it."""

    roles: Mapping[str, int]
    """Role to id, as llama.cpp found it in the metadata or by texts of its own."""
    known: Mapping[str, int]
    """Those of `texts_to_probe` that are one special token each."""
    texts: Mapping[int, str] = field(default_factory=dict)
    """The texts of all ids above."""
    add_bos: bool = False
    space_prefix: bool = False
    """SentencePiece: a text begins with a space that was not there."""


class Named(Protocol):
    """Anything that can say what special tokens are called."""

    @property
    def specials(self) -> Mapping[int, str]: ...


@dataclass(frozen=True, slots=True)
class FimTemplate:
    """A family's row with the ids of one model: makes prompts."""

    family: Family
    ids: Mapping[str, int]
    """Role to id."""
    specials: Mapping[int, str]
    """Id to text, for people."""
    bos: int | None = None
    lead: str = ""
    """The space that a SentencePiece vocabulary expects at the start of a text."""

    @property
    def fills(self) -> bool:
        """Does the model heed what stands behind the cursor?"""
        return "pre" in self.ids

    @property
    def snippets_inside(self) -> bool:
        """Are snippets part of the code before the cursor, as comments?"""
        return self.family.snippet is COMMENTS

    def header(self, repository: str) -> Pieces:
        """What every prompt begins with; `repository` is a name."""
        start: Pieces = () if self.bos is None else (self.bos,)
        return start + self._fill(self.family.header, name=repository)

    def snippet(self, name: str, text: str, comment: str) -> Pieces:
        """A piece of another file; `comment` is the line-comment marker of the file being written."""
        commented = "".join(f"{comment} {line}".rstrip() + "\n" for line in [name, *text.split("\n")])
        return self._fill(self.family.snippet, name=name, text=text, commented=commented)

    def file(self, name: str, prefix: str, suffix: str) -> Pieces:
        """The file being written, up to the place where the model goes on."""
        return self._fill(self.family.file, name=name, prefix=prefix, suffix=suffix)

    def prompt(
        self, repository: str, snippets: Sequence[Pieces], name: str, prefix: str, suffix: str
    ) -> Pieces:
        """The whole prompt: header, snippets, file; snippets that are comments stand within the prefix."""
        inside = [piece for snippet in snippets for piece in snippet]
        if not self.snippets_inside:
            return (*self.header(repository), *inside, *self.file(name, prefix, suffix))
        above = "".join(piece for piece in inside if isinstance(piece, str))
        return self.header(repository) + self.file(name, above + prefix, suffix)

    def _fill(self, form: Form, **fields: str) -> Pieces:
        pieces: list[str | int] = []
        for part in form:
            if part.startswith("<"):
                pieces.append(self.ids[part[1:-1]])
            elif text := part.format(lead=self.lead, **fields):
                pieces.append(text)
        return tuple(pieces)


def choose_template(tokens: Tokens, name: str, prompt_form: str = "") -> tuple[FimTemplate, tuple[str, ...]]:
    """The template for a model, and sentences on what did not fit together.

    `name` is the model's name and architecture, `prompt_form` the metadata's ``bowerbird.prompt_form``.
    Ids of the metadata count before those found by text.
    """
    notes: list[str] = []
    found = [(family, ids) for family in FAMILIES if (ids := _ids_by_text(family, tokens)) is not None]
    asked = [pair for pair in found if prompt_form and pair[0].prompt_form == prompt_form]
    hinted = [pair for pair in found if any(hint in name.lower() for hint in pair[0].hints)]
    guessed = [pair for pair in found if pair[0].guessed]
    if prompt_form and not asked:
        notes.append(
            f"The model asks for the prompt form {prompt_form!r}, "
            "which is not known here or needs tokens that the model lacks."
        )
    candidates = [*asked, *hinted, *guessed, *_by_metadata(tokens), (CONTINUING, {})]
    family, ids = candidates[0]
    for role, token in ids.items():
        stated = tokens.roles.get(role, token)
        if stated != token:
            notes.append(
                f"The model's metadata says that token {stated} is its {role}, its vocabulary says {token}; "
                "the metadata counts."
            )
            ids = {**ids, role: stated}
    bos = tokens.roles.get("bos") if tokens.add_bos else None
    named = {*ids.values(), *(() if bos is None else (bos,))}
    specials = {token: tokens.texts.get(token, f"<{token}>") for token in named}
    template = FimTemplate(family, ids, specials, bos, " " if tokens.space_prefix else "")
    return template, tuple(notes)


def _ids_by_text(family: Family, tokens: Tokens) -> dict[str, int] | None:
    """The ids of the family's tokens, or None if one is missing."""
    ids: dict[str, int] = {}
    for role, spellings in family.roles.items():
        token = next((tokens.known[text] for text in spellings if text in tokens.known), None)
        if token is None:
            return None
        ids[role] = token
    return ids


def _by_metadata(tokens: Tokens) -> Iterable[tuple[Family, dict[str, int]]]:
    """General rows for what llama.cpp reports without our knowing the texts."""
    for family in (REPOSITORY_FAMILY, FIM_FAMILY):
        if all(role in tokens.roles for role in family.roles):
            yield family, {role: tokens.roles[role] for role in family.roles}


def shown(pieces: Pieces, named: Named) -> str:
    """A prompt for people: special tokens as their texts."""
    specials = named.specials
    return "".join(p if isinstance(p, str) else specials.get(p, f"<{p}>") for p in pieces)
