"""A small Llama: the shape that llama.cpp runs, and nothing that it would not."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

HEAD_WIDTH = 64
ROPE_BASE = 10_000.0
NORM_EPSILON = 1e-5
EMBEDDING_DEVIATION = 0.02


@dataclass(frozen=True, slots=True)
class Shape:
    """What decides how many weights there are, and what they are called in a file."""

    vocabulary: int
    width: int
    blocks: int
    context: int
    """Tokens."""
    tied: bool = True
    """One matrix for the embedding and the output."""

    @property
    def heads(self) -> int:
        return self.width // HEAD_WIDTH

    @property
    def feed_forward(self) -> int:
        """Inner width of SwiGLU: about 8/3 of the width, in steps of 64, so that Q8_0's blocks of 32 fit."""
        return (self.width * 8 // 3 + 63) // 64 * 64

    @property
    def parameters(self) -> int:
        """All weights."""
        matrices = 4 * self.width**2 + 3 * self.width * self.feed_forward
        embeddings = self.vocabulary * self.width * (1 if self.tied else 2)
        return self.blocks * (matrices + 2 * self.width) + self.width + embeddings

    @property
    def operations_per_token(self) -> float:
        """Floating-point operations of one training step, for each token: 6 N, and attention's share."""
        matrices = self.blocks * (4 * self.width**2 + 3 * self.width * self.feed_forward)
        attention = self.blocks * self.width * self.context
        return 6.0 * (matrices + self.vocabulary * self.width + attention)


def rotations(shape: Shape) -> tuple[Tensor, Tensor]:
    """Cosines and sines of the rotary embedding: ``[context, HEAD_WIDTH / 2]`` each, float32."""
    frequencies = ROPE_BASE ** (-torch.arange(0, HEAD_WIDTH, 2, dtype=torch.float32) / HEAD_WIDTH)
    angles = torch.outer(torch.arange(shape.context, dtype=torch.float32), frequencies)
    return angles.cos(), angles.sin()


def rotate(heads: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Rotate neighbouring pairs of ``heads[..., tokens, HEAD_WIDTH]``, as llama.cpp does for Llama."""
    even, odd = heads[..., 0::2], heads[..., 1::2]
    turned = torch.stack((even * cosines - odd * sines, even * sines + odd * cosines), dim=-1)
    return turned.flatten(-2).to(heads.dtype)


class Attention(nn.Module):
    """Causal self-attention with rotary positions, no biases."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.q = nn.Linear(shape.width, shape.width, bias=False)
        self.k = nn.Linear(shape.width, shape.width, bias=False)
        self.v = nn.Linear(shape.width, shape.width, bias=False)
        self.output = nn.Linear(shape.width, shape.width, bias=False)

    def forward(self, states: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        """``states[rows, tokens, width]`` to the same."""
        rows, tokens, width = states.shape

        def split(projected: Tensor) -> Tensor:
            return projected.view(rows, tokens, self.heads, HEAD_WIDTH).transpose(1, 2)

        q = rotate(split(self.q(states)), cosines, sines)
        k = rotate(split(self.k(states)), cosines, sines)
        mixed = functional.scaled_dot_product_attention(q, k, split(self.v(states)), is_causal=True)
        output: Tensor = self.output(mixed.transpose(1, 2).reshape(rows, tokens, width))
        return output


class FeedForward(nn.Module):
    """SwiGLU."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.gate = nn.Linear(shape.width, shape.feed_forward, bias=False)
        self.up = nn.Linear(shape.width, shape.feed_forward, bias=False)
        self.down = nn.Linear(shape.feed_forward, shape.width, bias=False)

    def forward(self, states: Tensor) -> Tensor:
        """``states[rows, tokens, width]`` to the same."""
        down: Tensor = self.down(functional.silu(self.gate(states)) * self.up(states))
        return down


class Block(nn.Module):
    """Attention and feed-forward, each behind a norm and beside the residual stream."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.attention_norm = nn.RMSNorm(shape.width, eps=NORM_EPSILON)
        self.attention = Attention(shape)
        self.feed_forward_norm = nn.RMSNorm(shape.width, eps=NORM_EPSILON)
        self.feed_forward = FeedForward(shape)

    def forward(self, states: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        """``states[rows, tokens, width]`` to the same."""
        states = states + self.attention(self.attention_norm(states), cosines, sines)
        after: Tensor = states + self.feed_forward(self.feed_forward_norm(states))
        return after


class Llama(nn.Module):
    """Token ids to logits."""

    cosines: Tensor
    sines: Tensor

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.blocks))
        self.norm = nn.RMSNorm(shape.width, eps=NORM_EPSILON)
        self.output = nn.Linear(shape.width, shape.vocabulary, bias=False)
        if shape.tied:
            self.output.weight = self.embedding.weight
        cosines, sines = rotations(shape)
        self.register_buffer("cosines", cosines, persistent=False)
        self.register_buffer("sines", sines, persistent=False)
        self.initialise()

    def initialise(self) -> None:
        """Blocks begin as the identity: what they add to the residual stream is 0."""
        for name, weight in self.named_parameters():
            if "norm" in name:
                nn.init.ones_(weight)
            elif name.endswith(("attention.output.weight", "down.weight")):
                nn.init.zeros_(weight)
            elif name.startswith(("embedding", "output")):
                nn.init.normal_(weight, std=EMBEDDING_DEVIATION)
            else:
                nn.init.normal_(weight, std=0.5 * weight.shape[1] ** -0.5)

    def forward(self, ids: Tensor) -> Tensor:
        """``ids[rows, tokens]`` to logits ``[rows, tokens, vocabulary]``."""
        tokens = ids.shape[1]
        cosines, sines = self.cosines[:tokens], self.sines[:tokens]
        states = self.embedding(ids)
        for block in self.blocks:
            states = block(states, cosines, sines)
        logits: Tensor = self.output(self.norm(states))
        return logits


def losses(logits: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy of each target in nats: ``logits[rows, tokens, vocabulary]`` to ``[rows, tokens]``."""
    # `autocast` computes this in float32.
    flat = functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    return flat.view_as(targets)
