"""What a remembered completion says at a later place, and the document with a completion in it."""

from __future__ import annotations

from dataclasses import replace

from bowerbird.completion.cache import Carried
from bowerbird.completion.finish import Draft, finished
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Completion

CHECKED_AGAIN = ("repeating-below", "overlapping", "closed-already", "trailing-space")
"""Filters that ask what stands around the cursor, which may have changed since a completion was made."""


def checked_again(carried: Carried, unfinished: UnfinishedCode) -> Completion | None:
    """A remembered completion at this place; None where nothing of it is left after checking it again."""
    completion = carried.completion
    source = completion.trace.carried or "cache"
    if not carried.typed:
        return replace(completion, trace=replace(completion.trace, carried=source))
    draft = Draft(unfinished.prefix, unfinished.suffix, "end", unfinished.language, may_replace=True)
    left = finished(carried.text, draft, CHECKED_AGAIN)
    if not left.text:
        return None
    trace = replace(
        completion.trace,
        line=unfinished.line + 1,
        column=unfinished.column + 1,
        text=left.text,
        carried=source,
    )
    return replace(
        completion,
        text=left.text,
        trace=trace,
        replaces_before=0,
        replaces_behind=left.replaces_behind,
        others=(),
    )


def as_if_accepted(unfinished: UnfinishedCode, completion: Completion) -> UnfinishedCode:
    """The document with the completion written into it, the cursor behind it."""
    kept = len(unfinished.prefix) - completion.replaces_before
    return replace(
        unfinished,
        prefix=unfinished.prefix[:kept] + completion.text,
        suffix=unfinished.suffix[completion.replaces_behind :],
    )
