"""What the model's process may say: one gone wrong is noticed at its first word, not where that is used."""

from __future__ import annotations

from typing import Any

from bowerbird.inference.pipe import Message, PipeError

COUNT = (int,)
NUMBER = (int, float)
TEXT = (str,)

FIELDS: dict[str, dict[str, tuple[type, ...]]] = {
    "loaded": {},
    "encoded": {"tokens": (list,)},
    "token": {"text": TEXT, "count": COUNT},
    "done": {
        "tokens_reused": COUNT,
        "tokens_evaluated": COUNT,
        "tokens_generated": COUNT,
        "evaluate_ms": NUMBER,
        "generate_ms": NUMBER,
        "stopped": TEXT,
        "tokens_drafted": COUNT,
        "tokens_accepted": COUNT,
        "grammar": TEXT,
        "written": (list,),
    },
    "scored": {"logprobs": (list,)},
    "embedded": {"vectors": TEXT},
    "progress": {},
    "pong": {},
    "failed": {"kind": TEXT, "message": TEXT},
    "ended": {"how": TEXT, "by_itself": (bool,)},
    "state": {"clients": COUNT, "path": TEXT, "model_pid": COUNT},
}
"""The kinds of answers that `pipe` describes, and what each must have beside its id."""

ELEMENTS: dict[str, tuple[type, ...]] = {"written": COUNT, "logprobs": NUMBER, "log": TEXT}
"""What lists hold."""


def checked(message: Message) -> Message:
    """`message`, if it is an answer; raises `PipeError`."""
    kind = message["type"]
    fields = FIELDS.get(kind)
    if fields is None:
        raise PipeError(f"There is no answer {kind[:40]!r}.")
    wrong = [name for name, types in fields.items() if type(message.get(name)) not in types]
    wrong += [name for name, types in ELEMENTS.items() if not _holds_only(message.get(name, []), types)]
    if type(message.get("id")) is not int:
        wrong.append("id")
    if kind == "encoded" and not wrong and not all(_holds_only(ids, COUNT) for ids in message["tokens"]):
        wrong.append("tokens")
    if wrong:
        raise PipeError(f"An answer {kind!r} has a wrong {wrong[0]}.")
    return message


def _holds_only(value: Any, types: tuple[type, ...]) -> bool:
    return type(value) is list and set(map(type, value)).issubset(types)
