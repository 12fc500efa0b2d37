"""Makes the traces from `scripts.txt`: real code, typed by a model of a human hand.

Run as ``python -m bowerbird.cli.bench.typing.record`` after the scripts have changed. A script is a document
with its cursor ``▮``, then what is typed. In it ``⏸`` is a pause for thought, ``⟪...⟫`` a slip that is erased
again, ``⇒...⇐`` a jump behind that text, and at ``✓`` whatever is on show is taken and undone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from bowerbird.cli.bench.typing.traces import FOLDER, SUFFIX, State, Step, Trace

PAIRS = {"(": ")", "[": "]", "{": "}", '"': '"', "`": "`"}
LEAST_MS, MOST_MS = 60, 300  # between two keys of a word
USUAL_MS, SPREAD = 105, 0.35  # of a lognormal distribution: a quick typist, about 90 words a minute
WORD_END, LINE_END = 1.4, 2.2  # times as long
THOUGHT_MS, THOUGHT_SPREAD = 1000, 0.45
LEAST_THOUGHT_MS, MOST_THOUGHT_MS = 500, 3000
LOOK_MS = 250  # in a pause of this length, as at a line's end, people look at what is on show
TOKENS = re.compile(r"⏸|✓|⟪(?P<slip>[^⟫]*)⟫|⇒(?P<jump>[^⇐]*)⇐|(?P<enter>\n[ \t]*)|(?P<key>.)")


class Hand:
    """Types into one document, in an editor that indents and closes brackets."""

    def __init__(self, name: str, state: State) -> None:
        self.state = state
        self.steps: list[Step] = []
        self._random = Random(name)
        self._now_ms = 0.0
        self._thinks = self._tests = False
        self._closed = 0
        """Closing brackets behind the cursor that the editor wrote."""

    def type(self, script: str) -> None:
        """Do what a script says."""
        for token in TOKENS.finditer(script):
            if token["slip"] is not None:
                for character in token["slip"]:
                    self._key(character)
                self._thinks = bool(self._random.getrandbits(1))
                for _ in token["slip"]:
                    self._edit(-1, 0, "")
            elif token["jump"] is not None:
                self._thinks = True
                self._edit(0, 0, "", self.state.text.index(token["jump"]) + len(token["jump"]))
                self._closed = 0
            elif token["enter"] is not None:
                self._enter(token["enter"])
            elif token["key"] is not None:
                self._key(token["key"])
            else:
                self._thinks = True
                self._tests = self._tests or token[0] == "✓"
        self._wait("\n")
        self._step(None, self.state.cursor)  # the last pause has an end

    def _key(self, character: str) -> None:
        behind = self.state.text[self.state.cursor :]
        if self._closed and behind.startswith(character) and character in PAIRS.values():
            self._closed -= 1
            self._edit(0, 0, "", self.state.cursor + 1)
        elif self._closed and character == "}" and behind.lstrip().startswith("}"):
            self._closed -= 1  # the arrow keys are quicker
            self._edit(0, 0, "", self.state.cursor + behind.index("}") + 1)
        elif character in PAIRS and not behind[:1].isalnum():
            self._closed += 1
            self._edit(0, 0, character + PAIRS[character], self.state.cursor + 1)
        else:
            self._edit(0, 0, character)

    def _enter(self, line_end: str) -> None:
        text, cursor = self.state.text, self.state.cursor
        if self._closed and text[cursor - 1 : cursor + 1] == "{}":
            line = text[text.rfind("\n", 0, cursor) + 1 : cursor]
            indent = line[: len(line) - len(line.lstrip())]
            self._edit(0, 0, f"{line_end}\n{indent}", cursor + len(line_end))
        elif self._closed and text[cursor:].startswith(line_end + "}"):
            self._edit(0, 0, "", cursor + len(line_end))
        else:
            self._edit(0, 0, line_end)

    def _edit(self, start: int, end: int, text: str, cursor: int | None = None) -> None:
        here = self.state.cursor
        self._wait(self.state.text[here - 1 : here])
        edit = (here + start, here + end, text) if text or start != end else None
        self._step(edit, here + start + len(text) if cursor is None else cursor)

    def _step(self, edit: tuple[int, int, str] | None, cursor: int) -> None:
        gap_ms = self._now_ms - (self.steps[-1].at_ms if self.steps else 0)
        look = gap_ms >= LOOK_MS and not self._tests
        step = Step(round(self._now_ms), edit, cursor, look, self._tests)
        self._tests = False
        self.steps.append(step)
        self.state = step.apply(self.state)

    def _wait(self, before: str) -> None:
        """Until the next key; `before` is the last character typed."""
        gap_ms = self._random.lognormvariate(0, SPREAD) * USUAL_MS
        gap_ms = min(MOST_MS, max(LEAST_MS, gap_ms))
        gap_ms *= LINE_END if before == "\n" else 1 if before.isalnum() else WORD_END
        if self._thinks:
            self._thinks = False
            thought_ms = self._random.lognormvariate(0, THOUGHT_SPREAD) * THOUGHT_MS
            gap_ms = min(MOST_THOUGHT_MS, max(LEAST_THOUGHT_MS, thought_ms))
        self._now_ms += gap_ms


def scripts() -> Iterator[tuple[str, str, str, str]]:
    """Each script: the document's name and language, its text with the cursor, and what is typed."""
    text = Path(__file__).with_name("scripts.txt").read_text(encoding="utf-8")
    for section in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        head, _, body = section.partition("\n")
        name, language = head.split()
        document, typed = body.split("\n---\n")
        yield name, language, document + "\n", typed.rstrip("\n")


def record() -> Iterator[tuple[str, Trace]]:
    """Each trace with its file's name; always the same."""
    for number, (name, language, document, typed) in enumerate(scripts(), start=1):
        before, _, behind = document.partition("▮")
        begin = State(before + behind, len(before))
        hand = Hand(name, begin)
        hand.type(typed)
        file = f"{number:02}-{name.replace('/', '-')}{SUFFIX}"
        yield file, Trace(name, language, begin, tuple(hand.steps))


def main() -> None:
    """Write the traces anew."""
    folder = Path(__file__).with_name(FOLDER)
    folder.mkdir(exist_ok=True)
    for file in folder.glob(f"*{SUFFIX}"):
        file.unlink()
    for name, trace in record():
        (folder / name).write_text(trace.dump(), encoding="utf-8")


if __name__ == "__main__":
    main()
