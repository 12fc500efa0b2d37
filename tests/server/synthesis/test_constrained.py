"""Code that keeps to a grammar: where it is asked for, how it is ended, what becomes of the preliminary."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from dataclasses import replace

import pytest

from bowerbird.cli.bench.generate.tasks import Task, read_tasks
from bowerbird.execution.executor import Level
from bowerbird.inference.generator import Prompt, Token, Usage
from bowerbird.knowledge.soup import Soup
from bowerbird.settings import GenerationSettings
from bowerbird.syntax.gbnf.following import accepts
from bowerbird.synthesis.analyzer import Preliminary
from bowerbird.synthesis.constrained import (
    HELD,
    Constraint,
    constraint_for,
    with_preliminary,
    without_merit,
)
from bowerbird.synthesis.engine import SynthesisEngine
from bowerbird.synthesis.mode import Mode
from bowerbird.synthesis.options import Options, options_of
from bowerbird.synthesis.outcome import End, Outcome
from bowerbird.synthesis.prompt import Material, compose
from bowerbird.synthesis.request import request_at, request_for
from bowerbird.synthesis.writer import Writer
from scripted import ScriptedExecutor, ScriptedModel, checked, example

REQUEST = request_for("powerquery", "the sum of a list")
EXPRESSION = Constraint("powerquery", "value")
KNOWN = (replace(example("the sum of a list", "List.Sum({1, 2})"), language="powerquery"),)


class Exact(ScriptedModel):
    """A scripted model that writes its answers letter by letter, without a blank behind them."""

    async def generate(self, prompt: Prompt) -> AsyncGenerator[Token, None]:
        self.asked.append(prompt)
        for letter in self.answers[min(len(self.asked), len(self.answers)) - 1]:
            yield Token(letter)
        yield Token("", Usage(0, 0, 0, 0.0, 0.0, "length"))


TASKS = [task for language in ("powerquery", "ring", "pony") for task in read_tasks(language)]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: f"{task.language}: {task.text}")
def test_what_is_asked_for_can_be_written(task: Task) -> None:
    """The place of each of our tasks is told, and its solution is a text of that place's grammar."""
    constraint = constraint_for(task.request)
    assert constraint is not None
    assert accepts(constraint.grammar(()), task.solution)


def test_a_member_is_told_from_a_body() -> None:
    """Both are indented, and tree-sitter takes nearly everything behind an expression."""
    document = "class Point\n  var x: F64 = 0\n\n  // tell the distance\n"
    request = request_at(document, "pony", 3)
    assert request is not None
    assert constraint_for(request) == Constraint("pony", "members")


@pytest.mark.parametrize("language", ["python", "rust"])
def test_a_language_without_a_grammar_is_free(language: str) -> None:
    """Nothing changes there."""
    assert constraint_for(request_for(language, "the sum of a list")) is None


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("List.Sum({1, 2})\n\n[requirement]\n// another one", "List.Sum({1, 2})"),
        ("List.Sum({1, 2", "List.Sum({1, 2})"),
        ("let a = 1", "let a = 1 in 0"),
        ("{1}\n    ", "{1}"),
        ("{1,\n  ", "{1,\n  0}"),
        ("1\n\n[requ", "1"),
        ("#table({}, {})", "#table({}, {})"),
    ],
)
async def test_what_is_cut_off_is_closed(answer: str, code: str) -> None:
    """In the shortest way, and what a model says behind its code is left out."""
    model = Exact([answer])
    written = await Writer(model).write(compose(REQUEST, Material()), 400, EXPRESSION)
    assert written.whole
    assert written.text == code
    assert accepts(model.asked[0].grammar, code)


async def test_an_engine_that_knows_no_grammar_is_read_as_ever() -> None:
    """What it writes is no code only, so fences and tags count."""
    model = Exact(["Here it is:\n```\nList.Sum({1})\n```"])
    written = await Writer(model).write(compose(REQUEST, Material()), 400, EXPRESSION)
    assert not written.whole
    assert written.text.startswith("Here")


async def test_a_chat_model_is_made_to_begin_with_its_fence() -> None:
    """Else the grammar would forbid the first words that it knows."""

    class Chatting(Exact):
        async def encode(self, texts: Sequence[str]) -> list[list[int]]:
            return [[7] if text == "```powerquery\n" else [0] for text in texts]

        async def encode_chat(self, _messages: Sequence[object]) -> list[int] | None:
            return [1, 2, 3]

    model = Chatting(["List.Sum({1})\n```"])
    written = await Writer(model, model).write(compose(REQUEST, Material()), 400, EXPRESSION)
    assert model.asked[0].tokens == (1, 2, 3, 7)
    assert written.text == "List.Sum({1})"


