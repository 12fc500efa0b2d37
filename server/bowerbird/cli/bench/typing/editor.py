"""An editor without a screen that behaves while somebody types as the real one does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from bowerbird.cli.bench.typing.traces import State, Step, place_of
from bowerbird.lsp.session import Editor
from bowerbird.text import Position


@dataclass(frozen=True, slots=True)
class Habit:
    """How an editor asks for completions."""

    name: str
    """As it tells the server."""
    debounce_ms: tuple[float, float]
    """It asks so long after a key, by chance between the two; another key begins that anew."""
    cancels: bool
    """Withdraws a request when the next key is pressed."""


EDITORS: Mapping[str, Habit] = {
    "vscode": Habit("Visual Studio Code", (0, 50), True),
    "neovim": Habit("Neovim", (200, 200), False),
}


@dataclass(slots=True)
class Asked:
    """One request."""

    place: tuple[int, int]
    """The cursor's line and column."""
    key_s: float
    """When the key before it was pressed."""
    sent_s: float
    answered_s: float = 0.0
    """0 while there is no answer; a request that was withdrawn or superseded has none."""
    text: str = ""
    """What was shown; empty for nothing."""
    trace: dict[str, Any] | None = None
    """What the server says of it."""

    @property
    def wall_ms(self) -> float:
        """As the editor sees it."""
        return (self.answered_s - self.sent_s) * 1000

    @property
    def felt_ms(self) -> float:
        """From the key, with the editor's own debounce."""
        return (self.answered_s - self.key_s) * 1000


@dataclass(frozen=True, slots=True)
class Ghost:
    """What is on show."""

    text: str
    """What is left to say behind the cursor."""
    behind: int
    """Characters behind the cursor that it takes the place of."""

    def typed(self, text: str) -> Ghost | None:
        """What is left on show after `text` was typed at the cursor."""
        rest = self.text.removeprefix(text)
        return Ghost(rest, self.behind) if text and rest and self.text.startswith(text) else None


class ReplayEditor:
    """One document on the screen."""

    def __init__(self, editor: Editor, habit: Habit, uri: str, begin: State, seed: str) -> None:
        self.editor = editor
        self.habit = habit
        self.uri = uri
        self.state = begin
        self.ghost: Ghost | None = None
        self.asked: list[Asked] = []
        self._key_s = 0.0
        self._random = Random(seed)
        self._asking: asyncio.Task[None] | None = None
        self._pending: str | None = None
        """The request that has no answer yet."""
        self._answers: set[asyncio.Task[None]] = set()

    def press(self, step: Step) -> None:
        """A key of the recording."""
        before = self.state
        ghost, self.ghost = self.ghost, None
        self._become(step.apply(before), step.edit)
        if step.edit is not None and step.edit[:2] == (before.cursor, before.cursor):
            typed = step.edit[2][: self.state.cursor - before.cursor]
            self.ghost = ghost and ghost.typed(typed)

    def accepted(self, lines: int | None = None) -> State:
        """The document as if so many lines of what is on show were taken; None takes all."""
        assert self.ghost is not None
        text, cursor = self.state.text, self.state.cursor
        taken = self.ghost.text
        if lines is not None:
            taken = "\n".join(taken.split("\n")[:lines])
        behind = self.ghost.behind if taken == self.ghost.text else 0
        return State(text[:cursor] + taken + text[cursor + behind :], cursor + len(taken))

    def become(self, state: State) -> None:
        """Take what is on show, or undo it, by one key."""
        old, new = self.state.text, state.text
        head = 0
        while head < min(len(old), len(new)) and old[head] == new[head]:
            head += 1
        tail = 0
        while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
            tail += 1
        self.ghost = None
        self._become(state, (head, len(old) - tail, new[head : len(new) - tail]))

    async def settle(self) -> None:
        """Wait for all answers."""
        if self._asking is not None:
            await asyncio.wait([self._asking])
        if self._answers:
            await asyncio.wait(self._answers)

    def _become(self, state: State, edit: tuple[int, int, str] | None) -> None:
        old, self.state = self.state.text, state
        self._key_s = time.perf_counter()
        if edit is not None:
            start, end = (Position(*place_of(old, offset)) for offset in edit[:2])
            self.editor.type_into(self.uri, start, end, edit[2])
        if self._pending is not None and self.habit.cancels:
            self.editor.withdraw(self._pending)
            self._pending = None
        if self._asking is not None:
            self._asking.cancel()
        self._asking = asyncio.create_task(self._ask())

    async def _ask(self) -> None:
        await asyncio.sleep(self._random.uniform(*self.habit.debounce_ms) / 1000)
        asked = Asked(self.state.place, self._key_s, time.perf_counter())
        self.asked.append(asked)
        name = self._pending = f"{self.uri} {len(self.asked)}"
        answer = self.editor.ask(self.uri, Position(*asked.place), name)
        task = asyncio.create_task(self._hear(name, asked, self.state, answer))
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)

    async def _hear(self, name: str, asked: Asked, state: State, answer: Any) -> None:
        try:
            items = (await answer).items
        except Exception:  # withdrawn or superseded
            return
        finally:
            if self._pending == name:
                self._pending = None
        asked.answered_s = time.perf_counter()
        ghost = _ghost(items[0], state) if items else None
        asked.text = ghost.text if ghost else ""
        if self.state == state:
            self.ghost = ghost


def _ghost(item: Any, state: State) -> Ghost | None:
    """What an item shows at the cursor; None where it changes what stands before it, which is never drawn."""
    line, column = state.place
    begin = state.cursor - column
    if item.range.start.line != line:
        return None
    written = state.text[begin + item.range.start.character : state.cursor]
    if not item.insert_text.startswith(written):
        return None
    return Ghost(item.insert_text.removeprefix(written), max(0, item.range.end.character - column))
