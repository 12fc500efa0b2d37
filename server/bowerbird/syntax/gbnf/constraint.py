"""The grammar of what a model writes at a place: a document, the steps of a `let`, the body of a function."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources

from bowerbird.syntax.gbnf.names import with_names
from bowerbird.syntax.parser import parse
from bowerbird.syntax.soundness import is_sound

PLACES: dict[str, dict[str, str]] = {
    "powerquery": {
        "document": "section S;",
        "value": "0",
        "steps": "x = 0",
        "steps-before": "x = 0,",
        "members": "x = 0;",
    },
    "ring": {
        "document": "x = 0\nclass X\n",
        "body": "x = 0",
    },
    "pony": {
        "document": "primitive X",
        "members": "fun x(): U8 => 0",
        "body": "0",
    },
}
"""For each language the places of its grammar, and what tells them: code that only fits there."""


def grammar_for(language: str, place: str = "", ends: Sequence[str] = ()) -> str:
    """GBNF for code of `language` at one of its `PLACES` (the first by default); "" where there is none.

    One of `ends` may follow the code, so that a model can say in its own way that it has written all.
    """
    places = PLACES.get(language)
    if places is None:
        return ""
    closing = " | ".join(map(_quoted, ("\n", *ends)))
    return f"root ::= {place or next(iter(places))} ({closing})?\n{_rules(language)}"


def place_for(language: str, put: Callable[[str], str], likely: Sequence[str] = ()) -> str:
    """The place where code goes; `put` gives the document with some code there, `likely` are tried first.

    "" stands for a place that cannot be told, such as one in a document that is broken elsewhere.
    """
    probes = PLACES.get(language, {})
    for place in dict.fromkeys((*likely, *probes)):
        tree = parse(put(probes[place]), language) if place in probes else None
        if tree is not None and is_sound(tree):
            return place
    return ""


@cache
def _rules(language: str) -> str:
    path = resources.files("bowerbird") / "syntax" / "gbnf" / f"{language}.gbnf"
    text = with_names(path.read_text(encoding="utf-8"))
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    return "\n".join(lines).replace("\n ", " ") + "\n"  # to llama.cpp a rule ends with its line


def _quoted(text: str) -> str:
    inner = re.sub(r'(["\\])', r"\\\1", text).replace("\n", r"\n")
    return f'"{inner}"'
