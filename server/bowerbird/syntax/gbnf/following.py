"""Follow a text through a grammar as llama.cpp does, and end it: which shortest text makes it whole?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush

from bowerbird.syntax.gbnf.reading import Characters, GrammarError, Rules, Symbol, read_rules

ROOT = "root"
PLAIN = "0xX_ "  # of all characters that will do, the first of these is written


@dataclass(frozen=True, slots=True, eq=False)
class Todo:
    """What must still be written: the rest of a rule's alternative, then what follows that rule."""

    symbols: tuple[Symbol, ...]
    """Never empty."""
    then: Todo | None
    length: int
    """Of the shortest text that does it, in characters."""


class Follower:
    """Reads one text. Several ways to understand it are followed at once, each as a `Todo`."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._known: dict[tuple[tuple[Symbol, ...], int], Todo] = {}
        self._ways = self._opened([self._todo((ROOT,), None)])

    @property
    def whole(self) -> bool:
        """May the text end here?"""
        return None in self._ways

    def read(self, text: str) -> bool:
        """Read on; False, and nothing can follow, where the grammar does not allow it."""
        for character in text:
            ways = (way for way in self._ways if way is not None and character in _head(way))
            self._ways = self._opened([self._rest(way) for way in ways])
        return bool(self._ways)

    @property
    def choices(self) -> list[Characters]:
        """The sets of which the next character is one."""
        return [_head(way) for way in self._ways if way is not None]

    def ending(self) -> str:
        """The shortest text that makes the whole text one of the grammar's; raises `GrammarError`."""
        if not self._ways:
            raise GrammarError("The text is not of this grammar.")
        best = min(self._ways, key=lambda way: way.length if way is not None else 0)
        written: list[str] = []
        while best is not None:
            for symbol in best.symbols:
                self._grammar.write(symbol, written)
            best = best.then
        return "".join(written)

    def _rest(self, way: Todo) -> Todo | None:
        """What is left of it behind its first symbol."""
        return self._todo(way.symbols[1:], way.then)

    def _todo(self, symbols: tuple[Symbol, ...], then: Todo | None) -> Todo | None:
        if not symbols:
            return then
        key = (symbols, id(then))
        if key not in self._known:  # it keeps `then` alive, so no other takes its id
            length = sum(map(self._grammar.length, symbols)) + (then.length if then else 0)
            self._known[key] = Todo(symbols, then, length)
        return self._known[key]

    def _opened(self, ways: list[Todo | None]) -> list[Todo | None]:
        """The same ways, each down to a character; None where there is nothing left to do."""
        found: dict[int, Todo | None] = {}
        seen = set[int]()
        while ways:
            way = ways.pop()
            if id(way) in seen:
                continue
            seen.add(id(way))
            if way is None or isinstance(way.symbols[0], Characters):
                found[id(way)] = way
                continue
            then = self._rest(way)
            ways += [self._todo(symbols, then) for symbols in reversed(self._grammar.rules[way.symbols[0]])]
        return list(found.values())


class Grammar:
    """Rules, and the shortest text of each."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._shortest = _shortest(rules)

    def length(self, symbol: Symbol) -> int:
        """Characters of the shortest text that is one of `symbol`."""
        return 1 if isinstance(symbol, Characters) else self._shortest[symbol][0]

    def write(self, symbol: Symbol, written: list[str]) -> None:
        """Append such a text."""
        pending = [symbol]
        while pending:
            one = pending.pop()
            if isinstance(one, Characters):
                plain = next((character for character in PLAIN if character in one), None)
                written.append(plain or chr(one.ranges[0][0]))
            else:
                pending.extend(reversed(self._shortest[one][1]))


def _head(way: Todo) -> Characters:
    head = way.symbols[0]
    assert isinstance(head, Characters)
    return head


def _shortest(rules: Rules) -> dict[str, tuple[int, tuple[Symbol, ...]]]:
    """For each rule the length of its shortest text, and the alternative that has it, the first of equals.

    Knuth's generalisation of Dijkstra's algorithm: a rule is settled when no unsettled one is shorter.
    """
    settled: dict[str, tuple[int, tuple[Symbol, ...]]] = {}
    users: dict[str, list[tuple[str, int]]] = {}
    open_parts: dict[tuple[str, int], int] = {}
    queue: list[tuple[int, int, str]] = []

    def weigh(name: str, number: int) -> None:
        length = sum(1 if isinstance(one, Characters) else settled[one][0] for one in rules[name][number])
        heappush(queue, (length, number, name))

    for name, ways in rules.items():
        for number, way in enumerate(ways):
            parts = {symbol for symbol in way if isinstance(symbol, str)}
            open_parts[name, number] = len(parts)
            for part in parts:
                users.setdefault(part, []).append((name, number))
            if not parts:
                weigh(name, number)
    while queue:
        length, number, name = heappop(queue)
        if name in settled:
            continue
        settled[name] = length, rules[name][number]
        for user in users.get(name, ()):
            open_parts[user] -= 1
            if not open_parts[user]:
                weigh(*user)
    if endless := sorted(rules.keys() - settled.keys()):
        raise GrammarError(f"No text is one of {', '.join(endless)}.")
    return settled


@lru_cache(maxsize=16)
def read_grammar(gbnf: str) -> Grammar:
    """A grammar with a rule `root`; raises `GrammarError`."""
    rules = read_rules(gbnf)
    if ROOT not in rules:
        raise GrammarError(f"There is no rule {ROOT}.")
    return Grammar(rules)


def accepts(gbnf: str, text: str) -> bool:
    """Is `text` one of the grammar's?"""
    follower = Follower(read_grammar(gbnf))
    return follower.read(text) and follower.whole


def close(gbnf: str, text: str) -> str:
    """What must be appended at least to make `text` one of the grammar's, shortest first; "" if nothing.

    Raises `GrammarError` where nothing can do that.
    """
    follower = Follower(read_grammar(gbnf))
    follower.read(text)
    return follower.ending()


def longest_beginning(gbnf: str, text: str) -> str:
    """As much of the beginning of `text` as a text of the grammar may begin with."""
    follower = Follower(read_grammar(gbnf))
    for at, character in enumerate(text):
        if not follower.read(character):
            return text[:at]
    return text
