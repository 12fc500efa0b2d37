"""The nearest example with its names adapted: what is offered in place of a model's answer."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bowerbird.knowledge.examples import Demonstration
from bowerbird.syntax.indent import leading_space
from bowerbird.synthesis.answer import fitted
from bowerbird.synthesis.place import is_head
from bowerbird.synthesis.request import Request, name_in

QUOTED = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|'([^'\n]+)'|\[([^\]\n]+)\]")
TEXT = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'")
STEP = re.compile(r"^[ \t]*([A-Za-z_]\w*)[ \t]*=(?![=>])", re.MULTILINE)
RESULT = re.compile(r"\s*in\s+([A-Za-z_]\w*)")
FIRST_ARGUMENT = re.compile(r"\s*[\w.]+\(\s*([A-Za-z_]\w*)\s*,")
STEP_NAME = "Result"
PARAMETERS = re.compile(r"\(([^()]*)\)")
PARAMETER = re.compile(r"\s*(?:\w+\s+)??(\w+)\s*(?:[:=].*|\s+as\s+.*)?", re.DOTALL)

FLAT = frozenset({"pony", "ring"})
"""Languages in which no definition stands in a function's body."""


def adapted(example: Demonstration, request: Request) -> str:
    """The example's code as the request would name things; empty where definitions would come into a body.

    Its function and parameters go by the names of the request's signature, where both have as many; texts
    that the example's own requirement names go by what the request's names in their place.
    """
    names = {**_function_names(example, request), **_quoted_names(example, request)}
    code = _renamed(example.code, names)
    if request.language == "powerquery":
        code = _as_step(code, request)
    code = fitted(code, request)
    inside = request.language in FLAT and (request.body or request.place.indent)
    at_margin = (line for line in code.split("\n") if not leading_space(line))
    return "" if inside and any(is_head(line, request.language) for line in at_margin) else code


def _as_step(code: str, request: Request) -> str:
    """Inside a `let` an expression of Power Query M becomes a step.

    It takes up the step before it, and goes by the name that stands behind `in`, if no step has that yet.
    """
    steps = STEP.findall(request.before)
    result = RESULT.match(request.after)
    if not steps or result is None or STEP.match(code):
        return code
    first = FIRST_ARGUMENT.match(code)
    if first is not None and first[1] not in steps:
        code = _renamed(code, {first[1]: steps[-1]})
    return f"{STEP_NAME if result[1] in steps else result[1]} = {code}"


def _function_names(example: Demonstration, request: Request) -> dict[str, str]:
    old, new = name_in(example.signature), name_in(request.signature)
    if not old or not new:
        return {}
    before, after = _parameters(example.signature), _parameters(request.signature)
    names = dict(zip(before, after, strict=True)) if len(before) == len(after) else {}
    return {old: new, **names}


def _parameters(signature: str) -> list[str]:
    inside = PARAMETERS.search(signature)
    if inside is None:
        return []
    matches = (PARAMETER.fullmatch(part) for part in inside[1].split(",") if part.strip())
    return [match[1] if match else "" for match in matches]


def _quoted_names(example: Demonstration, request: Request) -> dict[str, str]:
    """Column names and the like: the n-th that the request quotes stands for the n-th of the example's."""
    wanted = [next(filter(None, match.groups())) for match in QUOTED.finditer(request.requirement)]
    texts = list(
        dict.fromkeys(next(filter(None, match.groups()), "") for match in TEXT.finditer(example.code))
    )
    named = [text for text in texts if text and re.search(rf"(?i)\b{re.escape(text)}\b", example.requirement)]
    return dict(zip(named, wanted, strict=False))


def _renamed(code: str, names: Mapping[str, str]) -> str:
    """All names at once, so that two may change places."""
    names = {old: new for old, new in names.items() if old and old != new}
    if not names:
        return code
    longest_first = sorted(names, key=len, reverse=True)
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in longest_first))
    return pattern.sub(lambda match: names[match[0]], code)
