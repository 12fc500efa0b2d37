"""Filters that go by lines and letters alone."""

from __future__ import annotations

from bowerbird.completion.finish.draft import CLOSERS, Draft

END = ";"  # of the statement; where it stands already it is not written again
FEWEST_VISIBLE = 2  # a single character is typed faster than it is read


def unfinished_line(text: str, draft: Draft) -> str:
    """A prediction that was cut off keeps its whole lines; a single line that reached its length stays."""
    if draft.stopped == "end":
        return text
    head, line_break, _ = text.rpartition("\n")
    if draft.stopped == "time":
        return head
    return head if line_break and head.strip() else text


def within_line(text: str, draft: Draft) -> str:
    """Before other text on its line a completion has one line: what stands there goes on with that one."""
    behind = draft.line_behind.strip()
    if not behind or draft.only_closers_behind:
        return text
    first = text.partition("\n")[0]
    return first.rstrip().rstrip(END) if behind.endswith(END) and first.rstrip().endswith(END) else first


def trailing_space(text: str, draft: Draft) -> str:  # noqa: ARG001 - every filter has one shape
    """No white space at the end."""
    return text.rstrip()


def nothing_to_show(text: str, draft: Draft) -> str:  # noqa: ARG001
    """A single character, or what only closes, is no completion."""
    visible = "".join(text.split())
    return "" if len(visible) < FEWEST_VISIBLE or CLOSERS.issuperset(visible) else text
