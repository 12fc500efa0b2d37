"""Chooses size and schedule for the time at hand, by the machine's own speed."""

from __future__ import annotations

import time
from collections.abc import Callable

from nestling.checkpoint import RunPlan
from nestling.data import Feed
from nestling.model import Shape
from nestling.shards import Rows
from nestling.sizes import CHOICES, choose_size, shape_of
from nestling.trainer import Machine, Trainer, Wish

Say = Callable[[str], None]

WARM_UP_STEPS = 60
DECAY_SHARE = 0.5
"""Of all steps: the last ones, in which the rate falls to `FINAL_FACTOR`."""
FINAL_FACTOR = 0.02
TIMED_STEPS = 3
KEPT_FOR_MEASURING = 0.95
"""Of the time; the rest goes into measuring and saving."""
BATCH_TOKENS = {"cpu": 16_384, "cuda": 262_144}


def make_plan(rows: Rows, vocabulary: int, machine: Machine, wish: Wish, say: Say) -> RunPlan:
    """Measure how fast the machine is, and choose."""
    seconds = wish.hours * 3600 * KEPT_FOR_MEASURING
    batch_tokens = wish.batch_tokens or BATCH_TOKENS[machine.name]
    batch_rows = max(1, round(batch_tokens / rows.context))
    names = [wish.size] if wish.size else list(CHOICES)
    shapes = {name: shape_of(name, vocabulary, rows.context, wish.tied) for name in names}
    timed = names[len(names) // 2]
    rate = tokens_per_second(shapes[timed], rows, vocabulary, batch_rows, machine, wish)
    work = rate * shapes[timed].operations_per_token
    say(f"{timed}: {rate:,.0f} tokens a second, {work / 1e12:.2f} TFLOP/s")
    rates = [(name, shape, work / shape.operations_per_token) for name, shape in shapes.items()]
    name, chosen = choose_size(rates, seconds)
    if name != timed:  # the estimate goes by operations alone
        rate = tokens_per_second(shapes[name], rows, vocabulary, batch_rows, machine, wish)
        chosen += f" (measured: {rate:,.0f})"
    steps = max(WARM_UP_STEPS, int(rate * seconds / (batch_rows * rows.context)))
    return RunPlan(name, shapes[name], batch_rows, steps, wish.seed, chosen)


def tokens_per_second(
    shape: Shape, rows: Rows, vocabulary: int, batch_rows: int, machine: Machine, wish: Wish
) -> float:
    """Of training steps, after the first."""
    plan = RunPlan("", shape, batch_rows, 1, wish.seed, "")
    trainer = Trainer(plan, machine)
    feed = Feed(rows, vocabulary, min(batch_rows, 4 * trainer.micro_rows), wish.seed)
    began = 0.0
    for number in range(TIMED_STEPS + 1):
        batch = feed.batch(number)
        float(trainer.step(batch.ids, batch.kinds, 0.0))
        machine.wait()
        if number == 0:
            began = time.perf_counter()
    return TIMED_STEPS * feed.batch_rows * rows.context / (time.perf_counter() - began)


def rate_factor(step: int, total_steps: int) -> float:
    """Of the full learning rates: warm-up, a plain, a linear fall."""
    warm = min(1.0, (step + 1) / WARM_UP_STEPS)
    left = (total_steps - step) / max(1.0, DECAY_SHARE * total_steps)
    return warm * max(FINAL_FACTOR, min(1.0, left))
