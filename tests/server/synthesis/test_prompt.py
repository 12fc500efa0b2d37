"""Preliminaries, prompts inside a budget, and what is read out of answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bowerbird.knowledge.soup import Entry
from bowerbird.synthesis.adapt import adapted
from bowerbird.synthesis.analyzer import Preliminary, analyze, api_sequence, calls_in_tests, preliminary_of
from bowerbird.synthesis.answer import is_nothing, read_answer
from bowerbird.synthesis.inputs import inputs_by_rule
from bowerbird.synthesis.prompt import Ask, Material, Message, Shares, compose, fit, texts_of
from bowerbird.synthesis.request import request_at, request_for
from bowerbird.synthesis.writer import Writer
from scripted import EXAMPLES, TOTAL, ScriptedModel, example

TOTAL_EXAMPLE, LARGEST, _ = EXAMPLES
REQUEST = request_for("python", "sum of a list of numbers")
FAILED = Entry(
    requirement="x", language="python", program="a = 1\nb", passed=False, by="", feedback="no b", line=2
)


def test_preliminaries() -> None:
    """Real tests before the documented output; what code calls; the signature."""
    known = replace(TOTAL_EXAMPLE, signature="def total(items)", output="6")
    assert preliminary_of(known, Preliminary.TESTS) == "assert total([1, 2]) == 3"
    assert preliminary_of(LARGEST, Preliminary.TESTS) == "-> 3"
    assert preliminary_of(known, Preliminary.API) == "sum"
    assert preliminary_of(known, Preliminary.SIGNATURE) == "def total(items)"
    assert preliminary_of(known, Preliminary.NONE) == ""


def test_the_analyzer_never_asks_for_what_it_cannot_show() -> None:
    """Where no example has a test, the preliminary is what their code calls."""
    bare = [replace(one, tests=(), output="") for one in EXAMPLES]
    kind, triples = analyze(bare, Preliminary.TESTS)
    assert (kind, triples[0].preliminary) == (Preliminary.API, "sum")
    assert analyze(EXAMPLES, Preliminary.TESTS)[0] is Preliminary.TESTS
    assert analyze([], Preliminary.TESTS) == (Preliminary.NONE, [])


@pytest.mark.parametrize(
    ("language", "code", "names"),
    [
        ("powerquery", 'Table.AddColumn(t, "a", each Text.Upper([b]))', ["Table.AddColumn", "Text.Upper"]),
        ("ring", 'see upper(left("abc", 2))', ["upper", "left"]),
        ("python", "import os\nos.path.join(a, b)\nos.path.join(c)", ["os.path.join"]),
    ],
)
def test_api_sequence(language: str, code: str, names: list[str]) -> None:
    """In order, each once."""
    assert api_sequence(code, language) == names


def test_calls_in_tests() -> None:
    """Only the calls, with brackets in texts understood."""
    lines = ["assert f(1, (2,)) == g(3)", "assert f(')') == 1 and f('a', [2])", "x.f(1)", "f(1"]
    assert calls_in_tests(lines, "f") == ["f(1, (2,))", "f(')')", "f('a', [2])"]


def material() -> Material:
    kind, triples = analyze([TOTAL_EXAMPLE, LARGEST], Preliminary.TESTS)
    return Material(tuple(triples), kind, (FAILED,), (LARGEST,))


def test_a_base_model_gets_the_triples_as_they_stand() -> None:
    """Figure 5: requirement, preliminary, code; the nearest example last; at the end the model goes on."""
    ask = compose(REQUEST, material())
    assert ask.text.endswith(
        "[requirement]\n# sum of a list\n[test case]\nassert total([1, 2]) == 3\n[source code]\n"
        + TOTAL
        + "\n\n"
        "[requirement]\n# sum of a list of numbers\n[test case]\n"
    )
    assert ask.text.index("largest") < ask.text.index("total([1, 2])")
    assert "[feedback]\nb\nno b" in ask.text
    assert ask.stops == ("[requirement]",)


def test_an_instruct_model_gets_a_conversation() -> None:
    """Instruction and knowledge first, each example as a turn, the request last, with the code before it."""
    ask = compose(REQUEST, material(), context="import os")
    assert [one.role for one in ask.messages] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert "test cases" in ask.messages[0].content
    assert "no b" in ask.messages[0].content
    assert ask.messages[4].content == f"assert total([1, 2]) == 3\n\n```python\n{TOTAL}\n```"
    assert ask.messages[-1].content.startswith(REQUEST.requirement)
    assert "import os" in ask.messages[-1].content


def test_shares() -> None:
    """Appendix F: feedback goes in first, snippets have their share, documentation fills the rest."""
    found = material()
    tokens = {text: len(text.split()) for text in texts_of(found, REQUEST)}

    def kept(total: int, snippets: int) -> tuple[int, int, int]:
        one = fit(found, REQUEST, tokens, Shares(total, snippets))
        return len(one.feedback), len(one.triples), len(one.documentation)

    assert kept(1_000, 300) == (1, 2, 1)
    assert kept(1_000, 20) == (1, 1, 1)
    assert kept(1_000, 0) == (1, 0, 1)
    assert kept(0, 300) == (0, 0, 0)
    whole = sum(tokens.values())
    assert kept(whole, 300) == (1, 2, 1)
    assert kept(whole - 1, 300) == (1, 2, 0)


ASK = Ask("", (), ("[requirement]",), "[test case]")
BODY = request_at("def total(items):\n    pass\n", "python", 0)

ANSWERS = {
    "triple": ("f(1) == 2\n[source code]\nx = 1\n", "f(1) == 2", "x = 1"),
    "fence": ("Here:\n```python\nx = 1\n```\nDone.", "Here:", "x = 1"),
    "last of several fences": (
        "```\nf(1)\n```\ntext\n```python\nx = 1\n```",
        "```\nf(1)\n```\ntext",
        "x = 1",
    ),
    "unclosed fence": ("```python\nx = 1\n", "", "x = 1"),
    "line ends": ("```python\r\nx = 1\r\ny = 2\r\n```", "", "x = 1\ny = 2"),
    "no code": ("f(1) == 2\n", "f(1) == 2", ""),
    "nothing": ("", "", ""),
    "what makes code look otherwise": ("```\nx =\u202e 1\x1b[2J\0\n```", "", "x = 1[2J"),
    "the comment once more": ("a\n[source code]\n# sum of a list of numbers\nx = 1", "a", "x = 1"),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_answers(case: str) -> None:
    """Whichever form an answer has, preliminary and code are told apart."""
    text, preliminary, code = ANSWERS[case]
    answer = read_answer(text, ASK, REQUEST)
    assert (answer.preliminary, answer.code) == (preliminary, code)


BODIES = {
    "the body alone": ("return sum(items)", "return sum(items)"),
    "an indented body": ("    return sum(items)", "return sum(items)"),
    "the whole function": ("def total(items):\n    return sum(items)", "return sum(items)"),
    "a header of two lines": ("def total(\n    items):\n    return sum(items)", "return sum(items)"),
    "a call of itself": ("total(items[1:])", "total(items[1:])"),
    "another function": ("def f():\n    pass\nreturn f()", "def f():\n    pass\nreturn f()"),
}


@pytest.mark.parametrize("case", BODIES)
def test_bodies(case: str) -> None:
    """Where the header stands already, it does not come again."""
    text, code = BODIES[case]
    assert BODY is not None
    assert read_answer(f"```\n{text}\n```", ASK, BODY).code == code


def test_braces_end_with_the_function() -> None:
    """So does a brace that belongs to the header."""
    request = request_at("function total(items) {\n}\n", "javascript", 0)
    assert request is not None
    text = "```\nfunction total(items) {\n  return 1;\n}\n```"
    assert read_answer(text, ASK, request).code == "return 1;"


@pytest.mark.parametrize("text", ["```", "[source code]" * 9, "[requirement]", "\0", "```\n```", "~~~\n"])
def test_odd_answers(text: str) -> None:
    """A model may write anything."""
    assert BODY is not None
    for request in (REQUEST, BODY):
        read_answer(text, ASK, request)


def test_inputs_by_rule() -> None:
    """Calls of the workspace's tests, else of the preliminary, else by type; else none."""
    head = "def f(a: int, b: list[int]) -> int:"
    assert inputs_by_rule("python", "f", head, "f(9) == 1", ["f(1)"]) == ["f(1)"]
    assert inputs_by_rule("python", "f", head, "f(9) == 1", []) == ["f(9)"]
    assert inputs_by_rule("python", "f", head, "", []) == ["f(2, [5])", "f(7, [2, 2])", "f(1, [3, 1, 2])"]
    assert inputs_by_rule("python", "", head, "f(9) == 1", []) == []


