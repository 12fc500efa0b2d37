"""Read GBNF, llama.cpp's notation for grammars: rules of characters and of other rules."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

LAST = 0x10FFFF  # code point
TOKEN = re.compile(
    r"""(?P<blank>\s+|\#[^\n]*)"""
    r"""|(?P<text>"(?:\\.|[^"\\\n])*")"""
    r"""|(?P<set>\[(?:\\.|[^\]\\\n])*\])"""
    r"""|(?P<name>[A-Za-z0-9-]+)"""
    r"""|(?P<times>\{[0-9]+(?:,[0-9]*)?\})"""
    r"""|(?P<mark>::=|[|()*+?])"""
)
CHARACTER = re.compile(r"\\x([0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\(.)|(.)", re.DOTALL)
ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


class GrammarError(ValueError):
    """A text is no grammar, or is not what a grammar describes."""


@dataclass(frozen=True, slots=True)
class Characters:
    """Any one of some characters."""

    ranges: tuple[tuple[int, int], ...]
    """First and last code points, ascending, with gaps between them."""

    def __contains__(self, character: str) -> bool:
        point = ord(character)
        return any(first <= point <= last for first, last in self.ranges)

    def without(self, others: Iterable[str]) -> Characters:
        """All but these."""
        ranges = self.ranges
        for point in map(ord, others):
            ranges = tuple(
                part
                for first, last in ranges
                for part in ((first, min(last, point - 1)), (max(first, point + 1), last))
                if part[0] <= part[1]
            )
        return Characters(ranges)

    @property
    def gbnf(self) -> str:
        """As GBNF has them."""
        parts = (_shown(first) + f"-{_shown(last)}" * (last > first) for first, last in self.ranges)
        return f"[{''.join(parts)}]"


Symbol = Characters | str
"""What a rule is made of; a `str` names another rule."""
Rules = dict[str, tuple[tuple[Symbol, ...], ...]]
"""The alternatives of each rule. Repetitions are rules of their own."""


def read_rules(gbnf: str) -> Rules:
    """The rules of a grammar; raises `GrammarError`."""
    rules = _Reader(gbnf).rules
    named = {symbol for ways in rules.values() for way in ways for symbol in way if isinstance(symbol, str)}
    if missing := sorted(named - rules.keys()):
        raise GrammarError(f"There is no rule {', '.join(missing)}.")
    return rules


def read_set(text: str) -> Characters:
    """The characters of a set such as ``[a-z_]`` or ``[^"]``."""
    inner = text[1:-1]
    negated = inner.startswith("^")
    points = [*_characters(inner[negated:])]
    ranges, at = [], 0
    while at < len(points):
        ranged = at + 2 < len(points) and points[at + 1] == ("-", False)
        ranges.append((ord(points[at][0]), ord(points[at + 2 if ranged else at][0])))
        at += 3 if ranged else 1
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    if negated:
        edges = [-1, *(edge for pair in found for edge in pair), LAST + 1]
        gaps = zip(edges[::2], edges[1::2], strict=True)
        found = [(first + 1, last - 1) for first, last in gaps if first + 1 < last]
    return Characters(tuple(found))


class _Reader:
    """Goes through a text once."""

    def __init__(self, gbnf: str) -> None:
        self.rules: Rules = {}
        self._tokens = [*_tokens(gbnf)]
        self._at = 0
        while self._at < len(self._tokens):
            (kind, name), (_, sign) = self._take(), self._take()
            if kind != "name" or sign != "::=":
                raise GrammarError(f"A rule cannot begin with {name!r}.")
            if name in self.rules:
                raise GrammarError(f"There are two rules {name}.")
            self.rules[name] = ()
            self.rules[name] = self._ways(name)

    def _take(self) -> tuple[str, str]:
        if self._at == len(self._tokens):
            raise GrammarError("The grammar ends within a rule.")
        self._at += 1
        return self._tokens[self._at - 1]

    def _next(self, ahead: int = 0) -> tuple[str, str]:
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else ("", "")

    def _ways(self, rule: str) -> tuple[tuple[Symbol, ...], ...]:
        """Alternatives, up to a bracket or the next rule."""
        ways = [self._way(rule)]
        while self._next() == ("mark", "|"):
            self._take()
            ways.append(self._way(rule))
        return tuple(ways)

    def _way(self, rule: str) -> tuple[Symbol, ...]:
        way: list[Symbol] = []
        while True:
            kind, value = self._next()
            if kind == "name" and self._next(1) != ("mark", "::="):
                part: list[Symbol] = [value]
            elif kind == "text":
                part = [
                    Characters(((ord(character), ord(character)),))
                    for character, _ in _characters(value[1:-1])
                ]
            elif kind == "set":
                part = [read_set(value)]
            elif (kind, value) == ("mark", "("):
                self._take()
                part = [self._make(rule, self._ways(rule))]
                if self._next() != ("mark", ")"):
                    raise GrammarError(f"A bracket is missing in {rule}.")
            else:
                return tuple(way)
            self._take()
            way += self._repeated(rule, part)

    def _repeated(self, rule: str, part: list[Symbol]) -> list[Symbol]:
        kind, value = self._next()
        if kind == "times":
            least, comma, most = value[1:-1].partition(",")
            bounds = (int(least), (int(most) if most else None) if comma else int(least))
        elif kind == "mark" and value in ("*", "+", "?"):
            bounds = {"*": (0, None), "+": (1, None), "?": (0, 1)}[value]
        else:
            return part
        self._take()
        least_times, most_times = bounds
        if most_times is None:
            again = self._make(rule, ())
            self.rules[again] = ((), (*part, again))
            return [*part * least_times, again]
        more: list[Symbol] = []
        for _ in range(most_times - least_times):
            more = [self._make(rule, ((), (*part, *more)))]
        return [*part * least_times, *more]

    def _make(self, rule: str, ways: tuple[tuple[Symbol, ...], ...]) -> str:
        name = f"{rule}/{len(self.rules)}"
        self.rules[name] = ways
        return name


def _tokens(gbnf: str) -> Iterable[tuple[str, str]]:
    at = 0
    while at < len(gbnf):
        match = TOKEN.match(gbnf, at)
        if match is None:
            line = gbnf.count("\n", 0, at) + 1
            raise GrammarError(f"Line {line} of the grammar cannot be read: {gbnf[at : at + 20]!r}")
        at = match.end()
        if match.lastgroup not in (None, "blank"):
            yield str(match.lastgroup), match[0]


def _characters(text: str) -> Iterable[tuple[str, bool]]:
    """Each character, and whether it was escaped."""
    for two, four, escaped, plain in CHARACTER.findall(text):
        if two or four:
            yield chr(int(two or four, 16)), True
        elif escaped:
            yield ESCAPED.get(escaped, escaped), True
        else:
            yield plain, False


def _shown(point: int) -> str:
    if (chr(point).isascii() and chr(point).isalnum()) or chr(point) == "_":
        return chr(point)
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}"
