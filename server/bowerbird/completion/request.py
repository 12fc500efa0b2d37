"""What is asked of the completion engine, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bowerbird.inference.generator import Prompt
from bowerbird.inference.turns import Priority
from bowerbird.trace import Reason, Trace


class Mode(StrEnum):
    """How much retrieval: the methods that the paper compares (section 4.1)."""

    IN_FILE = "in-file"
    RAG = "rag"
    REPOCODER = "repocoder"
    ORACLE = "oracle"


@dataclass(frozen=True, slots=True)
class Request:
    """How to complete."""

    mode: Mode = Mode.REPOCODER
    iterations: int = 2
    """Rounds of retrieval and generation in mode `REPOCODER`; the other modes have one."""
    max_new_tokens: int = 64
    time_budget_ms: float | None = None
    """None sets no limit (benchmarks)."""
    truth: str = ""
    """The true continuation, from which the oracle makes its query."""
    editor: bool = True
    """Epochs, filters, and only lines in the prompt are hidden from retrieval. Off: the paper's order, the
    raw prediction, and nothing of the same file from the prompt's first line on."""
    whole_function: bool = False
    """Windows of 50 lines, as the paper has them for function bodies."""
    invoked: bool = False
    """By hand: answered by the model at once, never from what is remembered."""
    candidates: int = 1
    """Different completions wanted, to be cycled through; there may be fewer."""
    speculate: bool = False
    """Once an answer is shown, one decode may follow as if it had been accepted."""
    speculative: bool = False
    """This is that decode: the order of snippets is looked at and left as it is."""

    @property
    def priority(self) -> Priority:
        """How urgent its prompts are to the model."""
        if self.speculative:
            return Priority.SPECULATIVE
        return Priority.INVOKED if self.invoked else Priority.AUTOMATIC

    @property
    def rounds(self) -> int:
        """Iterations that will run at most."""
        return self.iterations if self.mode is Mode.REPOCODER else 1


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another completion for the same place; its fields are those of `Completion`."""

    text: str
    replaces_before: int = 0
    replaces_behind: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """What is shown, and all that led to it."""

    text: str
    """Empty when there is nothing to show; then `reason` says why."""
    prediction: str
    """What the model wrote last, untouched."""
    reason: Reason
    trace: Trace
    prompt: Prompt | None = None
    """The last prompt."""
    message: str = ""
    """A sentence beyond the reason's own, such as which file was not found."""
    replaces_before: int = 0
    """Characters before the cursor, all on its line, that `text` takes the place of."""
    replaces_behind: int = 0
    """Characters behind the cursor, all on its line, that `text` takes the place of."""
    others: tuple[Alternative, ...] = ()
    """Further candidates, the better first."""