def test_names_are_adapted() -> None:
    """Function and parameters by the signature, texts by what the request quotes; all at once."""
    known = example(
        'swap "a" and "b"', "def swap(x, y):\n    return y, x, 'a', 'b'", signature="def swap(x, y)"
    )
    request = request_at("# exchange 'b' and 'a'\ndef exchange(y, x):\n    pass\n", "python", 0)
    assert request is not None
    assert adapted(known, request) == "return x, y, 'b', 'a'"


def test_a_definition_does_not_come_into_a_body() -> None:
    """Pony's examples are often whole programs, and the lenient grammar would find nothing wrong."""
    known = replace(
        example("print it all", 'use "time"\n\nactor Main\n  new create(env: Env) => None'), language="pony"
    )
    statement = replace(example("print it all", 'env.out.print("x")'), language="pony")
    request = request_at("actor Main\n  new create(env: Env) =>\n    // print it all\n", "pony", 2)
    assert request is not None
    assert adapted(known, request) == ""
    assert adapted(statement, request) == statement.code
    assert adapted(known, request_for("pony", "print it all")) == known.code


def test_names_stay_where_nothing_is_told() -> None:
    """An example for a bare comment is taken as it is."""
    assert adapted(TOTAL_EXAMPLE, REQUEST) == TOTAL


