"""Trains, and goes on after every stop to the exact step."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from nestling.checkpoint import LIGHT, Progress, load, log, read_plan, save, write_light, write_plan
from nestling.curves import draw_curves
from nestling.data import Feed, copying_rows
from nestling.schedule import KEPT_FOR_MEASURING, Say, make_plan, rate_factor
from nestling.shards import AGAIN, COUNTED, MIDDLE, Rows, read_shard, read_shards
from nestling.trainer import Machine, Trainer, Wish

MEASURED_ROWS = {"cpu": 24, "cuda": 128}
LOG_EVERY_STEPS = 10
TOLD_AGAIN = 0.2
"""Of the steps that are left: when their number changed by more, it is said."""
STOP_FILE = "stop"
"""Whoever puts a file of this name into the run's folder ends the run with a checkpoint."""


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
        progress = self.progress
        recent: list[Tensor] = []
        began, first = time.monotonic(), progress.step
        compiled = False
        while progress.step < self.plan.total_steps and not self._out_of_time():
            batch = self.feed.batch(progress.step - progress.begun)
            factor = rate_factor(progress.step, self.plan.total_steps)
            recent.append(self.trainer.step(batch.ids, batch.kinds, factor))
            progress.step += 1
            if progress.step % LOG_EVERY_STEPS == 0:
                loss = float(torch.stack(recent).mean())  # waits for the machine
                recent.clear()
                if not math.isfinite(loss):
                    raise ValueError(f"The loss is {loss} at step {progress.step}; the checkpoint is whole.")
                spent = time.monotonic() - began
                progress.seconds += spent
                rate = (progress.step - first) * self.plan.batch_tokens / spent
                began, first = time.monotonic(), progress.step
                self._log(loss=loss, factor=factor, rate=rate)
                if compiled:
                    self._set_end(rate)
                compiled = True  # the first steps had to wait for that
            if time.monotonic() - self.saved > self.wish.save_minutes * 60:
                self._checkpoint()
                began, first = time.monotonic(), progress.step
                recent.clear()
        self._checkpoint()
        size = write_light(self.folder / LIGHT, self.trainer.model, progress)
        done = "finished" if progress.step >= self.plan.total_steps else "to be gone on with"
        self.say(
            f"{done} at step {progress.step} of {self.plan.total_steps}; light weights {size / 1e6:.1f} MB"
        )

    def _out_of_time(self) -> bool:
        over = self.wish.minutes is not None and time.monotonic() - self.begun > self.wish.minutes * 60
        return over or (self.folder / STOP_FILE).exists()

    def _set_end(self, rate: float) -> None:
        """With ``--finish`` the schedule ends when this piece does, however fast the machine is."""
        if not self.wish.finish or self.wish.minutes is None:
            return
        left = self.wish.minutes * 60 * KEPT_FOR_MEASURING - (time.monotonic() - self.begun)
        steps = max(1, int(left * rate / self.plan.batch_tokens))
        told = self.plan.total_steps
        self.plan = self.trainer.plan = replace(self.plan, total_steps=self.progress.step + steps)
        write_plan(self.folder, self.plan)
        if abs(self.plan.total_steps - told) > TOLD_AGAIN * steps:
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
