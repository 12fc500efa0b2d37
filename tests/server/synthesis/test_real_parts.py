"""The loop with the real packs, grammars and checkers; only the model is scripted."""

from __future__ import annotations

from bowerbird.execution.engine import ExecutionEngine
from bowerbird.execution.executor import Level, Permission
from bowerbird.execution.sandbox import Sandbox
from bowerbird.knowledge.library import Library
from bowerbird.knowledge.soup import Soup
from bowerbird.synthesis.documented import Documented, join_sources
from bowerbird.synthesis.engine import SynthesisEngine
from bowerbird.synthesis.options import Options
from bowerbird.synthesis.outcome import End, Outcome
from bowerbird.synthesis.request import Request, request_at
from bowerbird.synthesis.writer import Writer
from scripted import ScriptedModel

LIBRARY = Library()


async def generate(
    request: Request | None, execution: ExecutionEngine, options: Options, *answers: str
) -> Outcome:
    assert request is not None
    fenced = [f"```\n{one}\n```" if " = " in one or "return " in one else one for one in answers]
    sources = join_sources(list, Documented(LIBRARY), lambda _: False)
    engine = SynthesisEngine(
        Writer(ScriptedModel(fenced)), execution, sources, Soup(None, lambda _: False), str
    )
    try:
        return await engine.generate(request, options)
    finally:
        await execution.close()


async def test_power_query_m_mends_an_invented_name() -> None:
    """The check names what is near, documentation for it is found, and the second program passes."""
    text = "let\n    Source = {1, 2},\n    // sum of the list\nin\n    Total\n"
    outcome = await generate(
        request_at(text, "powerquery", 2),
        ExecutionEngine(lambda: LIBRARY.packs),
        Options(),
        "Total = List.Summ(Source)",
        "List.Sum",
        "Total = List.Sum(Source)",
    )
    first, second = outcome.rounds
    assert "List.Sum" in first.feedback.errors[0].text
    assert "docs/powerquery/List.Sum" in [source.name for source in second.sources]
    assert any(source.kind == "feedback" for source in second.sources)
    assert (outcome.end, outcome.code) == (End.PASSED, "Total = List.Sum(Source)")
    assert "parsed" in outcome.verdict or "checked" in outcome.verdict


async def test_ring_mends_its_syntax() -> None:
    """Where no compiler is installed the grammar speaks, and the verdict says so."""
    outcome = await generate(
        request_at("# sum of a list\nfunc total aList\n", "ring", 0),
        ExecutionEngine(lambda: LIBRARY.packs),
        Options(),
        "n = 0\nfor x in aList\n\tn += x\nreturn n",
        "for next",
        "func total aList\n    n = 0\n    for x in aList\n        n += x\n    next\n    return n",
    )
    assert [one.feedback.passed for one in outcome.rounds] == [False, True]
    assert outcome.code.startswith("n = 0\nfor x in aList\n")


async def test_python_runs_with_inputs_where_that_is_allowed() -> None:
    """A program that fails with an input is mended; without a sandbox nothing runs, and that is said."""
    execution = ExecutionEngine(lambda: LIBRARY.packs, Permission.RUN)
    sandboxed = isinstance(await execution.sandbox(), Sandbox)
    outcome = await generate(
        request_at("def mean(xs: list[float]) -> float:\n    # mean of a list\n", "python", 1),
        execution,
        Options(run=True),
        "total = sum(xs)\nreturn total / len(xs)",
        "mean([1.0])\nmean([])",
        "empty",
        "return sum(xs) / len(xs) if xs != [] else 0.0",
    )
    assert outcome.passed
    assert outcome.feedback is not None
    if sandboxed:
        assert "ZeroDivisionError" in outcome.rounds[0].feedback.errors[0].text
        assert (len(outcome.rounds), outcome.feedback.level) == (2, Level.RUN)
    else:
        assert outcome.feedback.level < Level.RUN
        assert "sandbox" in outcome.verdict


async def test_running_is_off_until_the_user_allows_it() -> None:
    """An executor without the permission checks, whatever the options say."""
    outcome = await generate(
        request_at("def mean(xs: list[float]) -> float:\n    # mean of a list\n", "python", 1),
        ExecutionEngine(lambda: LIBRARY.packs),
        Options(run=True),
        "total = sum(xs)\nreturn total / len(xs)",
        "mean([])",
    )
    assert outcome.feedback is not None
    assert outcome.feedback.level < Level.RUN
    assert "Running programs is off." in outcome.verdict
