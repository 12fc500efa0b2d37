"""The JSON of OpenAI's interface, read with care: any field may be missing or of another kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from bowerbird.inference import remote_estimate
from bowerbird.inference.remote_client import NotServed, ask

CHAT_MARK = remote_estimate.FIRST_MARK + 100
ROLES = ("system", "user", "assistant")


@dataclass(frozen=True, slots=True)
class Served:
    """A model in a server's list."""

    name: str
    owner: str
    """``vllm``, ``llamacpp``, ``library`` (Ollama), or a gateway's own word."""
    context_tokens: int
    """0 where the list does not say."""


async def served_models(client: httpx.AsyncClient, who: str) -> list[Served]:
    """What the server has; raises `ServerUnreachable`."""
    told = await ask(client, who, "GET", "/v1/models")
    rows = told.get("data") if isinstance(told, dict) else None
    if not isinstance(rows, list):
        raise NotServed(f"{who} answers, but not as a model server does.")
    return [
        Served(str(row["id"]), str(row.get("owned_by") or ""), whole(row.get("max_model_len")))
        for row in rows
        if isinstance(row, dict) and row.get("id")
    ]


def tokens_of(told: Any, who: str) -> list[int]:
    try:
        return [int(token) for token in told["tokens"]]
    except (KeyError, TypeError, ValueError) as error:
        raise NotServed(f"{who} does not tokenize as vLLM does.") from error


def read_step(event: dict[str, Any]) -> tuple[str, str]:
    """The text of a step, and why it is the last one ("" where it is not)."""
    choices = event.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    delta = choice.get("delta")
    text = delta.get("content") if isinstance(delta, dict) else choice.get("text")
    return str(text or ""), str(choice.get("finish_reason") or "")


def last_step(why: str, usage: dict[str, Any], sent: int, first_ms: float, rest_ms: float) -> dict[str, Any]:
    details = usage.get("prompt_tokens_details")
    cached = whole(details.get("cached_tokens")) if isinstance(details, dict) else 0
    read = whole(usage.get("prompt_tokens")) or sent
    timings = {
        "cache_n": cached,
        "prompt_n": max(0, read - cached),
        "prompt_ms": first_ms,
        "predicted_ms": rest_ms,
    }
    return {"content": "", "tokens": [], "stop": True, "stop_type": why, "timings": timings}


def messages_of(tokens: Sequence[int]) -> list[dict[str, str]]:
    starts = [place for place, token in enumerate(tokens) if token >= CHAT_MARK]
    ends = [*starts[1:], len(tokens)]
    return [
        {
            "role": ROLES[tokens[start] - CHAT_MARK],
            "content": remote_estimate.decode(tokens[start + 1 : end], {}),
        }
        for start, end in zip(starts, ends, strict=True)
    ]


def defused(text: str, specials: Iterable[str]) -> str:
    """`text` without special tokens that the server would find in it: a blank parts their first letter."""
    for special in specials:
        if len(special) > 1:
            text = text.replace(special, f"{special[0]} {special[1:]}")
    return text


def special_in(text: str, specials: Iterable[str]) -> int:
    return min((at for special in specials if special and (at := text.find(special)) >= 0), default=-1)


def told_error(error: Any) -> str:
    said = error.get("message") if isinstance(error, dict) else error
    return " ".join(str(said).split())[:300]


def whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
