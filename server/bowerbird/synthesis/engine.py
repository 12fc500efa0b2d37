"""EVOR: write, have it checked, learn from what is said, write again (section 2.3, Algorithm 1)."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePosixPath

from bowerbird.execution.executor import Executor, Feedback, Level, Message
from bowerbird.inference.generator import InferenceError
from bowerbird.knowledge.soup import SOUP, Soup
from bowerbird.synthesis.adapt import adapted
from bowerbird.synthesis.answer import read_answer
from bowerbird.synthesis.constrained import (
    Constraint,
    constraint_for,
    whole_answer,
    with_preliminary,
    without_code,
    without_merit,
)
from bowerbird.synthesis.inputs import inputs_by_rule, inputs_in, query_by_rule
from bowerbird.synthesis.mode import Mode
from bowerbird.synthesis.options import Options
from bowerbird.synthesis.outcome import End, Outcome, Stage, Tell
from bowerbird.synthesis.prompt import (
    CONTEXT_LINES,
    SOURCE,
    Ask,
    Material,
    Shares,
    compose,
    fit,
    inputs_ask,
    query_ask,
    texts_of,
)
from bowerbird.synthesis.request import Request
from bowerbird.synthesis.run import Run, entry_of
from bowerbird.synthesis.sources import (
    Sources,
    as_source,
    examples_for,
    given_inputs,
    retrieve,
    sources_of,
)
from bowerbird.synthesis.trial import Trial
from bowerbird.synthesis.writer import Writer, Written

SAME_FEEDBACK = 3  # section 2.3: so many rounds with the same error end it
SHORT_ANSWER_TOKENS = 100  # a query, or five inputs
LEAST_PROMPT_TOKENS = 200
EXAMPLES_TRIED = 3

NO_CODE = Feedback(passed=False, level=Level.UNCHECKED, messages=(Message("The model wrote no code."),))

logger = logging.getLogger(__name__)


def _nothing(stage: Stage, number: int) -> None:
    del stage, number


class SynthesisEngine:
    """Writes what a request wants. It is handed its parts and builds none."""

    def __init__(
        self,
        writer: Writer,
        executor: Executor,
        sources: Sources,
        soup: Soup,
        redact: Callable[[str], str],
    ) -> None:
        self.writer = writer
        self.executor = executor
        self.sources = sources
        self.soup = soup
        self._redact = redact

    async def generate(
        self,
        request: Request,
        options: Options,
        tell: Tell = _nothing,
        path: PurePosixPath = PurePosixPath(),  # noqa: B008 - it is a value
    ) -> Outcome:
        """The best program within the budgets. Whatever goes wrong with the model becomes a sentence.

        Only a cancellation is raised, at any moment; what the soup has learned until then is kept.
        """
        trial = Trial(self.executor, request, path)
        masked = replace(
            request, requirement=self._redact(request.requirement), signature=self._redact(request.signature)
        )
        run = Run(masked, options, trial, tell)
        began = time.perf_counter()
        try:
            async with asyncio.timeout(options.budget_s):
                await self._evolve(run)
            self._judge_shown(run)
        except TimeoutError:
            run.end = End.TIME
            run.problem = "" if run.rounds else "The time was over before the model had written anything."
        except InferenceError as error:
            run.end, run.problem = End.MODEL, str(error)
        finally:
            self._keep()
        outcome = run.outcome(time.perf_counter() - began)
        if outcome.passed or run.capable or not options.example_instead:
            return outcome
        return await self._example_instead(run, outcome)

    async def _evolve(self, run: Run) -> None:
        """Algorithm 1, by its own names."""
        n, options = run.request, run.options
        loaded = await self.writer.load()
        run.model, run.capable = loaded.name, await self.writer.is_capable()
        room = loaded.context_tokens - options.answer_tokens
        shares = Shares(max(LEAST_PROMPT_TOKENS, min(options.prompt_tokens, room)), _snippet_share(options))
        inputs: tuple[str, ...] = ()
        rounds = options.rounds if options.mode is Mode.EVOR else 1
        for i in range(rounds):
            if run.tokens >= options.budget_tokens:
                run.end = End.TOKENS
                return
            query = n.requirement if i == 0 else await self._evolve_query(run)
            knowledge = await self._retrieve(run, query, shares)
            program = await self._write_program(run, query, knowledge)
            feedback = await self._execute(run, program, inputs)
            self._evolve_knowledge(run, program, feedback)
            if i == 0 and options.run and options.mode is Mode.EVOR:
                inputs = await self._make_inputs(run, program)
                if inputs and feedback.passed:  # a pass counts with the final inputs
                    feedback = await self._execute(run, program, inputs)
                    self._evolve_knowledge(run, program, feedback)
            if feedback.passed:
                run.end = End.PASSED
                return
            if run.repeats(SAME_FEEDBACK):
                run.end = End.REPEATED
                return
        run.end = End.ROUNDS if options.mode is Mode.EVOR else End.ONE

    async def _evolve_query(self, run: Run) -> str:
        """q_i <- M_q(n, p_{i-1}, I, F_{i-1})."""
        last = run.rounds[-1]
        faulty = entry_of(run.request, last.code, last.feedback, run.trial).faulty_line
        by_rule = query_by_rule(run.request.requirement, last.feedback, faulty)
        if not run.capable:
            return by_rule
        run.at(Stage.QUERY)
        program = self._redact(last.code)
        told = [self._redact(str(message)) for message in last.feedback.errors]
        ask = query_ask(run.request, program, last.inputs, told)
        written = await self._ask(run, ask, SHORT_ANSWER_TOKENS)
        words = written.text.strip().partition("\n")[0]
        return f"{run.request.requirement}\n{words}" if words else by_rule

    async def _retrieve(self, run: Run, query: str, shares: Shares) -> Material:
        """K_r <- R(q_i, K), as much of it as the prompt has room for."""
        run.at(Stage.RETRIEVE)
        found = await asyncio.to_thread(retrieve, query, run.request, self.sources, self.soup, run.options)
        tokens = await self.writer.count(texts_of(found, run.request))
        return fit(found, run.request, tokens, shares)

    async def _write_program(self, run: Run, query: str, knowledge: Material) -> str:
        """p_i <- M(n, K_r)."""
        run.at(Stage.WRITE)
        context = "\n".join(self._redact(run.request.before).split("\n")[-CONTEXT_LINES:]).strip("\n")
        ask = compose(run.request, knowledge, context)
        constraint = constraint_for(run.request) if run.options.constrained else None
        if constraint is not None and ask.led_by != SOURCE:
            first = await self._ask(run, without_code(ask), run.options.answer_tokens)
            knowledge = with_preliminary(knowledge, first.text)
            ask = compose(run.request, knowledge, context)
        written = await self._ask(run, ask, run.options.answer_tokens, constraint)
        text, request = written.text, run.request
        read = whole_answer(text, request) if written.whole else read_answer(text, ask, request)
        run.begin(query, sources_of(knowledge), written, read.preliminary or knowledge.given, read.code)
        return read.code

    async def _execute(self, run: Run, program: str, inputs: tuple[str, ...]) -> Feedback:
        """F_i <- E(p_i, I)."""
        run.at(Stage.RUN if run.options.run else Stage.CHECK)
        feedback = await run.trial.execute(program, inputs, run.options.run) if program else NO_CODE
        if run.held and not run.capable:
            feedback = without_merit(feedback)
        run.executed(inputs, feedback)
        return feedback

    def _evolve_knowledge(self, run: Run, program: str, feedback: Feedback) -> None:
        """K <- K and {p_i}, or {(p_i, F_i)}. What nobody looked at teaches nothing."""
        if not program or feedback.level is Level.UNCHECKED:
            return
        self.soup.add(entry_of(run.request, program, feedback, run.trial))

    def _judge_shown(self, run: Run) -> None:
        """Did what the soup gave help? The failures of a small model tell nothing of it."""
        if run.capable:
            names = {source.name for one in run.rounds for source in one.sources}
            shown = [name.removeprefix(SOUP) for name in names if name.startswith(SOUP)]
            self.soup.served(shown, run.end is End.PASSED)

    async def _make_inputs(self, run: Run, program: str) -> tuple[str, ...]:
        """I <- M_t(n, p_0)."""
        request, name = run.request, run.trial.function_to_call(program)
        if not name:
            return ()
        run.at(Stage.INPUTS)
        given = await asyncio.to_thread(given_inputs, request, self.sources)
        head = request.signature or program
        found = inputs_by_rule(request.language, name, head, run.rounds[0].preliminary, given)
        if run.capable and not given:
            asked = await self._ask(run, inputs_ask(request, self._redact(program)), SHORT_ANSWER_TOKENS)
            found = inputs_in(asked.text, name) or found
        return tuple(found)

    async def _ask(
        self, run: Run, ask: Ask, max_new_tokens: int, constraint: Constraint | None = None
    ) -> Written:
        written = await self.writer.write(ask, max_new_tokens, constraint)
        run.spend(written)
        return written

    async def _example_instead(self, run: Run, outcome: Outcome) -> Outcome:
        """The nearest example that passes a check, for what a small model could not write."""
        request = run.request
        near = await asyncio.to_thread(
            examples_for, request.requirement, request, self.sources, self.soup, EXAMPLES_TRIED
        )
        for example in near:
            code = adapted(example, request)
            feedback = await run.trial.execute(code, (), running=False) if code else NO_CODE
            if feedback.passed:
                source = as_source(example)
                return replace(outcome, code=code, feedback=feedback, best=-1, example=source)
        return outcome

    def _keep(self) -> None:
        try:
            self.soup.save()
        except OSError as error:
            logger.warning("What was learned is not kept: %s", error)


def _snippet_share(options: Options) -> int:
    """Only where documentation competes with them do snippets have a limit of their own."""
    return options.snippet_tokens if options.mode is Mode.EVOR else options.prompt_tokens
