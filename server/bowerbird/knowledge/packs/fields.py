"""The field lines below an entity's heading: ``- key: value``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bowerbird.knowledge.packs.markup import code_span, heading_name, leading_span, one_line, without_span
from bowerbird.knowledge.snippet import EntityKind, GrammarEntity, Parameter

KINDS = frozenset(EntityKind)
SINGLE = ("kind", "module", "result", "since", "source", "value", "member of")
"""Keys that stand once."""
LISTS = ("related", "alias")
"""Keys whose values are names parted by commas."""
IN_CODE = frozenset({"value", "module", "member of"})
"""Keys whose values may be written in backticks."""

OPTIONAL = "optional"
PARAM = "param"
SIGNATURE = "signature"

_PLAIN_PARAMETER = re.compile(r"[^\s`:(),](?:[^`:(),]*[^\s`:(),])?")
_PLAIN_TYPE = re.compile(r"[^\s`:()](?:[^`:()]*[^\s`:(),])?")
_SPACE_IN_SPAN = re.compile(r"\s+")


@dataclass(slots=True)
class Fields:
    """What an entity's field lines say."""

    single: dict[str, str] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)
    signatures: list[str] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)

    def take(self, line: str) -> str:
        """Read one field without its dash; answers with what is wrong with it, or nothing."""
        key, colon, value = line.partition(":")
        key = one_line(key).lower()
        if key.startswith(PARAM + " "):
            return self._take_parameter(line.split(None, 1)[1])
        if not colon:
            return f"A field line is `- key: value`, not `- {line[:60]}`."
        value = one_line(value)
        if key == SIGNATURE:
            self.signatures += filter(None, [without_span(value)])
        elif key in LISTS:
            self.lists.setdefault(key, []).extend(names_in(value))
        elif key not in SINGLE:
            return f"The key `{key[:60]}` is unknown."
        elif key in self.single:
            return f"The key `{key}` stands here a second time; the first counts."
        elif key == "kind" and value not in KINDS:
            return f"The kind `{value[:60]}` is unknown; there are: {', '.join(EntityKind)}."
        else:
            self.single[key] = without_span(value) if key in IN_CODE else value
        return ""

    def _take_parameter(self, text: str) -> str:
        parameter = _parameter(text.strip())
        if parameter is None:
            return f"A parameter is `- param NAME (TYPE, optional): note`, not `- param {text[:60]}`."
        if any(parameter.name == one.name for one in self.parameters[-50:]):
            return f"The parameter `{parameter.name}` stands here a second time; the first counts."
        self.parameters.append(parameter)
        return ""


def field_lines(entity: GrammarEntity) -> Iterator[str]:
    """The lines, with their dashes, that read as what `entity` holds."""
    yield f"- kind: {entity.kind}"
    if entity.module:
        yield f"- module: {_maybe_span(entity.module)}"
    if entity.member_of:
        yield f"- member of: {_maybe_span(entity.member_of)}"
    if entity.value:
        yield f"- value: {code_span(one_line(entity.value))}"
    for signature in entity.signatures:
        yield f"- signature: {code_span(one_line(signature))}"
    for parameter in entity.parameters:
        yield f"- param {_parameter_text(parameter)}".rstrip()
    for key, text in (("result", entity.result), ("since", entity.since)):
        if text:
            yield f"- {key}: {one_line(text)}"
    for key, names in (("alias", entity.aliases), ("related", entity.related)):
        if names:
            yield f"- {key}: {', '.join(_listed(name) for name in names)}"
    if entity.source:
        yield f"- source: {one_line(entity.source)}"


def names_in(value: str) -> Iterator[str]:
    """Names parted by commas; one that holds a comma itself stands in backticks."""
    at = 0
    while at < len(value):
        if value[at] in " ,":
            at += 1
            continue
        span = leading_span(value, at)
        if span is not None:
            name, at = span
            end = value.find(",", at)
        else:
            end = value.find(",", at)
            name = value[at : end if end >= 0 else len(value)]
        at = end if end >= 0 else len(value)
        if name.strip():
            yield name.strip()


def _parameter(text: str) -> Parameter | None:
    """``NAME: note``, ``NAME (TYPE): note`` or ``NAME (TYPE, optional): note``."""
    span = leading_span(text)
    if span is not None:
        name, rest = span[0], text[span[1] :]
    else:
        begin = min((at for at in (text.find(" ("), text.find(":")) if at >= 0), default=0)
        name, rest = text[:begin].strip(), text[begin:]
    rest = rest.lstrip()
    kind, optional = "", False
    if rest.startswith("("):
        end = _closing_bracket(rest)
        if end is None:
            return None
        kind, optional = _type(rest[1:end].strip())
        rest = rest[end + 1 :].lstrip()
    if not name or not rest.startswith(":"):
        return None
    return Parameter(one_line(name), kind, optional, one_line(rest[1:]))


def _type(text: str) -> tuple[str, bool]:
    """What stands in the brackets: the type and whether the parameter may be left out."""
    span = leading_span(text)
    if span is not None:
        return one_line(span[0]), text[span[1] :].lstrip(", ") == OPTIONAL
    if text == OPTIONAL:
        return "", True
    kind, comma, last = text.rpartition(",")
    if comma and last.strip() == OPTIONAL:
        return one_line(kind), True
    return one_line(text), False


def _closing_bracket(text: str) -> int | None:
    """Where the bracket that `text` begins with is closed, backticks apart."""
    depth = at = 0
    while at < len(text):
        if text[at] == "`":
            span = leading_span(text, at)
            at = span[1] if span else at + 1
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return at
        at += 1
    return None


def _parameter_text(parameter: Parameter) -> str:
    name = one_line(parameter.name)
    told = [_type_text(one_line(parameter.type))] if parameter.type else []
    told += [OPTIONAL] if parameter.optional else []
    brackets = f" ({', '.join(told)})" if told else ""
    note = one_line(parameter.note)
    return f"{name if _PLAIN_PARAMETER.fullmatch(name) else code_span(name)}{brackets}: {note}"


def _type_text(kind: str) -> str:
    plain = _PLAIN_TYPE.fullmatch(kind) and kind.rpartition(",")[2].strip() != OPTIONAL
    return kind if plain else code_span(kind)


def _maybe_span(text: str) -> str:
    return heading_name(one_line(text))


def _listed(name: str) -> str:
    """In a list, where a comma parts names."""
    return code_span(one_line(name)) if "," in name else _maybe_span(name)
