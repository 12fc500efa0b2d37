"""Which prompt a served model wants, by its name; its special tokens as the texts that its server reads."""

from __future__ import annotations

import re

from bowerbird.inference.families import CONTINUING, FAMILIES, Family
from bowerbird.inference.fim import FimTemplate
from bowerbird.inference.generator import ServerUnreachable
from bowerbird.inference.loaded import LoadedModel
from bowerbird.inference.remote_estimate import FIRST_MARK

NAMES: tuple[tuple[str, str], ...] = (
    (r"nestling", "Nestling"),
    (r"qwen.*coder|codeqwen", "Qwen2.5-Coder"),
    (r"starcoder-?2", "StarCoder2"),
    (r"starcoder|santacoder", "StarCoder"),
    (r"codegemma", "CodeGemma"),
    (r"deepseek-?coder", "DeepSeek-Coder"),
    (r"granite-?4", "Granite 4"),
    (r"granite", "Granite"),
    (r"code-?llama", "CodeLlama"),
    (r"codestral", "Codestral"),
    (r"refact", "Refact"),
)
"""Patterns in a served model's name, the first that fits counts."""

ENDPOINT = Family(
    "the server's own", {"pre": ("",), "suf": ("",)}, file=("<pre>", "{prefix}", "<suf>", "{suffix}")
)
"""The server is given prefix and suffix apart (the field ``suffix`` of OpenAI's interface)."""

AUTO, BY_ENDPOINT, BY_NOTHING = "auto", "endpoint", "none"


def family_for(wish: str, name: str, has_endpoint: bool) -> Family | None:
    """The row for a model called `name`; None where it can only continue.

    `wish` is the setting `remote.fim`; with `has_endpoint` the server does it by itself.
    """
    if wish == BY_ENDPOINT or (wish == AUTO and has_endpoint):
        return ENDPOINT
    if wish == BY_NOTHING:
        return None
    rows = {family.name.lower(): family for family in FAMILIES}
    if wish != AUTO:
        if (family := rows.get(wish.lower())) is None:
            known = ", ".join(family.name for family in FAMILIES)
            raise ServerUnreachable(
                f"remote.fim is {wish!r}; it may be auto, endpoint, none, or a family: {known}."
            )
        return family
    for pattern, row in NAMES:
        if re.search(pattern, name.lower()):
            return rows[row.lower()]
    return None


def marks_of(family: Family) -> dict[str, int]:
    """Role to id: ids that stand for special tokens wherever ids are our own."""
    return {role: FIRST_MARK + place for place, role in enumerate(family.roles)}


def described(family: Family | None, name: str, url: str, context_tokens: int) -> LoadedModel:
    """The model of a server whose vocabulary nobody can ask."""
    marks = marks_of(family) if family is not None else {}
    texts = {marks[role]: spellings[0] for role, spellings in family.roles.items()} if family else {}
    return LoadedModel(
        name=name,
        path=url,
        description=name,
        context_tokens=context_tokens,
        trained_tokens=0,
        vocabulary_tokens=0,
        template=FimTemplate(family or CONTINUING, marks, texts),
    )
