"""AceCoder's analyzer: the preliminary that clarifies a requirement before any code (section 3.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bowerbird.knowledge.examples import Demonstration
from bowerbird.syntax.mentions import mentions

MOST_APIS = 12
LONGEST_OUTPUT = 400  # characters; a table of many rows clarifies no more than its first


class Preliminary(StrEnum):
    """What a preliminary is made of (section 5, RQ5)."""

    TESTS = "tests"
    """Test cases, which the paper found best."""
    API = "api"
    """Names of what the code calls, in order."""
    SIGNATURE = "signature"
    NONE = "none"


TAGS = {
    Preliminary.TESTS: "[test case]",
    Preliminary.API: "[API sequence]",
    Preliminary.SIGNATURE: "[signature]",
}


@dataclass(frozen=True, slots=True)
class Triple:
    """An example as the model is shown it: requirement, preliminary, code."""

    example: Demonstration
    preliminary: str = ""
    """Empty where the example has none of the kind."""
    kind: Preliminary = Preliminary.NONE
    """What the preliminary is."""


def preliminary_of(example: Demonstration, kind: Preliminary) -> str:
    """What of this kind the example has; empty where there is nothing."""
    if kind is Preliminary.TESTS:
        return "\n".join(example.tests) or _documented(example.output)
    if kind is Preliminary.API:
        return ", ".join(api_sequence(example.code, example.language))
    return example.signature if kind is Preliminary.SIGNATURE else ""


def analyze(examples: Sequence[Demonstration], wanted: Preliminary) -> tuple[Preliminary, list[Triple]]:
    """Each example with its preliminary, all of one kind: the one wanted, if any example has such a thing.

    Else the model would be asked to write what it was never shown; what code calls can always be told.
    """
    for kind in dict.fromkeys((wanted, Preliminary.API)):
        triples = [Triple(example, preliminary_of(example, kind), kind) for example in examples]
        if kind is Preliminary.NONE or any(triple.preliminary for triple in triples):
            return kind, triples
    return Preliminary.NONE, [Triple(example) for example in examples]


def api_sequence(code: str, language: str) -> list[str]:
    """What code calls, in order, each once; for code that calls nothing, the dotted names that it uses."""
    used = [mention for mention in mentions(code, language) if not mention.declared]
    called = dict.fromkeys(mention.path for mention in used if mention.called and mention.identifier)
    return list(called or dict.fromkeys(one.path for one in used if one.member))[:MOST_APIS]


def calls_in_tests(tests: Iterable[str], name: str) -> list[str]:
    """The calls of a function in lines of tests, without what is claimed of them (EVOR, appendix C)."""
    found: dict[str, None] = {}
    for line in tests if name else ():
        for match in re.finditer(rf"(?<![\w.]){re.escape(name)}\s*\(", line):
            end = _closing(line, match.end() - 1)
            if end:
                found[line[match.start() : end]] = None
    return list(found)


def _closing(line: str, opening: int) -> int:
    """Behind the bracket that closes the one at `opening`; 0 where none does. Texts hold no brackets."""
    depth, quote, at = 0, "", opening
    while at < len(line):
        character = line[at]
        if quote:
            at += character == "\\"
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return 0


def _documented(output: str) -> str:
    output = output.strip()
    if not output:
        return ""
    shown = output if len(output) <= LONGEST_OUTPUT else f"{output[:LONGEST_OUTPUT]} ..."
    return f"-> {shown}"
