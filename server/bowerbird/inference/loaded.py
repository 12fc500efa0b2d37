"""What a loaded model is, and what state an engine is in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bowerbird.inference.chat import LONGEST_TEMPLATE, ChatTemplate
from bowerbird.inference.fim import FimTemplate, Tokens, choose_template


class EngineState(StrEnum):
    """For the status notification and `doctor`."""

    IDLE = "idle"
    """Not started: the first use starts it."""
    LOADING = "loading"
    READY = "ready"
    BUSY = "busy"
    """Writing."""
    DOWN = "down"
    """The last start failed, or there were too many crashes; `problem` says it."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model that is ready to write."""

    name: str
    """As its metadata has it, else the file's name."""
    path: str
    """The file, or the server's URL."""
    description: str
    """Architecture, size and quantisation."""
    context_tokens: int
    """Tokens of a prompt and its continuation at most."""
    trained_tokens: int
    """The context that it was trained for; 0 if unknown."""
    vocabulary_tokens: int
    template: FimTemplate
    """How prompts are made for it."""
    parameters: int = 0
    """How many the model has; 0 if unknown."""
    chat: ChatTemplate | None = None
    """How conversations are made for it; None for a model that only continues texts."""
    prompt_form: str = ""
    """The metadata's ``bowerbird.prompt_form``, "" if there is none."""
    notes: tuple[str, ...] = ()
    """Sentences on what does not fit together; the model works all the same."""


def tokens_of(report: Mapping[str, Any]) -> Tokens:
    """The vocabulary in the message `loaded` of the model's process."""
    return Tokens(
        roles=report["roles"],
        known=report["known"],
        texts={int(token): str(text) for token, text in report["texts"]},
        add_bos=bool(report["add_bos"]),
        space_prefix=bool(report["space_prefix"]),
    )


def loaded_model(report: Mapping[str, Any], path: str, wanted_context_tokens: int) -> LoadedModel:
    """The model that the message `loaded` describes. `wanted_context_tokens` is the setting, 0 for none."""
    name = report["name"] or path.replace("\\", "/").rpartition("/")[2]
    template, notes = choose_template(
        tokens_of(report), f"{name} {report['architecture']}", report["prompt_form"]
    )
    if wanted_context_tokens > report["context_tokens"]:
        notes += (
            f"The model was trained for {report['trained_tokens']:,} tokens; "
            f"a context of {wanted_context_tokens:,} would not make it read more.",
        )
    return LoadedModel(
        name=name,
        path=path,
        description=report["description"].replace("?B", f"{report['parameters'] / 1e6:.1f}M"),
        context_tokens=report["context_tokens"],
        trained_tokens=report["trained_tokens"],
        vocabulary_tokens=report["vocabulary_tokens"],
        template=template,
        parameters=report["parameters"],
        chat=_chat_of(report),
        prompt_form=report["prompt_form"],
        notes=notes,
    )


def _chat_of(report: Mapping[str, Any]) -> ChatTemplate | None:
    text = str(report.get("chat_template", ""))
    if not text.strip() or len(text) > LONGEST_TEMPLATE:
        return None
    return ChatTemplate(text, str(report.get("bos_text", "")), str(report.get("eos_text", "")))
