"""JSON -> `Settings`: what is wrong is told in a sentence, and the default stands in for that field only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from typing import Any

from bowerbird.completion.finish import FILTERS
from bowerbird.retrieval.nearness import PRIORS
from bowerbird.settings import Settings

SECTION = "bowerbird"
CLIENT_KEYS = ("trace", "trusted")  # the editor's own, which lie beside ours: how to log, and workspace trust

LARGEST_WHOLE_FLOAT = 2**53

LIMITS: dict[str, tuple[float, float]] = {
    "completion.iterations": (0, 8),
    "completion.windowLines": (1, 500),
    "completion.slideLines": (1, 500),
    "completion.shiftLines": (0, 500),
    "completion.maxSnippets": (0, 100),
    "completion.snippetShare": (0, 0.9),
    "completion.suffixShare": (0, 0.5),
    "completion.promptTokens": (0, 1_000_000),
    "completion.maxNewTokens": (1, 4096),
    "completion.functionTokens": (0, 4096),
    "completion.timeBudgetMs": (50, 600_000),
    "completion.candidates": (1, 10),
    "completion.automaticCandidates": (1, 10),
    "index.maxFileBytes": (1, 1_000_000_000),
    "index.maxFiles": (0, 10_000_000),
    "index.maxMemoryBytes": (0, 1 << 50),
    "index.maxDiskBytes": (0, 1 << 50),
    "inference.threads": (0, 1024),
    "inference.gpuLayers": (-1, 10_000),
    "inference.contextTokens": (0, 10_000_000),
    "inference.microBatchTokens": (1, 4096),
    "inference.draftTokens": (0, 64),
    "inference.maxRestarts": (0, 1000),
    "inference.idleMinutes": (0, 100_000),
    "remote.timeoutMs": (100, 600_000),
    "remote.maxRetries": (0, 10),
    "lookup.maxMembers": (1, 1000),
    "generation.rounds": (1, 30),
    "generation.examples": (0, 20),
    "generation.decay": (0, 1),
    "generation.answerTokens": (50, 8_192),
    "generation.promptTokens": (200, 1_000_000),
    "generation.budgetTokens": (500, 10_000_000),
    "generation.budgetSeconds": (5, 3_600),
}
"""Both ends included."""

CHOICES: dict[str, tuple[str, ...]] = {
    "completion.findBy": ("both", "vectors", "words"),
    "inference.shared": ("auto", "always", "never"),
    "generation.mode": ("zero", "few", "acecoder", "rar", "evor"),
    "generation.preliminary": ("tests", "api", "signature", "none"),
}
"""The words that a text may be."""

WORDS: dict[str, tuple[str, ...]] = {
    "completion.filters": (*FILTERS, *(f"-{name}" for name in FILTERS)),
    "completion.priors": tuple(PRIORS),
}
"""The words that a list may hold."""

FORMER: dict[str, dict[bool, str]] = {"inference.shared": {True: "always", False: "never"}}
"""What settings that were switches once are called now."""

KINDS: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple: "a list of texts",
}
"""How each type of field is called."""


def camel(name: str) -> str:
    """``time_budget_ms`` -> ``timeBudgetMs``."""
    head, *rest = name.split("_")
    return head + "".join(map(str.capitalize, rest))


def settings_object(raw: object) -> dict[str, Any] | None:
    """The settings in what an editor sent, as nested objects; None if there are none.

    They come bare or under ``bowerbird``, nested or with dotted keys, and Lua's empty table is a list.
    """
    if raw == []:
        return {}
    if not isinstance(raw, Mapping):
        return None
    if SECTION in raw:
        inner = raw[SECTION]
        return {SECTION: inner} if _is_wrong_object(inner) else settings_object(inner)
    dotted = {key: value for key, value in raw.items() if key.startswith(f"{SECTION}.")}
    if dotted:
        raw = {key.removeprefix(f"{SECTION}."): value for key, value in dotted.items()}
    return _nested(raw)


def overlay(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """`above` on `below`, objects merged; a null above leaves what is below."""
    merged = dict(below)
    for key, value in above.items():
        if isinstance(value, Mapping) and isinstance(merged.get(key), Mapping):
            merged[key] = overlay(merged[key], value)
        elif value is not None or key not in merged:
            merged[key] = value
    return merged


def read_settings(raw: Mapping[str, Any]) -> tuple[Settings, list[str]]:
    """The settings, and a sentence for each thing that is wrong with `raw`, a result of `settings_object`."""
    problems: list[str] = []
    settings = Settings()
    sections: dict[str, Any] = {section.name: getattr(settings, section.name) for section in fields(settings)}
    names = [f"{part}.{camel(item.name)}" for part, default in sections.items() for item in fields(default)]
    if _is_wrong_object(whole := raw.get(SECTION)):
        problems.append(f"{SECTION} must be an object of settings, not {_shown(whole)}; it is ignored.")
    for part, default in sections.items():
        given = raw.get(part)
        if given is None or given == []:
            continue
        if _is_wrong_object(given):
            problems.append(f"{part} must be an object of settings, not {_shown(given)}; it is ignored.")
            continue
        values = {}
        for item in fields(default):
            if given.get(camel(item.name)) is not None:
                name = f"{part}.{camel(item.name)}"
                values[item.name] = _value(
                    name, given[camel(item.name)], getattr(default, item.name), problems
                )
        known = {camel(item.name) for item in fields(default)}
        problems += [_unknown(f"{part}.{key}", names) for key in given if key not in known]
        sections[part] = replace(default, **values)
    problems += [_unknown(key, names) for key in raw if key not in (*sections, *CLIENT_KEYS, SECTION)]
    completion = sections["completion"]
    if completion.slide_lines > completion.window_lines:
        problems.append(
            f"completion.slideLines ({completion.slide_lines}) is more than completion.windowLines "
            f"({completion.window_lines}), so lines would be skipped; {completion.window_lines} is used."
        )
        sections["completion"] = replace(completion, slide_lines=completion.window_lines)
    return Settings(**sections), problems


def is_trusted(initialization_options: object) -> tuple[bool, list[str]]:
    """May the model run here? Only the start options can say no or yes; a workspace's own settings cannot.

    What is neither true nor false counts as no.
    """
    levels = (initialization_options, settings_object(initialization_options))
    answers = [level["trusted"] for level in levels if isinstance(level, Mapping) and "trusted" in level]
    wrong = [answer for answer in answers if not isinstance(answer, bool)]
    if wrong:
        return False, [
            f"trusted must be true or false, not {_shown(wrong[0])}; the folder counts as not trusted."
        ]
    return all(answers), []


def _is_wrong_object(value: object) -> bool:
    return not (value is None or value == [] or isinstance(value, Mapping))


def _nested(raw: Mapping[str, Any]) -> dict[str, Any]:
    """``{"a.b": 1, "a": {"c": 2}}`` -> ``{"a": {"b": 1, "c": 2}}``."""
    nested: dict[str, Any] = {}
    for key, value in raw.items():
        inner = _nested(value) if isinstance(value, Mapping) else value
        for name in reversed(key.split(".")):
            inner = {name: inner}
        nested = overlay(nested, inner)
    return nested


def _value(name: str, given: Any, default: Any, problems: list[str]) -> Any:
    """`given` in the field's type, else the default and a problem more."""
    kind = type(default)
    if kind is tuple and isinstance(given, list) and all(isinstance(item, str) for item in given):
        return _words(name, given, problems)
    if kind is float and type(given) is int and abs(given) < LARGEST_WHOLE_FLOAT:
        given = float(given)
    elif kind is int and type(given) is float and given.is_integer():
        given = int(given)  # some editors know one kind of number
    elif kind is str and type(given) is bool and name in FORMER:
        given = FORMER[name][given]
    if type(given) is not kind:
        problems.append(f"{name} must be {KINDS[kind]}, not {_shown(given)}; {_shown(default)} is used.")
        return default
    if given not in CHOICES.get(name, (given,)):
        words = ", ".join(CHOICES[name])
        problems.append(f"{name} must be one of {words}, not {_shown(given)}; {_shown(default)} is used.")
        return default
    low, high = LIMITS.get(name, (given, given))
    if kind in (int, float) and not low <= given <= high:
        problems.append(
            f"{name} must be from {low:,} to {high:,}, not {_shown(given)}; {_shown(default)} is used."
        )
        return default
    return given


def _words(name: str, given: list[str], problems: list[str]) -> tuple[str, ...]:
    """The list without what means nothing, and a problem more for each of these."""
    words = WORDS.get(name)
    if words is None:
        return tuple(given)
    for unknown in (word for word in given if word not in words):
        close = get_close_matches(unknown, words, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(words)}."
        problems.append(f"{name} holds {_shown(unknown)}, which is left out; {hint}")
    return tuple(word for word in given if word in words)


def _unknown(name: str, names: list[str]) -> str:
    last = {known.rpartition(".")[2].lower(): known for known in names}
    bare = name.rpartition(".")[2].replace("_", "").lower()
    close = get_close_matches(name, names, n=1, cutoff=0.75)
    close = close or [last[match] for match in get_close_matches(bare, last, n=1, cutoff=0.75)]
    hint = f"; did you mean {close[0]}?" if close else "; it is ignored."
    return f"{name} is not a setting of Bowerbird{hint}"


def _shown(value: Any) -> str:
    text = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
