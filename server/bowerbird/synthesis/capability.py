"""Is a model too small to be asked for more than code? It is tried out once, with what it would be asked for.

Queries and test inputs (EVOR's M_q and M_t) take a model that does as it is told. Size says little of that:
a model may be large and broken, or small and well taught. So it is shown three small functions and asked for
calls of them, in the words that are used for real. A call counts if its arguments are written out and have
the types that the function needs; nothing is run. The outcome is kept in the user's cache folder for as long
as the model's file stays the same. The built-in model gets none of the three right, in a quarter of a second.
"""

from __future__ import annotations

import ast
import hashlib
import json
import logging
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from bowerbird.inference.loaded import LoadedModel
from bowerbird.synthesis.inputs import inputs_in
from bowerbird.synthesis.prompt import Ask, inputs_ask
from bowerbird.synthesis.request import request_for

logger = logging.getLogger(__name__)

CAPABLE_CONTEXT = 2_048  # tokens; less has no room for an answer beside documentation
CALLS = 2  # different ones that must be right; a model that copies has one at most
ANSWER_TOKENS = 96  # of the five calls that are asked for
RIGHT_ANSWERS = 2
MOST_KEPT = 64


@dataclass(frozen=True, slots=True)
class Trial:
    """A function, and what it can be called with."""

    requirement: str
    name: str
    program: str
    kinds: tuple[type, ...]
    """Of its arguments. A list must hold numbers and be filled."""


TRIALS = (
    Trial(
        "Repeat a word several times.",
        "repeated",
        "def repeated(word, times):\n    return ' '.join([word] * times)",
        (str, int),
    ),
    Trial(
        "The largest of some numbers.",
        "largest",
        "def largest(numbers):\n    return max(numbers)",
        (list,),
    ),
    Trial(
        "The first letter of a name, as a capital.",
        "initial",
        "def initial(name):\n    return name[0].upper()",
        (str,),
    ),
)

Answer = Callable[[Ask, int], Awaitable[str]]
"""Asks the model; the number is that of tokens that the answer has at most."""


def right_calls(answer: str, trial: Trial) -> int:
    """How many different calls in an answer can be made."""
    return len({call for call in inputs_in(answer, trial.name) if _fits(call, trial)})


def _fits(call: str, trial: Trial) -> bool:
    try:
        node = ast.parse(call, mode="eval").body
        if not isinstance(node, ast.Call) or node.keywords:
            return False
        values = [ast.literal_eval(argument) for argument in node.args]
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return False
    if len(values) != len(trial.kinds):
        return False
    return all(_is_of(value, kind) for value, kind in zip(values, trial.kinds, strict=True))


def _is_of(value: Any, kind: type) -> bool:
    """Is it a filled text, a number but 0, or a filled list of numbers?"""
    if type(value) is not kind or not value:
        return False
    return not isinstance(value, list) or all(type(item) in (int, float) for item in value)


async def right_answers(answer: Answer) -> int:
    """Of the `TRIALS`, how many a model gets right; raises what `answer` raises."""
    right = 0
    for trial in TRIALS:
        ask = inputs_ask(request_for("python", trial.requirement), trial.program)
        right += right_calls(await answer(ask, ANSWER_TOKENS), trial) >= CALLS
    return right


async def tried_out(model: LoadedModel, answer: Answer) -> bool:
    """Is `model` to be asked for queries and test inputs, as was found out now or earlier for this user?"""
    return await is_capable(model, answer, capability_file())


async def is_capable(model: LoadedModel, answer: Answer, file: Path) -> bool:
    """The same; `file` keeps what is found out."""
    if model.context_tokens < CAPABLE_CONTEXT:
        return False
    known, key = _read(file), _key(model)
    if key not in known:
        known[key] = await right_answers(answer)
        logger.info("%s got %d of %d trials right.", model.name, known[key], len(TRIALS))
        _write(file, dict([*known.items()][-MOST_KEPT:]))
    return known[key] >= RIGHT_ANSWERS


def was_capable(model: LoadedModel) -> bool | None:
    """What was found out earlier for this user, without asking the model; None where nothing was."""
    if model.context_tokens < CAPABLE_CONTEXT:
        return False
    right = _read(capability_file()).get(_key(model))
    return None if right is None else right >= RIGHT_ANSWERS


def capability_file() -> Path:
    """Where the outcomes are kept for this user."""
    return Path(platformdirs.user_cache_dir("bowerbird", appauthor=False)) / "capability.json"


def _key(model: LoadedModel) -> str:
    """What makes a model this one: its file as it is, else what a server says of it; and how it is asked."""
    try:
        status = os.stat(model.path)
        mark: tuple[object, ...] = (status.st_size, status.st_mtime_ns)
    except (OSError, ValueError):
        mark = (model.description, model.vocabulary_tokens)
    asked = [(one.requirement, one.program) for one in TRIALS]
    told = (model.name, model.path, model.parameters, *mark, model.chat is not None, asked)
    return hashlib.sha256(repr(told).encode("utf-8", "replace")).hexdigest()


def _read(file: Path) -> dict[str, int]:
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(told, dict):
        return {}
    return {key: count for key, count in told.items() if type(count) is int}


def _write(file: Path, known: dict[str, int]) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f"{file.name}.{os.getpid()}")
        draft.write_text(json.dumps(known), encoding="utf-8")
        draft.replace(file)
    except OSError as error:
        logger.warning("What a model can do is not kept: %s", error)
