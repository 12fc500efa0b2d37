"""Types the code before a task key by key: what the editor's order of snippets costs, and what it saves."""

from __future__ import annotations

from dataclasses import replace

from bowerbird.cli.bench.repoeval.measure import (
    Stage,
    checked,
    likelihood,
    milliseconds_of,
    trace_of,
    unfinished_line,
)
from bowerbird.cli.bench.repoeval.metrics import edit_similarity, exact_match
from bowerbird.cli.bench.repoeval.options import EPOCHS, NEW_TOKENS, PAPER
from bowerbird.cli.bench.repoeval.outcome import Measured
from bowerbird.cli.bench.repoeval.tasks import LineTask
from bowerbird.completion.request import Completion, Request

ORDERS = {PAPER: False, EPOCHS: True}
"""Column -> `Request.editor`."""


async def measure_replay(stage: Stage, task: LineTask, text: str, keys: int) -> dict[str, Measured]:
    """The last `keys` characters before the line, typed with a completion at each; once in each order.

    Nothing stands behind the cursor, and the index has the document as typed so far: both orders choose
    from the same windows. What is compared with the truth is the raw prediction at the line itself.
    Tokens are counted over all completions but the first, which is cold whatever the order.
    """
    whole = unfinished_line(task, text, suffix=False)
    begin = max(0, len(whole.prefix) - keys)
    measured: dict[str, Measured] = {}
    repository = stage.assembly.repository
    for column, editor in ORDERS.items():
        engine = stage.engine()
        request = Request(max_new_tokens=NEW_TOKENS, time_budget_ms=None, editor=editor)
        completions: list[Completion] = []
        try:
            for end in range(begin, len(whole.prefix) + 1):
                typed = whole.prefix[:end]
                repository.open_document(task.path, typed, whole.language)
                completions.append(checked(await engine.complete(replace(whole, prefix=typed), request)))
        finally:
            repository.close_document(task.path)
        measured[column] = await _measured(stage, task, completions)
    return measured


async def _measured(stage: Stage, task: LineTask, completions: list[Completion]) -> Measured:
    last = completions[-1]
    assert last.prompt is not None, "a completion that ran has had a prompt"
    warm = [iteration for completion in completions[1:] for iteration in completion.trace.iterations]
    return Measured(
        prediction=last.prediction,
        exact_match=exact_match(last.prediction, task.truth),
        edit_similarity=edit_similarity(last.prediction, task.truth),
        log_likelihood=await likelihood(stage.model.model, last.prompt, task.truth),
        prompt_tokens=len(last.prompt.tokens),
        tokens_reused=sum(iteration.tokens_reused for iteration in warm),
        tokens_evaluated=sum(iteration.tokens_evaluated for iteration in warm),
        tokens_generated=sum(iteration.tokens_generated for iteration in warm),
        milliseconds=sum(map(milliseconds_of, last.trace.iterations)),
        requests=len(completions) - 1,
        trace=trace_of(last) if stage.traces else None,
    )