@pytest.mark.parametrize("code", ["# a comment\n# and more", "pass", "...", "\n\n"])
def test_code_that_does_nothing_is_no_code(code: str) -> None:
    """Comments and placeholders would pass every check."""
    assert read_answer(f"```python\n{code}\n```", ASK, REQUEST).code == ""


@pytest.mark.parametrize(
    ("language", "nothing"), [("rust", True), ("c", True), ("lua", True), ("markdown", False)]
)
def test_comments_of_another_language_are_no_code(language: str, nothing: bool) -> None:
    """A small model writes Python's everywhere; where the sign means something, it does."""
    assert is_nothing("# In the following code\n# it is done", language) is nothing
    assert not is_nothing("#include <stdio.h>\nint x;", "c")


async def test_going_round_in_circles_is_stopped() -> None:
    """A small model that repeats its lines is not waited for, and the circle is no part of the answer."""
    for circle in (("x",), ("x", "y")):
        model = ScriptedModel(["a\nb\n" + " ".join(f"{circle[n % len(circle)]}\n" for n in range(500))])
        written = await Writer(model).write(compose(REQUEST, Material()), 400)
        assert written.text.startswith("a\nb\n x\n"[:4])
        assert len(written.text.split()) <= 5
        assert written.stopped == "circle"


def test_an_expression_of_m_becomes_a_step() -> None:
    """It takes up the step before and the name behind `in`; outside of a `let` it stays an expression."""
    text = 'let\n    Source = #table({"A"}, {}),\n    // rename a column\nin\n    Renamed\n'
    known = replace(
        example("rename a column", 'Table.RenameColumns(people, {{"A", "B"}})'), language="powerquery"
    )
    request = request_at(text, "powerquery", 2)
    assert request is not None
    assert adapted(known, request) == 'Renamed = Table.RenameColumns(Source, {{"A", "B"}})'
    assert adapted(known, request_for("powerquery", "rename")) == known.code


async def test_a_base_model_is_stopped_where_the_next_example_would_begin() -> None:
    """It would go on with requests of its own; closing the stream stops it."""
    model = ScriptedModel(["x = 1\n\n[requirement]\n# another " + "word " * 100])
    written = await Writer(model).write(compose(REQUEST, Material()), 400)
    assert (written.text, written.stopped, model.closed) == ("x = 1\n\n", "stop", 1)
    assert written.tokens < 30


async def test_an_instruct_model_is_asked_through_its_template() -> None:
    """The conversation becomes tokens by the model's own template; without one the text stands as it is."""

    class Template:
        def __init__(self, tokens: list[int] | None) -> None:
            self.tokens = tokens
            self.asked: list[str] = []

        async def encode_chat(self, messages: Sequence[Message]) -> list[int] | None:
            self.asked = [message.role for message in messages]
            return self.tokens

    ask = compose(REQUEST, material())
    for tokens in ([7, 8, 9], None):
        model, template = ScriptedModel(["x"]), Template(tokens)
        await Writer(model, template).write(ask, 400)
        assert template.asked == [message.role for message in ask.messages]
        assert model.asked[0].tokens == ((7, 8, 9) if tokens else (0,) * len(ask.text.split()))
