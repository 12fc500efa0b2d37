"""Muon for the matrices of the blocks, AdamW for embeddings and norms.

Muon (Jordan, 2024): the momentum of a matrix is replaced by the nearest orthogonal one, found by five steps
of a Newton-Schulz iteration, so that every direction of the matrix learns at the same pace.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import torch
from torch import Tensor, nn

MOMENTUM = 0.95
MUON_RATE = 0.02
ADAM_RATE = 0.003
ADAM_BETAS = (0.9, 0.95)
DECAY = 0.01
COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of the quintic: steep at 0, so that small singular values reach 1 within a few steps."""
STEPS = 5


def orthogonalise(matrices: Tensor) -> Tensor:
    """About U V^T for each ``matrices[n, rows, columns]`` = U S V^T; in bfloat16, singular values near 1."""
    a, b, c = COEFFICIENTS
    x = matrices.bfloat16()
    wide = x.shape[-2] <= x.shape[-1]
    x = x if wide else x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(STEPS):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    found: Tensor = x if wide else x.mT
    return found


class Muon(torch.optim.Optimizer):
    """Momentum (Nesterov), orthogonalised; matrices of one shape go together."""

    def __init__(self, matrices: list[nn.Parameter], lr: float = MUON_RATE) -> None:
        super().__init__(matrices, {"lr": lr})

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """One step; gradients must be there."""
        assert closure is None
        for group in self.param_groups:
            alike: dict[torch.Size, list[nn.Parameter]] = defaultdict(list)
            for weight in group["params"]:
                alike[weight.shape].append(weight)
            for shape, weights in alike.items():
                updates = torch.stack([self._momentum(weight) for weight in weights])
                scale = max(1.0, shape[0] / shape[1]) ** 0.5
                for weight, update in zip(weights, orthogonalise(updates), strict=True):
                    weight.mul_(1 - group["lr"] * DECAY)
                    weight.add_(update.to(weight.dtype), alpha=-group["lr"] * scale)

    def _momentum(self, weight: nn.Parameter) -> Tensor:
        assert weight.grad is not None
        state = self.state[weight]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(weight)
        momentum: Tensor = state["momentum"]
        momentum.lerp_(weight.grad, 1 - MOMENTUM)
        return weight.grad.lerp(momentum, MOMENTUM)


class Optimizers:
    """Both, with one factor on their rates."""

    def __init__(self, model: nn.Module) -> None:
        matrices: list[nn.Parameter] = []
        others: list[nn.Parameter] = []
        for name, weight in model.named_parameters():
            (matrices if name.startswith("blocks") and weight.ndim == 2 else others).append(weight)
        self.embeddings: list[nn.Parameter] = others
        """All that Muon does not take; Muon's steps have one length whatever the gradient."""
        fused = others[0].device.type == "cuda"
        self.both: tuple[torch.optim.Optimizer, ...] = (
            Muon(matrices),
            torch.optim.AdamW(others, ADAM_RATE, ADAM_BETAS, weight_decay=0.0, fused=fused),
        )
        self._rates = (MUON_RATE, ADAM_RATE)

    def step(self, factor: float) -> None:
        """One step at `factor` times the full rates; the gradients are gone afterwards."""
        for optimizer, rate in zip(self.both, self._rates, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = rate * factor
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)

    def state_dict(self) -> list[dict[str, Any]]:
        """For a checkpoint."""
        return [optimizer.state_dict() for optimizer in self.both]

    def load_state_dict(self, states: list[dict[str, Any]]) -> None:
        """From a checkpoint."""
        for optimizer, state in zip(self.both, states, strict=True):
            optimizer.load_state_dict(state)
