"""What the status says, and what the user is told."""

from typing import Any

import pytest

from bowerbird.lsp.status import ACTIONABLE, State, Status, StatusLine
from bowerbird.trace import SENTENCES, Reason


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (Status(), State.READY),
        (Status(indexing=True, generating=True), State.GENERATING),
        (Status(indexing=True), State.INDEXING),
        (Status(indexing=True, reason=Reason.MODEL_MISSING), State.INDEXING),
        (Status(paused=Reason.DISABLED, reason=Reason.MODEL_MISSING), State.PAUSED),
        (Status(reason=Reason.MODEL_MISSING), State.ERROR),
        (Status(reason=Reason.INTERNAL), State.ERROR),
        (Status(reason=Reason.EMPTY), State.READY),
    ],
)
def test_one_word_for_it_all(status: Status, state: State) -> None:
    """What the user would want to know first comes first."""
    assert status.state is state


def test_a_pause_explains_itself() -> None:
    """While nothing is completed at all, the reason is the pause's and not that of the last answer."""
    told = Status(paused=Reason.UNTRUSTED, reason=Reason.OK, message="fine").as_json()
    assert (told["reason"], told["message"]) == ("untrusted", SENTENCES[Reason.UNTRUSTED])


def test_the_same_is_not_told_twice() -> None:
    """Only what is new is sent."""
    told: list[Any] = []
    line = StatusLine(told.append, lambda _: None)
    line.update(files=3)
    line.update(files=3)
    line.update(latency_ms=4)
    assert [(each["files"], each["latencyMs"]) for each in told] == [(3, None), (3, 4)]


@pytest.mark.parametrize("reason", ACTIONABLE)
def test_what_the_user_can_mend_is_told_once_until_it_is_mended(reason: Reason) -> None:
    """The same sentence is not repeated at each key; a success between makes it new."""
    warned: list[str] = []
    line = StatusLine(lambda _: None, warned.append)
    for _ in range(3):
        line.conclude(reason, "There is no model file x.gguf.")
    line.conclude(Reason.CANCELLED)
    line.conclude(reason, "There is no model file x.gguf.")
    assert warned == ["There is no model file x.gguf."]
    line.conclude(Reason.OK)
    line.conclude(reason)
    assert warned[1:] == [SENTENCES[reason]]


@pytest.mark.parametrize("reason", sorted(set(Reason) - set(ACTIONABLE)))
def test_the_rest_is_not_popped_up(reason: Reason) -> None:
    """Empty answers, cancellations and our own faults are for the status and the log."""
    warned: list[str] = []
    StatusLine(lambda _: None, warned.append).conclude(reason)
    assert warned == []


def test_what_is_wrong_beside_an_answer_is_mentioned_once_until_it_is_right_again() -> None:
    """Such as a server that is down while the built-in model stands in: the status goes on saying it."""
    warned: list[str] = []
    line = StatusLine(lambda _: None, warned.append)
    for _ in range(3):
        line.conclude(Reason.OK)
        line.mention("The server does not answer.")
        assert line.now.message == "The server does not answer."
    assert warned == ["The server does not answer."]
    assert line.now.state is State.READY
    line.conclude(Reason.OK)
    line.mention("")
    assert line.now.message == SENTENCES[Reason.OK]
    line.mention("The server does not answer.")
    assert len(warned) == 2
