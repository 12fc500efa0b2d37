"""Grammars for models: what they allow is understood by parsers, and what people write is allowed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bowerbird.execution.executor import Feedback, Program
from bowerbird.execution.powerquery import PowerQuery, why_missing
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.packs.store import load_pack, shipped_folder
from bowerbird.syntax.gbnf.constraint import PLACES, grammar_for, place_for
from bowerbird.syntax.gbnf.following import Grammar, accepts, close, longest_beginning, read_grammar
from bowerbird.syntax.gbnf.reading import Characters, Symbol
from bowerbird.syntax.parser import parse
from bowerbird.syntax.soundness import is_sound
from parts import PARTS

POWERQUERY = PARTS / "powerquery"
EVERY_PLACE = [(language, place) for language, places in PLACES.items() for place in places]
AROUND = {
    ("powerquery", "steps"): ("let\n    ", "\nin\n    0"),
    ("powerquery", "steps-before"): ("let\n    ", "\n    z = 1\nin\n    0"),
    ("powerquery", "members"): ("section S;\n", ""),
    ("ring", "body"): ("func f\n", ""),
    ("pony", "members"): ("class C\n  ", ""),
    ("pony", "body"): ("actor Main\n  new create(env: Env) =>\n    ", ""),
}
"""The document around what is written at a place; others are documents by themselves."""
LIKELY = "abxyAi1 0_'\"#.,=()\n\té漢"
LEAST_SHARES = {"powerquery": 0.95, "ring": 0.85, "pony": 0.85}
"""Of the documentation's examples; `bowerbird bench constrained` prints how many there are."""


def sentence(grammar: Grammar, rng: random.Random, budget: int) -> str:
    """A text of the grammar, made by chance; after `budget` characters in the shortest way."""
    written: list[str] = []
    pending: list[Symbol] = ["root"]
    while pending:
        symbol = pending.pop()
        if isinstance(symbol, Characters):
            likely = [character for character in LIKELY if character in symbol]
            first, last = rng.choice(symbol.ranges)
            by_chance = chr(rng.randint(first, min(last, first + 300)))
            written.append(rng.choice(likely) if likely and rng.random() < 0.9 else by_chance)
        elif len(written) >= budget or len(pending) > 300:
            grammar.write(symbol, written)
        else:
            pending += reversed(rng.choice(grammar.rules[symbol]))
    return "".join(written)


def sentences(language: str, place: str, seed: int, count: int) -> list[str]:
    """Texts of a place, each within its document."""
    rng = random.Random(seed)
    grammar = read_grammar(grammar_for(language, place))
    before, after = AROUND.get((language, place), ("", ""))
    return [before + sentence(grammar, rng, rng.choice((10, 30, 80, 200))) + after for _ in range(count)]


def sound(text: str, language: str) -> bool:
    """Does our tree-sitter grammar understand it all?"""
    tree = parse(text, language)
    return tree is not None and is_sound(tree)


def pack(language: str) -> Pack:
    """The shipped documentation."""
    loaded = load_pack(shipped_folder() / language)
    assert isinstance(loaded, Pack)
    return loaded


@pytest.mark.parametrize(("language", "place"), EVERY_PLACE)
def test_all_that_is_allowed_is_understood(language: str, place: str) -> None:
    """Texts that chance makes of a grammar have trees without faults."""
    broken = [text for text in sentences(language, place, 5, 150) if not sound(text, language)]
    assert not broken, min(broken, key=len)


async def test_microsofts_parser_understands_it_too() -> None:
    """What Power Query M's grammar allows, at each place, has no faults of syntax to the official parser."""
    if missing := why_missing(POWERQUERY):
        pytest.skip(f"needs Microsoft's packages in {POWERQUERY}: {missing}")
    services, packs = PowerQuery(None, POWERQUERY), (pack("powerquery"),)
    try:
        for place in PLACES["powerquery"]:
            for text in sentences("powerquery", place, 7, 100):
                said = await services.check(Program(language="powerquery", code=text), packs)
                assert isinstance(said, Feedback), (said, text)
                assert not [one for one in said.errors if one.code in ("Error.Parse", "Error.Lex")], text
    finally:
        await services.close()


@pytest.mark.parametrize("language", PLACES)
def test_what_people_write_is_allowed(language: str) -> None:
    """Most examples of the documentation, of which every fifth is looked at, are texts of the grammar."""
    grammar = grammar_for(language)
    examples = [one.code.strip("\n") for one in pack(language).examples[::5] if sound(one.code, language)]
    allowed = sum(accepts(grammar, code) for code in examples)
    assert allowed >= LEAST_SHARES[language] * len(examples) > 0


