"""Trains: chooses size and schedule for the time at hand, goes on after every stop to the exact step."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from nestling.checkpoint import (
    LIGHT,
    Progress,
    RunPlan,
    load,
    log,
    read_plan,
    save,
    write_light,
    write_plan,
)
from nestling.curves import draw_curves
from nestling.data import Feed, copying_rows
from nestling.model import Llama, losses
from nestling.optimizer import Optimizers
from nestling.shards import AGAIN, COUNTED, IGNORED, MIDDLE, Rows, read_shard, read_shards
from nestling.sizes import CHOICES, choose_size, shape_of

Say = Callable[[str], None]

WARM_UP_STEPS = 60
DECAY_SHARE = 0.5
"""Of all steps: the last ones, in which the rate falls to `FINAL_FACTOR`."""
FINAL_FACTOR = 0.02
TIMED_STEPS = 3
KEPT_FOR_MEASURING = 0.95
"""Of the time; the rest goes into measuring and saving."""
MEASURED_ROWS = {"cpu": 24, "cuda": 128}
LOG_EVERY_STEPS = 10
STOP_FILE = "stop"
"""Whoever puts a file of this name into the run's folder ends the run with a checkpoint."""
BATCH_TOKENS = {"cpu": 16_384, "cuda": 262_144}
MICRO_ROWS_TOKENS = {"cpu": 4_096, "cuda": 65_536}
"""Tokens that go through the model at once."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user asks of a run, or of a piece of one."""

    hours: float
    minutes: float | None = None
    finish: bool = False
    size: str = ""
    tied: bool = True
    seed: int = 0
    threads: int = 2
    compiled: bool | None = None
    """None compiles on a GPU."""
    batch_tokens: int = 0
    save_minutes: float = 5.0


class Machine:
    """Where tensors live and how they are computed."""

    def __init__(self, wish: Wish) -> None:
        self.name = "cuda" if torch.cuda.is_available() else "cpu"
        self.device = torch.device(self.name)
        self.compiled = self.name == "cuda" if wish.compiled is None else wish.compiled
        if self.name == "cpu":
            torch.set_num_threads(wish.threads)
        else:
            torch.set_float32_matmul_precision("high")

    def narrow(self) -> AbstractContextManager[object]:
        """bfloat16 where that is safe; the weights stay float32."""
        return torch.autocast(self.name, torch.bfloat16)

    def wait(self) -> None:
        """Until everything asked for is computed."""
        if self.name == "cuda":
            torch.cuda.synchronize()