Make = Callable[..., SynthesisEngine]


async def generated(make: Make, answers: Sequence[str], options: Options) -> tuple[list[Prompt], str, str]:
    """What the model was asked, and the code and preliminary that came of it."""
    model = Exact(answers)
    engine = make(model, ScriptedExecutor([checked()]), examples=KNOWN)
    outcome = await engine.generate(REQUEST, options)
    return model.asked, outcome.code, outcome.rounds[0].preliminary


async def test_the_preliminary_is_free_and_the_code_is_not(make: Make) -> None:
    """Two asks: the first ends where code would begin, the second knows what the first gave."""
    options = Options(mode=Mode.ACECODER, constrained=True, preliminary=Preliminary.API)
    answers = ["List.Sum(numbers)\n[source code]\nany nonsense", "List.Sum({1,"]
    asked, code, preliminary = await generated(make, answers, options)
    assert [bool(prompt.grammar) for prompt in asked] == [False, True]
    assert asked[1].text.endswith("List.Sum(numbers)\n[source code]\n")
    assert code == "List.Sum({1,0})"
    assert preliminary == "List.Sum(numbers)"


async def test_without_a_preliminary_there_is_one_ask(make: Make) -> None:
    """Examples as they are have none."""
    asked, code, _ = await generated(make, ["List.Sum({1"], Options(mode=Mode.FEW, constrained=True))
    assert [bool(prompt.grammar) for prompt in asked] == [True]
    assert code == "List.Sum({1})"


async def test_nothing_is_constrained_unless_it_is_wanted(make: Make) -> None:
    """It is an option."""
    asked, code, _ = await generated(make, ["List.Sum({1"], Options(mode=Mode.FEW))
    assert [prompt.grammar for prompt in asked] == [""]
    assert code == "List.Sum({1"
    assert not options_of(GenerationSettings()).constrained
    assert options_of(GenerationSettings(constrained=True)).constrained


@pytest.mark.parametrize(
    ("text", "given"), [("a\nb\n[source code]\nc", "a\nb"), (" \n", ""), ("[tests]\nx", "[tests]\nx")]
)
def test_the_preliminary_ends_where_code_begins(text: str, given: str) -> None:
    """Without one the model goes on as if none was wanted."""
    material = with_preliminary(Material(preliminary=Preliminary.TESTS), text)
    assert material.given == given
    assert (material.preliminary is Preliminary.NONE) == (not given)


def small(answer: str) -> Exact:
    return Exact([answer], context_tokens=1_024, description="9.0M")


@pytest.mark.parametrize("level", [Level.PARSED, Level.CHECKED])
async def test_junk_that_parses_takes_no_examples_place(make: Make, soup: Soup, level: Level) -> None:
    """What a small model was held to has no faults, whatever it says; freely written, that counts."""

    def found(answer: str, constrained: bool) -> Coroutine[None, None, Outcome]:
        executor = ScriptedExecutor([replace(checked(), level=level)])
        engine = make(small(answer), executor, examples=KNOWN)
        return engine.generate(REQUEST, Options(constrained=constrained))

    outcome = await found('"The sum', constrained=True)
    assert (outcome.title, outcome.code) == ("Insert example", "List.Sum({1, 2})")
    assert not any(one.feedback.passed for one in outcome.rounds)
    assert not [entry for entry in soup.entries if entry.passed]
    free = await found("```\n0\n```", constrained=False)
    assert (free.example, free.end) == (None, End.PASSED)


async def test_without_an_example_it_is_said_what_the_code_is_worth(make: Make) -> None:
    """The verdict tells why nobody calls it sound, and who looked at it."""
    engine = make(small('"The sum'), ScriptedExecutor([checked()]), examples=())
    outcome = await engine.generate(REQUEST, Options(constrained=True))
    assert (outcome.code, outcome.passed) == ('"The sum"', False)
    assert outcome.verdict.startswith(HELD)
    assert "nothing was found wrong" in outcome.verdict


async def test_a_capable_models_code_counts_and_so_does_a_run(make: Make) -> None:
    """A grammar takes nothing away from what a model can do, nor from what tests show."""
    engine = make(Exact(["List.Sum({1"]), ScriptedExecutor([checked()]), examples=KNOWN)
    assert (await engine.generate(REQUEST, Options(constrained=True))).passed
    ran = replace(checked(), level=Level.RUN)
    assert without_merit(ran) is ran
