"""Rules for names that are no keywords: GBNF cannot say "but not", so each letter of a keyword is a rule."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bowerbird.syntax.gbnf.reading import Characters, GrammarError, read_set

LONGEST_REST = 60  # characters behind those that tell a name from a keyword: small models find no end
SHORTHAND = re.compile(
    r"^#: (?P<name>[a-z-]+) ::= (?P<first>[a-z-]+) (?P<more>[a-z-]+)\* except(?P<any_case> in any case)?"
    r"(?P<words>.*(?:\n#:  .*)*)",
    re.MULTILINE,
)
"""A line such as ``#: name ::= letter part* except if else``; it goes on in lines that begin ``#:  ``."""


def with_names(gbnf: str) -> str:
    """The grammar with rules in place of its shorthands, which are comments to others."""

    def set_of(rule: str) -> Characters:
        found = re.search(rf"^{rule} ::= (\[\S+\])$", gbnf, re.MULTILINE)
        if found is None:
            raise GrammarError(f"There is no rule {rule} that is one set of characters.")
        return read_set(found[1])

    def rules_of(found: re.Match[str]) -> str:
        words = set(found["words"].replace("#:", " ").split())
        first, more = set_of(found["first"]), set_of(found["more"])
        return "\n".join(name_rules(found["name"], first, more, words, bool(found["any_case"])))

    return SHORTHAND.sub(rules_of, gbnf)


def name_rules(
    name: str, first: Characters, more: Characters, words: set[str], any_case: bool
) -> Iterator[str]:
    """Rules for what begins with `first` and goes on with `more`, but is none of `words`.

    There is one rule for each beginning of a word: what follows leaves the word, goes on with it, or, where
    the beginning is no word itself, is nothing.
    """
    follows = f"{name}-more"
    yield f"{follows} ::= {more.gbnf}{{0,{LONGEST_REST}}}"
    beginnings = {word[:length] for word in words for length in range(len(word) + 1)}
    numbers = {beginning: number for number, beginning in enumerate(sorted(beginnings))}

    def rule(beginning: str) -> str:
        return f"{name}-{numbers[beginning]}" if beginning else name

    for beginning in numbers:
        letters = sorted(one[-1] for one in beginnings if one[:-1] == beginning and one)
        both = {letter: {letter, letter.upper()} if any_case else {letter} for letter in letters}
        other = (more if beginning else first).without(set().union(*both.values()))
        ways = [f"{other.gbnf} {follows}"]
        ways += [f"[{''.join(sorted(both[letter]))}] {rule(beginning + letter)}" for letter in letters]
        if beginning and beginning not in words:
            ways.insert(0, '""')
        yield f"{rule(beginning)} ::= {' | '.join(ways)}"