class Trainer:
    """A model with its optimizers on a machine."""

    def __init__(self, plan: RunPlan, machine: Machine) -> None:
        torch.manual_seed(plan.seed)
        self.plan = plan
        self.machine = machine
        self.model = Llama(plan.shape).to(machine.device)
        self.optimizers = Optimizers(self.model)
        self._losses: Callable[[Tensor, Tensor], Tensor] = self._compute
        if machine.compiled:
            self._losses = torch.compile(self._compute, dynamic=False)
        self.micro_rows = max(1, min(plan.batch_rows, MICRO_ROWS_TOKENS[machine.name] // plan.shape.context))

    def _compute(self, ids: Tensor, targets: Tensor) -> Tensor:
        return losses(self.model(ids), targets)

    def step(self, ids: np.ndarray, kinds: np.ndarray, factor: float) -> Tensor:
        """One step on a batch ``[rows, context + 1]``; the mean loss of what counts, in nats."""
        counted = torch.from_numpy(kinds[:, 1:] != IGNORED)
        total = counted.sum().clamp(min=1).to(self.machine.device)
        summed = torch.zeros((), device=self.machine.device)
        for at in range(0, len(ids), self.micro_rows):
            part = self._move(ids[at : at + self.micro_rows])
            weights = counted[at : at + self.micro_rows].to(self.machine.device)
            with self.machine.narrow():
                found = self._losses(part[:, :-1], part[:, 1:])
            loss = (found * weights).sum() / total
            loss.backward()  # type: ignore[no-untyped-call]
            summed += loss.detach()
        torch.nn.utils.clip_grad_norm_(self.optimizers.embeddings, 1.0)
        self.optimizers.step(factor)
        return summed

    @torch.no_grad()
    def measure(self, rows: Rows) -> dict[int, float]:
        """Mean loss by kind of token."""
        sums = dict.fromkeys((COUNTED, MIDDLE, AGAIN), 0.0)
        counts = dict.fromkeys(sums, 0)
        # Always as many rows at once: other numbers would be compiled anew.
        count = max(1, len(rows) // self.micro_rows) * self.micro_rows
        for at in range(0, count, self.micro_rows):
            chosen = np.arange(at, at + self.micro_rows) % len(rows)
            part = self._move(rows.ids[chosen].astype(np.int64))
            with self.machine.narrow():
                found = self._losses(part[:, :-1], part[:, 1:]).cpu()
            kinds = torch.from_numpy(rows.kinds[chosen, 1:])
            for kind in sums:
                sums[kind] += float(found[kinds == kind].sum())
                counts[kind] += int((kinds == kind).sum())
        return {kind: sums[kind] / counts[kind] for kind in sums if counts[kind]}

    def _move(self, ids: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(ids)).to(self.machine.device, non_blocking=True)


def train(shards: Sequence[Path], held_out: Path, folder: Path, wish: Wish, say: Say) -> None:
    """Begin the run in `folder`, or go on with it, until its schedule or this piece of it ends."""
    begun = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    machine = Machine(wish)
    rows, vocabulary = read_shards(shards)
    measured, _ = read_shard(held_out)
    digest = rows.digest()
    plan = read_plan(folder)
    if plan is None:
        plan = make_plan(rows, vocabulary, machine, wish, say)
        write_plan(folder, plan)
    say(plan.chosen)
    trainer = Trainer(plan, machine)
    progress = load(folder, trainer.model, trainer.optimizers) or Progress()
    if progress.rows != digest:
        progress.rows, progress.begun = digest, progress.step
    feed = Feed(rows, vocabulary, plan.batch_rows, plan.seed)
    say(
        f"step {progress.step} of {plan.total_steps}, {plan.batch_tokens:,} tokens each; "
        f"{len(rows)} rows, {feed.epochs(plan.total_steps - progress.step):.2f} times each"
    )
    _Run(trainer, feed, measured, folder, progress, wish, say, begun).go()


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
    shape: object, rows: Rows, vocabulary: int, batch_rows: int, machine: Machine, wish: Wish
) -> float:
    """Of training steps, after the first."""
    plan = RunPlan("", shape, batch_rows, 1, wish.seed, "")  # type: ignore[arg-type]
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


class _Run:
    """The loop of one piece of a run."""

    def __init__(
        self,
        trainer: Trainer,
        feed: Feed,
        measured: Rows,
        folder: Path,
        progress: Progress,
        wish: Wish,
        say: Say,
        begun: float,
    ) -> None:
        self.trainer, self.feed, self.folder = trainer, feed, folder
        self.progress, self.wish, self.say, self.begun = progress, wish, say, begun
        self.plan = trainer.plan
        count = MEASURED_ROWS[trainer.machine.name]
        every = max(1, len(measured) // count)  # languages stand one after the other
        self.measured = Rows(measured.ids[::every][:count], measured.kinds[::every][:count])
        self.copying = copying_rows(measured, feed.vocabulary, count // 3)
        self.saved = time.monotonic()

    def go(self) -> None:
        """Until the end."""
        progress, plan = self.progress, self.plan
        recent: list[Tensor] = []
        began, first = time.monotonic(), progress.step
        while progress.step < plan.total_steps and not self._out_of_time():
            batch = self.feed.batch(progress.step - progress.begun)
            factor = rate_factor(progress.step, plan.total_steps)
            recent.append(self.trainer.step(batch.ids, batch.kinds, factor))
            progress.step += 1
            if progress.step % LOG_EVERY_STEPS == 0:
                loss = float(torch.stack(recent).mean())  # waits for the machine
                recent.clear()
                if not math.isfinite(loss):
                    raise ValueError(f"The loss is {loss} at step {progress.step}; the checkpoint is whole.")
                spent = time.monotonic() - began
                progress.seconds += spent
                rate = (progress.step - first) * plan.batch_tokens / spent
                began, first = time.monotonic(), progress.step
                self._log(loss=loss, factor=factor, rate=rate)
                self._set_end(rate)
            if time.monotonic() - self.saved > self.wish.save_minutes * 60:
                self._checkpoint()
                began, first = time.monotonic(), progress.step
                recent.clear()
        self._checkpoint()
        size = write_light(self.folder / LIGHT, self.trainer.model, progress)
        done = "finished" if progress.step >= plan.total_steps else "to be gone on with"
        self.say(f"{done} at step {progress.step} of {plan.total_steps}; light weights {size / 1e6:.1f} MB")

    def _out_of_time(self) -> bool:
        over = self.wish.minutes is not None and time.monotonic() - self.begun > self.wish.minutes * 60
        return over or (self.folder / STOP_FILE).exists()

    def _set_end(self, rate: float) -> None:
        """With ``--finish`` the schedule ends when this piece does."""
        if not self.wish.finish or self.wish.minutes is None:
            return
        left = self.wish.minutes * 60 * KEPT_FOR_MEASURING - (time.monotonic() - self.begun)
        steps = max(1, int(left * rate / self.plan.batch_tokens))
        self.plan = self.trainer.plan = replace(self.plan, total_steps=self.progress.step + steps)
        write_plan(self.folder, self.plan)
        self.wish = replace(self.wish, finish=False)
        self.say(f"the schedule now ends at step {self.plan.total_steps}")

    def _checkpoint(self) -> None:
        begun = time.monotonic()
        held_out = self.trainer.measure(self.measured)
        code, chance = (self.trainer.measure(rows) for rows in self.copying)
        figures = {
            "held_out": held_out.get(COUNTED, math.nan),
            "middle": held_out.get(MIDDLE, math.nan),
            "code_first": code.get(COUNTED, math.nan),
            "code_again": code.get(AGAIN, math.nan),
            "random_again": chance.get(AGAIN, math.nan),
        }
        self._log(**figures)
        save(self.folder, self.trainer.model, self.trainer.optimizers, self.progress)
        draw_curves(self.folder)
        self.saved = time.monotonic()
        told = ", ".join(f"{name} {value:.3f}" for name, value in figures.items())
        self.say(f"step {self.progress.step}: {told} ({self.saved - begun:.0f} s)")

    def _log(self, **figures: float) -> None:
        tokens = self.progress.step * self.plan.batch_tokens
        log(self.folder, {"step": self.progress.step, "tokens": tokens, **figures})