@pytest.mark.parametrize("language", PLACES)
def test_a_text_broken_off_anywhere_can_be_closed(language: str) -> None:
    """Whatever is cut off, what `close` appends makes it whole, and sound; a whole text needs nothing."""
    grammar = grammar_for(language)
    rng = random.Random(3)
    for code in [one.code.strip("\n") for one in pack(language).examples][::15]:
        if not accepts(grammar, code):
            continue
        assert close(grammar, code) == ""
        beginning = code[: rng.randrange(len(code))]
        whole = beginning + close(grammar, beginning)
        assert accepts(grammar, whole), whole
        assert sound(whole, language), whole


@pytest.mark.parametrize(
    ("beginning", "ending"),
    [
        ("", "0"),
        ("let a = {1, {2", "}} in 0"),
        ('Text.From("a', '")'),
        ("if x the", "n 0 else 0"),
        ("each [Base Lin", "]"),
        ("letter", ""),
        ("let", "0"),  # a name
        ("let ", "x=0 in 0"),
    ],
)
def test_the_ending_is_the_shortest(beginning: str, ending: str) -> None:
    """Nothing that could be left out is written."""
    assert close(grammar_for("powerquery"), beginning) == ending


@pytest.mark.parametrize(
    ("language", "broken"),
    [
        ("powerquery", "let a = 1 in"),
        ("powerquery", "let in = 1 in 1"),
        ("powerquery", "if a then b"),
        ("powerquery", "a as number = 2"),
        ("powerquery", "1 == 1"),
        ("powerquery", '"a#(b)"'),
        ("powerquery", "{1,}"),
        ("powerquery", '#"  "'),
        ("powerquery", '#" is not a string"'),
        ("powerquery", '#", (https"'),
        ("powerquery", '#"' + "the default line " * 8 + '"'),
        ("powerquery", "Total" * 20),
        ("powerquery", "[" + "Total" * 20 + "]"),
        ("ring", "if x\n\tsee 1\n"),
        ("ring", "x == 1"),
        ("ring", "Next = 1"),
        ("ring", "Path" * 20 + " = 1"),
        ("pony", "class c"),
        ("pony", "actor Main\n  new create(env: Env) =>\n    if true then 1"),
        ("pony", "actor Main\n  fun f(): U8 => 1 + 2 * 3"),
    ],
)
def test_faults_are_refused(language: str, broken: str) -> None:
    """Among them keywords in place of names, which no rule of GBNF can forbid, and names without end."""
    grammar = grammar_for(language)
    assert not accepts(grammar, broken)
    assert len(longest_beginning(grammar, broken)) <= len(broken)


@pytest.mark.parametrize(
    ("language", "document", "place"),
    [
        ("powerquery", "// sum\n{}", "document"),
        ("powerquery", "f = (x) =>\n{}", ""),
        ("powerquery", "let\n  f = (x) =>\n{}\nin\n  f", "value"),
        ("powerquery", "let\n  a = 1,\n{}\nin\n  a", "steps"),
        ("powerquery", "let\n  a = 1,\n{}\n  b = 2\nin\n  a", "steps-before"),
        ("powerquery", "section S;\na = 1;\n{}\nb = 2;", "members"),
        ("ring", "# sum\n{}", "document"),
        ("ring", "if x\n{}\nok", "body"),
        ("pony", "// sum\n{}", "document"),
        ("pony", "class C\n  let x: U8 = 1\n{}", "document"),
        ("pony", "class C (\n{}", ""),
        ("python", "{}", ""),
    ],
)
def test_the_place_is_told_by_what_fits(language: str, document: str, place: str) -> None:
    """A place is one where its own kind of code leaves a sound document."""
    before, after = document.split("{}")
    assert place_for(language, lambda code: before + code + after) == place


@pytest.mark.parametrize("letter", ["\u017f", "\u212a"])
def test_letters_that_fold_to_others(letter: str) -> None:
    """The long s and the sign for Kelvin stand in texts and comments as any letter does."""
    assert accepts(grammar_for("powerquery"), f'// {letter}\n"{letter}"')
    assert accepts(grammar_for("ring"), f"# {letter}\nx = \"{letter}\" + '{letter}' + `{letter}`")


def test_a_likely_place_is_tried_first() -> None:
    """A class may follow a field, but who writes an indented line wants a member."""
    document = "class C\n  let x: U8 = 1\n"
    assert place_for("pony", lambda code: document + code, ("body", "members")) == "members"
    assert place_for("pony", lambda code: document + code, ("nonsense",)) == "document"


def test_a_language_without_a_grammar_has_none() -> None:
    """Nothing is constrained there."""
    assert grammar_for("python") == ""


def test_what_may_follow_the_code() -> None:
    """A model says in its own way that it is done; what it says there is closed like the rest."""
    grammar = grammar_for("powerquery", "value", ("\n```",))
    assert accepts(grammar, "1\n```")
    assert close(grammar, "1\n``") == "`"
    assert not accepts(grammar, "1\n```\n")


def test_the_grammars_are_shipped() -> None:
    """A wheel holds them."""
    pyproject = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    assert '"syntax/gbnf/*.gbnf"' in pyproject
