"""A model with its optimizers on a machine: one step, and what is measured."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from nestling.checkpoint import RunPlan
from nestling.model import Llama, losses
from nestling.optimizer import Optimizers
from nestling.shards import AGAIN, COUNTED, IGNORED, MIDDLE, Rows

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
