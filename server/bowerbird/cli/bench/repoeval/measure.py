"""Completes a task in every mode and compares with the truth (sections 4.1 and 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from bowerbird.assembly import Assembly
from bowerbird.cli.bench.overheard import Overheard, overheard_engine
from bowerbird.cli.bench.repoeval.metrics import edit_similarity, exact_match
from bowerbird.cli.bench.repoeval.options import IN_FILE, NEW_TOKENS, ORACLE
from bowerbird.cli.bench.repoeval.outcome import Measured
from bowerbird.cli.bench.repoeval.tasks import LineTask
from bowerbird.cli.errors import ModelProblem
from bowerbird.completion.engine import CompletionEngine
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Completion, Mode, Request
from bowerbird.inference.engine import Engine
from bowerbird.inference.generator import Prompt
from bowerbird.trace import IterationTrace, Reason


@dataclass(frozen=True, slots=True)
class Stage:
    """One repository under one setting, ready for its tasks."""

    assembly: Assembly
    model: Overheard
    traces: bool

    def engine(self) -> CompletionEngine:
        """A new one, without memory of earlier tasks."""
        return overheard_engine(self.assembly, self.model)


def unfinished_line(task: LineTask, text: str, suffix: bool) -> UnfinishedCode:
    """All of `text` above the task's line; with `suffix` also what stands below it."""
    lines = text.split("\n")
    above = "".join(f"{line}\n" for line in lines[: task.line])
    below = "".join(f"\n{line}" for line in lines[task.line + 1 :]) if suffix else ""
    return UnfinishedCode(task.path, task.name, task.repository, "python", above, below)


async def measure_modes(
    stage: Stage, task: LineTask, text: str, suffix: bool, modes: Sequence[str], iterations: int
) -> dict[str, Measured]:
    """The task in each of `modes`. One run of `iterations` iterations holds those of all fewer ones."""
    unfinished = unfinished_line(task, text, suffix)
    paper = Request(max_new_tokens=NEW_TOKENS, time_budget_ms=None, editor=False)
    measured: dict[str, Measured] = {}
    if IN_FILE in modes:
        measured[IN_FILE] = (await _run(stage, unfinished, replace(paper, mode=Mode.IN_FILE), task))[-1]
    if iterations:
        rounds = await _run(stage, unfinished, replace(paper, iterations=iterations), task)
        for mode in modes:
            if mode.isdigit():  # a run that stopped early has nothing new to say in later iterations
                measured[mode] = rounds[min(int(mode), len(rounds)) - 1]
    if ORACLE in modes:
        truth = "\n".join(text.split("\n")[task.line :])  # the first S_s lines of it enter the query
        measured[ORACLE] = (
            await _run(stage, unfinished, replace(paper, mode=Mode.ORACLE, truth=truth), task)
        )[-1]
    return {mode: measured[mode] for mode in modes}


async def _run(stage: Stage, unfinished: UnfinishedCode, request: Request, task: LineTask) -> list[Measured]:
    """One completion, measured after each of its iterations."""
    stage.model.prompts.clear()
    completion = checked(await stage.engine().complete(unfinished, request))
    iterations = completion.trace.iterations[: len(stage.model.prompts)]
    rounds: list[Measured] = []
    milliseconds = 0.0
    for iteration, prompt in zip(iterations, list(stage.model.prompts), strict=True):
        milliseconds += milliseconds_of(iteration)
        rounds.append(
            Measured(
                prediction=iteration.prediction,
                exact_match=exact_match(iteration.prediction, task.truth),
                edit_similarity=edit_similarity(iteration.prediction, task.truth),
                log_likelihood=await likelihood(stage.model.model, prompt, task.truth),
                prompt_tokens=iteration.prompt_tokens,
                tokens_reused=iteration.tokens_reused,
                tokens_evaluated=iteration.tokens_evaluated,
                tokens_generated=iteration.tokens_generated,
                milliseconds=milliseconds,
                trace=trace_of(completion) if stage.traces else None,
            )
        )
    return rounds


async def likelihood(model: Engine, prompt: Prompt, truth: str) -> float | None:
    """Log-probability of `truth` after `prompt`, in nats a character, for models differ in their tokens."""
    scores = await model.score(prompt, truth)
    return sum(scores) / len(truth) if scores else None


def checked(completion: Completion) -> Completion:
    """The completion, where there is one to measure; raises `ModelProblem` where the model failed."""
    if completion.reason not in (Reason.OK, Reason.EMPTY):
        raise ModelProblem(completion.message or completion.trace.sentence)
    return completion


def milliseconds_of(iteration: IterationTrace) -> float:
    """Wall time of one iteration."""
    return iteration.retrieve_ms + iteration.pack_ms + iteration.evaluate_ms + iteration.generate_ms


def trace_of(completion: Completion) -> dict[str, Any]:
    return completion.trace.as_json()
