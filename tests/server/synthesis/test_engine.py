"""EVOR's loop, line by line, with a scripted model and executor behind their seams."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable

import pytest

from bowerbird.execution.executor import Feedback, Level, Program, Want
from bowerbird.knowledge.soup import Entry, Soup
from bowerbird.synthesis.engine import SynthesisEngine
from bowerbird.synthesis.mode import Mode
from bowerbird.synthesis.options import Options
from bowerbird.synthesis.outcome import End, Stage
from bowerbird.synthesis.request import request_at, request_for
from scripted import SECRET, TOTAL, ScriptedExecutor, ScriptedModel, checked, example

Make = Callable[..., SynthesisEngine]

REQUEST = request_for("python", "sum of a list of numbers")


def code(text: str) -> str:
    """An answer of an instruct model."""
    return f"```python\n{text}\n```"


async def test_round_0_drafts_from_the_request_without_inputs(make: Make) -> None:
    """Lines 4, 5, 10, 12: q_0 is the request, and E gets no inputs."""
    model, executor = ScriptedModel([code("x = 1")]), ScriptedExecutor([checked()])
    outcome = await make(model, executor).generate(REQUEST, Options())
    assert outcome.rounds[0].query == REQUEST.requirement
    assert REQUEST.requirement in model.asked[0].text
    assert [(one.code, one.test, one.want) for one in executor.programs] == [("x = 1\n", "", Want.CHECK)]
    assert (outcome.code, outcome.end, outcome.passed) == ("x = 1", End.PASSED, True)


async def test_knowledge_is_retrieved_and_cited(make: Make) -> None:
    """Line 9: what is similar stands in the prompt and among the sources; what holds a secret in neither."""
    model = ScriptedModel([code("x = 1")])
    outcome = await make(model, ScriptedExecutor([checked()])).generate(REQUEST, Options())
    assert "return sum(items)" in model.asked[0].text
    assert "docs/test/sum of a list" in [source.name for source in outcome.sources]
    assert SECRET not in model.asked[0].text


async def test_the_query_evolves(make: Make) -> None:
    """Line 7: M_q is asked with request, program and feedback, and its answer is the next query."""
    model = ScriptedModel([code("x = y"), "undefined names", code("x = 1")])
    executor = ScriptedExecutor([checked("y is not defined"), checked()])
    outcome = await make(model, executor).generate(REQUEST, Options())
    asked = model.asked[1].text
    assert all(part in asked for part in (REQUEST.requirement, "x = y", "y is not defined"))
    assert outcome.rounds[1].query == f"{REQUEST.requirement}\nundefined names"


async def test_a_small_model_is_not_asked_for_queries(make: Make) -> None:
    """The query is made by rule, of the request, the messages and the line that they speak of."""
    model = ScriptedModel([code("x = y"), code("x = 1")], context_tokens=1_024, description="9.0M")
    executor = ScriptedExecutor([checked("y is not defined"), checked()])
    outcome = await make(model, executor).generate(REQUEST, Options())
    assert outcome.rounds[1].query == f"{REQUEST.requirement}\ny is not defined\nx = y"
    assert len(model.asked) == 2


async def test_a_program_is_always_written_from_the_request(make: Make) -> None:
    """Line 10: M is given the request and the knowledge, with the feedback as message and line."""
    model = ScriptedModel([code("a = 1\nx = y"), "names", code("x = 1")])
    executor = ScriptedExecutor([checked("fine", "y is not defined"), checked()])
    await make(model, executor).generate(REQUEST, Options())
    last = model.asked[2].text
    assert REQUEST.requirement in last
    assert "[feedback]\na = 1\nfine" in last


@pytest.mark.parametrize("passes", [True, False])
async def test_the_soup_takes_every_program(make: Make, soup: Soup, passes: bool) -> None:
    """Lines 13 to 17: a verified program, or the pair of program and feedback; both last on disk."""
    executor = ScriptedExecutor([checked() if passes else checked("wrong")])
    await make(ScriptedModel([code("x = 1")]), executor).generate(REQUEST, Options(rounds=1))
    (entry,) = Soup(soup.path, lambda _: False).entries
    assert (entry.program, entry.passed, entry.feedback) == ("x = 1", passes, "" if passes else "wrong")
    assert entry.by == "judge (checked)"


async def test_what_nobody_looked_at_teaches_nothing(make: Make, soup: Soup) -> None:
    """Without a checker for the language the program is given, with that said, and not learned from."""
    executor = ScriptedExecutor([checked(level=Level.UNCHECKED)])
    outcome = await make(ScriptedModel([code("x = 1")]), executor).generate(REQUEST, Options())
    assert outcome.code == "x = 1"
    assert "Nobody looked at the code" in outcome.verdict
    assert soup.entries == ()


async def test_inputs_are_made_after_round_0_and_a_pass_needs_them(make: Make) -> None:
    """Lines 18 to 20: M_t makes inputs once; the draft that passed without them runs with them."""
    program = "def total(items):\n    return sum(items)"
    model = ScriptedModel([code(program), "total([1, 2])\ntotal([])"])
    executor = ScriptedExecutor([checked(level=Level.RUN)])
    outcome = await make(model, executor).generate(REQUEST, Options(run=True))
    assert [one.test for one in executor.programs] == ["", "total([1, 2])\ntotal([])"]
    assert all(one.want is Want.RUN for one in executor.programs)
    assert outcome.rounds[0].inputs == ("total([1, 2])", "total([])")
    assert outcome.end is End.PASSED
    assert "run" in outcome.verdict


async def test_inputs_serve_all_later_rounds(make: Make) -> None:
    """A program that fails with the inputs is no pass, and the next one runs with the same inputs."""
    program = "def total(items):\n    return sum(items)"
    model = ScriptedModel([code(program), "total([1])", "words", code(program + " ")])
    passed = checked(level=Level.RUN)
    executor = ScriptedExecutor([passed, checked("boom", level=Level.RUN), passed])
    outcome = await make(model, executor).generate(REQUEST, Options(run=True))
    assert [one.test for one in executor.programs] == ["", "total([1])", "total([1])"]
    assert (outcome.end, outcome.best) == (End.PASSED, 1)


async def test_the_query_evolves_with_the_inputs(make: Make) -> None:
    """Line 7: M_q is told the inputs, too, once there are any."""
    model = ScriptedModel(
        [
            code("def total(xs):\n    return y"),
            "total([1, 2])",
            "sum",
            code("def total(xs):\n    return sum(xs)"),
        ]
    )
    executor = ScriptedExecutor([checked(), checked("y is not defined", level=Level.RUN), checked()])
    outcome = await make(model, executor).generate(REQUEST, Options(run=True))
    assert "Inputs:\ntotal([1, 2])\n" in model.asked[2].text
    assert outcome.rounds[1].query == f"{REQUEST.requirement}\nsum"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("powerquery", "// sum of a list\n"),
        ("pony", "// sum of a list\n"),
        ("python", "class Cart:\n    def total(self):\n        # sum of a list\n"),
    ],
)
async def test_where_nothing_can_be_called_no_inputs_are_made(make: Make, language: str, text: str) -> None:
    """Nothing runs Power Query M, and a method needs an object: the model is not bothered."""
    request = request_at(text, language, text.count("\n") - 1)
    assert request is not None
    model = ScriptedModel([code("return sum([1])")])
    outcome = await make(model, ScriptedExecutor([checked()])).generate(request, Options(run=True))
    assert (outcome.end, outcome.rounds[0].inputs, len(model.asked)) == (End.PASSED, (), 1)


async def test_without_running_no_inputs_are_made(make: Make) -> None:
    """Where only checking is allowed the first clean check ends it."""
    model = ScriptedModel([code("def total(items):\n    return sum(items)")])
    outcome = await make(model, ScriptedExecutor([checked()])).generate(REQUEST, Options())
    assert len(model.asked) == 1
    assert (outcome.end, outcome.rounds[0].inputs) == (End.PASSED, ())
    assert "checked and not run" in outcome.verdict


async def test_the_workspaces_tests_are_the_inputs(make: Make) -> None:
    """Where tests call the function already, their calls are taken, and no model is asked."""
    request = request_at("def total(items):\n    pass\n", "python", 0)
    assert request is not None
    model = ScriptedModel([code("return sum(items)")])
    executor = ScriptedExecutor([checked(level=Level.RUN)])
    engine = make(model, executor, tests=["assert total([4, 5]) == 9"])
    await engine.generate(request, Options(run=True))
    assert executor.programs[-1].test == "total([4, 5])"
    assert executor.programs[-1].code == "def total(items):\n    return sum(items)\n"
    assert "assert total([4, 5]) == 9" in model.asked[0].text
    assert len(model.asked) == 1


async def test_it_ends_at_the_same_feedback_three_times(make: Make) -> None:
    """Section 2.3; places and numbers in the messages make no difference."""
    answers = [checked(f"name at line {number} is not defined") for number in range(9)]
    model = ScriptedModel([code("x = y")])
    outcome = await make(model, ScriptedExecutor(answers)).generate(REQUEST, Options(rounds=9))
    assert (len(outcome.rounds), outcome.end) == (3, End.REPEATED)


async def test_another_feedback_in_between_breaks_the_row(make: Make) -> None:
    """Only consecutive rounds count."""
    answers = [checked("a"), checked("a"), checked("b"), checked("a"), checked("a"), checked("c")]
    model = ScriptedModel([code("x = y")])
    outcome = await make(model, ScriptedExecutor(answers)).generate(REQUEST, Options(rounds=6))
    assert (len(outcome.rounds), outcome.end) == (6, End.ROUNDS)


async def test_it_ends_after_m_rounds(make: Make) -> None:
    """And the best program is given: here the one with the fewest errors."""
    answers = [checked("a", "b"), checked("c"), checked("d", "e", "f")]
    model = ScriptedModel([code("x = 1"), "words", code("x = 2"), "words", code("x = 3")])
    outcome = await make(model, ScriptedExecutor(answers)).generate(REQUEST, Options(rounds=3))
    assert (len(outcome.rounds), outcome.end, outcome.code) == (3, End.ROUNDS, "x = 2")
    assert "1: c" in outcome.verdict
    assert "All rounds were used." in outcome.verdict


async def test_it_ends_at_the_budget_of_tokens(make: Make) -> None:
    """Prompts count as well as answers."""
    model = ScriptedModel([code("x = y")])
    executor = ScriptedExecutor([checked("a"), checked("b"), checked("c")])
    outcome = await make(model, executor).generate(REQUEST, Options(rounds=9, budget_tokens=10))
    assert (len(outcome.rounds), outcome.end) == (1, End.TOKENS)
    assert outcome.tokens >= 10


async def test_it_ends_when_the_time_is_over(make: Make) -> None:
    """What was written until then is given, and the model is stopped."""
    model = ScriptedModel([code("x = y"), "words " * 10_000], delay_s=0.001)
    outcome = await make(model, ScriptedExecutor([checked("a")])).generate(REQUEST, Options(budget_s=0.2))
    assert (outcome.end, outcome.code) == (End.TIME, "x = y")
    assert model.closed == len(model.asked) == 2


async def test_cancelling_stops_the_model_and_keeps_the_soup(make: Make, soup: Soup) -> None:
    """At any moment; what was learned before is on disk."""
    model = ScriptedModel([code("x = y"), "words " * 10_000], delay_s=0.001)
    engine = make(model, ScriptedExecutor([checked("a")]))
    task = asyncio.create_task(engine.generate(REQUEST, Options()))
    while len(model.asked) < 2:  # noqa: ASYNC110 - the fake knows no events
        await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.closed == 2
    assert len(Soup(soup.path, lambda _: False).entries) == 1


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS])
async def test_a_full_disk_costs_the_soup_alone(
    make: Make, soup: Soup, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, number: int
) -> None:
    """The program is given all the same, and the next request still knows what this one has learned."""

    def full(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", full)
    outcome = await make(ScriptedModel([code("x = 1")]), ScriptedExecutor([checked()])).generate(
        REQUEST, Options()
    )
    assert outcome.passed
    assert os.strerror(number) in caplog.text
    assert [entry.program for entry in soup.entries] == ["x = 1"]
    assert soup.path is not None
    assert list(soup.path.parent.iterdir()) == []


class SlowExecutor(ScriptedExecutor):
    """Takes its time, so that somebody can withdraw meanwhile."""

    async def execute(self, program: Program) -> Feedback:
        found = await super().execute(program)
        await asyncio.sleep(0.01)
        return found


@pytest.mark.parametrize("stage", Stage)
async def test_cancelled_at_every_stage(make: Make, soup: Soup, stage: Stage) -> None:
    """Whatever is being done: it ends, nothing more is begun, and what was learned before is kept."""
    draft = code("def total(xs):\n    return y")
    model = ScriptedModel([draft, "total([1, 2])", "sum of", draft], delay_s=0.001)
    executor = SlowExecutor([checked("y is not defined"), checked("y is not defined"), checked()])
    reached = asyncio.Event()

    def tell(now: Stage, _: int) -> None:
        if now is stage:
            reached.set()

    options = Options(run=stage in (Stage.RUN, Stage.INPUTS))
    task = asyncio.create_task(make(model, executor).generate(REQUEST, options, tell))
    async with asyncio.timeout(10):
        await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    begun = len(model.asked), len(executor.programs)
    await asyncio.sleep(0.05)
    assert (len(model.asked), len(executor.programs)) == begun
    assert model.closed == len(model.asked)
    executed = stage in (Stage.QUERY, Stage.INPUTS)
    assert (soup.path is not None and soup.path.exists()) == executed


async def test_a_model_that_fails_is_told(make: Make) -> None:
    """No exception: a sentence."""
    outcome = await make(ScriptedModel(["CRASH"]), ScriptedExecutor([checked()])).generate(REQUEST, Options())
    assert (outcome.code, outcome.end) == ("", End.MODEL)
    assert outcome.verdict == "The model's process stopped."


async def test_an_answer_without_code(make: Make) -> None:
    """It is feedback like any other, and the executor is not asked."""
    executor = ScriptedExecutor([checked()])
    outcome = await make(ScriptedModel([""]), executor).generate(REQUEST, Options(rounds=9))
    assert (outcome.end, executor.programs) == (End.REPEATED, [])
    assert outcome.verdict == "The model wrote no code."


async def test_a_small_model_that_fails_gives_an_example(make: Make) -> None:
    """When nothing passes, the nearest example that passes a check is offered, its names adapted."""
    request = request_at("# sum of a list\ndef add_up(numbers):\n    pass\n", "python", 0)
    assert request is not None
    model = ScriptedModel([code("x = y")], context_tokens=1_024, description="9.0M")
    known = example("sum of a list", TOTAL, signature="def total(items):")
    executor = ScriptedExecutor([checked("bad", first=2)] * 3 + [checked()])
    outcome = await make(model, executor, examples=[known]).generate(request, Options(rounds=3))
    assert (outcome.title, outcome.code, outcome.passed) == ("Insert example", "return sum(numbers)", True)
    assert outcome.verdict.startswith("This is the nearest example, docs/test/sum of a list")
    assert "too small" in outcome.verdict


@pytest.mark.parametrize("mode", [Mode.ZERO, Mode.FEW, Mode.ACECODER, Mode.RAR])
async def test_other_modes_write_once(make: Make, mode: Mode) -> None:
    """One program, whatever is said of it; only `zero` is shown nothing, only `acecoder` preliminaries."""
    model = ScriptedModel([code("x = y")])
    outcome = await make(model, ScriptedExecutor([checked("a")])).generate(REQUEST, Options(mode=mode))
    text = model.asked[0].text
    assert (len(model.asked), outcome.end) == (1, End.ONE)
    assert ("sum of a list\n" in text.replace(REQUEST.requirement, "")) == (mode in (Mode.FEW, Mode.ACECODER))
    assert ("assert total" in text) == (mode is Mode.ACECODER)


async def test_faults_that_the_document_had_before_do_not_count(make: Make) -> None:
    """An error elsewhere in the document is only held against a program that brought it."""
    request = request_at("import nothing\n# sum of a list\n", "python", 1)
    assert request is not None
    answer, old = code("x = 1"), checked("nothing does not exist")
    outcome = await make(ScriptedModel([answer]), ScriptedExecutor([old])).generate(
        request, Options(rounds=1)
    )
    assert outcome.passed
    executor = ScriptedExecutor([old, checked()])
    outcome = await make(ScriptedModel([answer]), executor).generate(request, Options(rounds=1))
    assert not outcome.passed


async def test_stages_are_told(make: Make) -> None:
    """For the progress bar: what is done, and in which round."""
    told: list[tuple[Stage, int]] = []
    model = ScriptedModel([code("x = y"), "words", code("x = 1")])
    executor = ScriptedExecutor([checked("a"), checked()])
    await make(model, executor).generate(
        REQUEST, Options(), lambda stage, number: told.append((stage, number))
    )
    first, second = [(stage, 1) for stage in (Stage.RETRIEVE, Stage.WRITE, Stage.CHECK)], Stage.QUERY
    assert told == [*first, (second, 2), *((stage, 2) for stage, _ in first)]


async def test_a_secret_in_the_comment_reaches_no_prompt(make: Make) -> None:
    """The request itself is masked, and so is the code around it; the document keeps both."""
    request = request_at(f"key = '{SECRET}'\n# sum of a list with {SECRET}\n", "python", 1)
    assert request is not None
    model, executor = ScriptedModel([code("x = 1")]), ScriptedExecutor([checked()])
    await make(model, executor).generate(request, Options())
    assert SECRET not in model.asked[0].text
    assert executor.programs[0].code == f"{request.text}x = 1\n"


@pytest.mark.parametrize(("context_tokens", "failures"), [(8_192, 1), (1_024, 0)])
async def test_what_the_soup_gave_is_judged_once_a_request(
    make: Make, soup: Soup, context_tokens: int, failures: int
) -> None:
    """However many rounds failed with it in view; and the failures of a small model tell nothing."""
    soup.add(Entry(requirement="sum of a list", language="python", program="sum(x)", passed=True, by="x"))
    model = ScriptedModel([code("x = y")], context_tokens=context_tokens)
    engine = make(model, ScriptedExecutor([checked("a"), checked("b")]), examples=[])
    await engine.generate(REQUEST, Options(rounds=2, example_instead=False))
    kept = next(entry for entry in soup.entries if entry.program == "sum(x)")
    assert (kept.successes, kept.failures) == (0, failures)


async def test_the_time_ends_before_anything_was_written(make: Make) -> None:
    """Then it is not the model's size that is to blame."""
    model = ScriptedModel(["words " * 10_000], delay_s=0.001)
    outcome = await make(model, ScriptedExecutor([checked()])).generate(REQUEST, Options(budget_s=0.05))
    assert (outcome.end, outcome.code) == (End.TIME, "")
    assert outcome.verdict == "The time was over before the model had written anything."


async def test_a_model_that_fails_in_a_later_round(make: Make) -> None:
    """What was written before is given, and the verdict tells what happened."""
    model = ScriptedModel([code("x = y"), "CRASH"])
    outcome = await make(model, ScriptedExecutor([checked("a")])).generate(REQUEST, Options())
    assert (outcome.code, outcome.end) == ("x = y", End.MODEL)
    assert outcome.verdict.endswith("1: a. The model's process stopped.")
