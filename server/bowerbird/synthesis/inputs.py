"""Queries and test inputs by rule, for models that are too small to be asked for them (M_q and M_t)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bowerbird.execution.executor import Feedback, Level
from bowerbird.synthesis.analyzer import calls_in_tests
from bowerbird.synthesis.prompt import LONGEST_MESSAGE
from bowerbird.synthesis.values import calls_with_values

MOST_INPUTS = 5  # appendix C
LONGEST_INPUT = 200  # characters


def query_by_rule(requirement: str, feedback: Feedback, faulty_line: str) -> str:
    """q_i: the requirement, what the checkers speak of, and the line of the program that they mean."""
    if feedback.level is Level.UNCHECKED:
        return requirement
    told = " ".join(message.text for message in feedback.errors[:3])[:LONGEST_MESSAGE]
    return "\n".join(filter(None, (requirement, told, faulty_line)))


def inputs_by_rule(language: str, name: str, code: str, preliminary: str, given: Sequence[str]) -> list[str]:
    """I: calls that the workspace's tests make, else those in the model's own preliminary, else by type.

    `code` has the head of the function `name`.
    """
    found = list(given) or calls_in_tests(preliminary.split("\n"), name)
    return usable_inputs(found or calls_with_values(language, name, code))


def inputs_in(answer: str, name: str) -> list[str]:
    """The calls in what a model answered."""
    return usable_inputs(calls_in_tests(answer.split("\n"), name))


def usable_inputs(calls: Iterable[str]) -> list[str]:
    """The first few, each once, none of them long."""
    return [call for call in dict.fromkeys(calls) if len(call) <= LONGEST_INPUT][:MOST_INPUTS]
