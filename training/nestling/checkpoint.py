"""A run on disk: its plan, its newest checkpoint, its figures. Written beside and renamed, so never torn."""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from nestling.model import Llama, Shape

PLAN, CHECKPOINT, LIGHT, LOG = "plan.json", "checkpoint.pt", "weights.light", "log.jsonl"


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What was chosen when the run began; `total_steps` may be set anew."""

    size: str
    shape: Shape
    batch_rows: int
    total_steps: int
    seed: int
    chosen: str
    """Why, in a sentence."""

    @property
    def batch_tokens(self) -> int:
        return self.batch_rows * self.shape.context


@dataclass(slots=True)
class Progress:
    """How far a run is."""

    step: int = 0
    """Steps done."""
    begun: int = 0
    """The step at which the present rows were first fed."""
    rows: str = ""
    """Digest of these rows."""
    seconds: float = 0.0
    """Of training."""


def write_plan(folder: Path, plan: RunPlan) -> None:
    """Write the plan."""
    _replace(folder / PLAN, json.dumps(asdict(plan), indent=1).encode())


def read_plan(folder: Path) -> RunPlan | None:
    """The plan of a run that was begun."""
    path = folder / PLAN
    if not path.exists():
        return None
    told = json.loads(path.read_text())
    return RunPlan(**{**told, "shape": Shape(**told["shape"])})


def save(folder: Path, model: Llama, optimizers: Any, progress: Progress) -> None:
    """Write the newest checkpoint in place of the last."""
    path = folder / CHECKPOINT
    state = {
        "model": model.state_dict(),
        "optimizers": optimizers.state_dict(),
        "progress": asdict(progress),
    }
    new = path.with_suffix(".new")
    torch.save(state, new)
    new.replace(path)


def load(folder: Path, model: Llama, optimizers: Any) -> Progress | None:
    """Fill model and optimizers from the newest checkpoint; from light weights where there is no other."""
    path = folder / CHECKPOINT
    if path.exists():
        state = torch.load(path, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizers.load_state_dict(state["optimizers"])
        return Progress(**state["progress"])
    if (folder / LIGHT).exists():
        weights, progress = read_light(folder / LIGHT)
        model.load_state_dict(weights)
        return progress
    return None


def load_model(folder: Path) -> Llama:
    """The model of a run's newest checkpoint; raises `ValueError` where there is none."""
    plan = read_plan(folder)
    if plan is None:
        raise ValueError(f"{folder} holds no run.")
    model = Llama(plan.shape)
    path = folder / CHECKPOINT
    if path.exists():
        model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True)["model"])
    elif (folder / LIGHT).exists():
        model.load_state_dict(read_light(folder / LIGHT)[0])
    else:
        raise ValueError(f"{folder} holds no checkpoint yet.")
    return model.eval()


def write_light(path: Path, model: Llama, progress: Progress) -> int:
    """The weights in bfloat16, compressed, without the optimizers' memory: for narrow lines. Its bytes.

    The high bytes hold the exponents, which are much alike, so the two bytes of all weights stand apart.
    """
    head = json.dumps(asdict(progress)).encode() + b"\n"
    parts = [weight.detach().to("cpu", torch.bfloat16) for weight in _own(model.state_dict()).values()]
    raw = torch.cat([part.flatten() for part in parts]).view(torch.int16).numpy().view(np.uint8)
    planes = np.ascontiguousarray(raw.reshape(-1, 2).T).tobytes()
    data = head + lzma.compress(planes, preset=1)
    _replace(path, data)
    return len(data)


def read_light(path: Path) -> tuple[dict[str, Tensor], Progress]:
    """What `write_light` wrote; the run's plan stands beside it and tells the shape."""
    plan = read_plan(path.parent)
    if plan is None:
        raise ValueError(f"{path} has no {PLAN} beside it.")
    head, body = path.read_bytes().split(b"\n", 1)
    planes = np.frombuffer(lzma.decompress(body), np.uint8).reshape(2, -1)
    flat = torch.from_numpy(np.ascontiguousarray(planes.T).view(np.int16).ravel().copy()).view(torch.bfloat16)
    model = Llama(plan.shape)
    state = model.state_dict()
    at = 0
    for name, weight in _own(state).items():
        state[name] = flat[at : at + weight.numel()].view_as(weight).float()
        at += weight.numel()
    if plan.shape.tied:
        state["output.weight"] = state["embedding.weight"]
    return state, Progress(**json.loads(head))


def log(folder: Path, row: Mapping[str, Any]) -> None:
    """Add figures to the run's log."""
    with (folder / LOG).open("a", encoding="utf-8") as out:
        out.write(json.dumps(row) + "\n")


def read_log(folder: Path) -> list[dict[str, Any]]:
    """All figures so far; of steps done twice, after a crash, the later ones."""
    path = folder / LOG
    if not path.exists():
        return []
    rows: list[dict[str, Any]] = []
    for line in path.read_text().splitlines():
        row = json.loads(line)
        while rows and rows[-1]["step"] >= row["step"]:
            rows.pop()
        rows.append(row)
    return rows


def _own(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights, each matrix once."""
    seen: set[int] = set()
    found: dict[str, Tensor] = {}
    for name, weight in state.items():
        if weight.data_ptr() not in seen:
            seen.add(weight.data_ptr())
            found[name] = weight
    return found


def _replace(path: Path, data: bytes) -> None:
    new = path.with_name(path.name + ".new")
    new.write_bytes(data)
    new.replace(path)
