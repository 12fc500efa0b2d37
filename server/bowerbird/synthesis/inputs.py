"""Queries and test inputs by rule, for models that are too small to be asked for them (M_q and M_t)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from bowerbird.execution.executor import Feedback, Level
from bowerbird.synthesis.analyzer import calls_in_tests
from bowerbird.synthesis.prompt import LONGEST_MESSAGE

MOST_INPUTS = 5  # appendix C
LONGEST_INPUT = 200  # characters

VALUES: dict[str, dict[str, tuple[str, ...]]] = {
    "python": {
        "int": ("0", "1", "7"),
        "float": ("0.0", "1.5", "-2.25"),
        "bool": ("True", "False"),
        "str": ("''", "'a'", "'Hello world'"),
        "list[int]": ("[]", "[3]", "[3, 1, 2]"),
        "list[float]": ("[]", "[0.5]", "[3.0, 1.5]"),
        "list[str]": ("[]", "['a']", "['b', 'a']"),
        "dict[str, int]": ("{}", "{'a': 1}", "{'a': 1, 'b': 2}"),
    }
}
"""Valid values of types that a signature names; where it names others, nothing is made up."""

PYTHON_HEAD = re.compile(r"def\s+(\w+)\s*\((.*)\)", re.DOTALL)
PYTHON_PARAMETER = re.compile(r"\s*(\w+)\s*:\s*(.+?)\s*")


def query_by_rule(requirement: str, feedback: Feedback) -> str:
    """q_i: the requirement, and what the checkers speak of."""
    if feedback.level is Level.UNCHECKED:
        return requirement
    told = " ".join(message.text for message in feedback.errors[:3])[:LONGEST_MESSAGE]
    return f"{requirement}\n{told}" if told else requirement


def inputs_by_rule(
    language: str, name: str, signature: str, preliminary: str, given: Sequence[str]
) -> list[str]:
    """I: calls that the workspace's tests make, else those in the model's own preliminary, else by type."""
    found = list(given) or (calls_in_tests(preliminary.split("\n"), name) if name else [])
    if not found and language == "python":
        found = _calls_by_type(signature)
    return usable_inputs(found)


def inputs_in(answer: str, name: str) -> list[str]:
    """The calls in what a model answered."""
    return usable_inputs(calls_in_tests(answer.split("\n"), name)) if name else []


def usable_inputs(calls: Iterable[str]) -> list[str]:
    """The first few, each once, none of them long."""
    return [call for call in dict.fromkeys(calls) if len(call) <= LONGEST_INPUT][:MOST_INPUTS]


def _calls_by_type(signature: str) -> list[str]:
    head = PYTHON_HEAD.search(signature)
    if head is None or not head[2].strip():
        return [f"{head[1]}()"] if head else []
    columns: list[tuple[str, ...]] = []
    for part in _parts(head[2]):
        if part.strip() in ("self", "cls") or "=" in part or part.lstrip().startswith("*"):
            return []
        match = PYTHON_PARAMETER.fullmatch(part)
        values = VALUES["python"].get(match[2]) if match else None
        if values is None:
            return []
        columns.append(values)
    rows = zip_longest(*columns)
    return [
        f"{head[1]}({', '.join(value or column[-1] for value, column in zip(row, columns, strict=True))})"
        for row in rows
    ]


def _parts(parameters: str) -> list[str]:
    """Parameters, parted at commas outside of brackets."""
    parts, depth = [""], 0
    for character in parameters:
        depth += character in "([{"
        depth -= character in ")]}"
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part.strip()]
