"""Which blocks are open at a cursor, which of them end behind it, and where a continuation leaves them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from bowerbird.syntax.lexis import Token, tokens, tokens_before, unfinished_token

FARTHEST = 200_000  # characters to each side of the cursor; further off nothing is looked at


@dataclass(frozen=True, slots=True)
class Frame:
    """A block or bracket that is open at the cursor."""

    closes: tuple[str, ...]
    """What may end it, the usual word first."""
    start: int
    """Where in the prefix it begins."""
    closed_at: int | None
    """Where in the suffix it ends already, or None."""

    @property
    def is_bracket(self) -> bool:
        """A bracket, not a word."""
        return not self.closes[0].isalpha()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the cursor stands in."""

    frames: tuple[Frame, ...]
    """Outermost first."""
    line_start: int
    """Where in the prefix the cursor's line begins."""
    carried: str
    """The end of the prefix from where a continuation must be read: its line, or an unfinished string."""

    @property
    def above(self) -> int:
        """How many of `frames` began above the cursor's line."""
        return sum(frame.start < self.line_start for frame in self.frames)


@dataclass(frozen=True, slots=True)
class Closing:
    """Where a continuation closes what it did not open."""

    start: int
    end: int
    """In the continuation."""
    frame: int | None
    """Number in `Surroundings.frames` of what it closes; None where nothing was open."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a continuation, and what is open where it begins and ends."""

    start: int
    end: int
    in_token: bool
    """It begins within a string or comment."""
    depth: int
    """Blocks of the continuation itself that are open at its start."""
    opens: bool
    """Something that begins in it is open where it ends."""
    left: int
    """Frames of the surroundings that are open where it ends."""


@dataclass(frozen=True, slots=True)
class Course:
    """A continuation, read through."""

    lines: tuple[Line, ...]
    closings: tuple[Closing, ...]
    opened: tuple[tuple[str, ...], ...]
    """What may end the blocks that it leaves open, outermost first."""
    remaining: int
    """Frames of the surroundings that are still open at its end."""
    in_comment: bool
    """It ends within a comment."""


@lru_cache(maxsize=4)  # every filter of one completion asks
def surroundings(prefix: str, suffix: str, language: str | None) -> Surroundings:
    """What the cursor between `prefix` and `suffix` stands in."""
    first = prefix.find("\n", len(prefix) - FARTHEST) + 1 if len(prefix) > FARTHEST else 0
    near = prefix[first:]
    stack: list[tuple[tuple[str, ...], int]] = []
    for token in tokens_before(near, language):
        if token.kind == "open":
            stack.append((token.closes, first + token.start))
        elif token.kind == "close":
            at = _opener([closes for closes, _ in stack], token.text)
            if at is not None:
                del stack[at:]
    unfinished = unfinished_token(near, language)
    line_start = prefix.rfind("\n") + 1
    carried = prefix[min(line_start, first + unfinished.start if unfinished else line_start) :]
    unmatched = _unmatched(carried, suffix[:FARTHEST], language)
    closers = [(token.text, start) for token, start in islice(unmatched, len(stack))]
    ends = _pair([closes for closes, _ in stack], closers)
    frames = tuple(Frame(closes, start, ends.get(at)) for at, (closes, start) in enumerate(stack))
    return Surroundings(frames, line_start, carried)


@lru_cache(maxsize=32)
def follow(text: str, around: Surroundings, language: str | None) -> Course:
    """Read the continuation `text` of a prefix with these `around`."""
    own: list[tuple[str, ...]] = []
    remaining = left = len(around.frames)
    closings: list[Closing] = []
    lines: list[Line] = []
    found = list(_tokens_behind(around.carried, text, language))
    reopening: set[int] = set()
    at, token_end, in_comment = 0, 0, False
    for line_start, line_end in _lines(text):
        depth, in_token = len(own), token_end > line_start
        for token, start, end in found[at:]:
            if start >= max(line_end, 1):
                break
            at += 1
            if token.kind in ("comment", "string"):
                token_end = end
                in_comment = token.kind == "comment" and end == len(text)
            elif token.kind == "open":
                if start not in reopening:
                    own.append(token.closes)
            elif (opener := _opener(own, token.text)) is not None:
                del own[opener:]
            else:
                frame = _opener([one.closes for one in around.frames[:remaining]], token.text)
                again = None if frame is None else _reopened(found, start, around.frames[frame].closes, text)
                if again is not None:
                    reopening.add(again)
                else:
                    closings.append(Closing(start, end, frame))
                    remaining = remaining if frame is None else frame
        left = min(left, remaining)
        lines.append(Line(line_start, line_end, in_token, depth, len(own) > depth, left))
    return Course(tuple(lines), tuple(closings), tuple(own), remaining, in_comment)


def missing_ends(course: Course, around: Surroundings) -> tuple[str, ...]:
    """What must be written behind a continuation so that everything open is closed, innermost first."""
    of_frames = [frame.closes[0] for frame in around.frames[: course.remaining] if frame.closed_at is None]
    return tuple(reversed([*of_frames, *(closes[0] for closes in course.opened)]))


def _opener(stack: Sequence[tuple[str, ...]], word: str) -> int | None:
    """The innermost of `stack` that `word` may end."""
    return next((at for at in range(len(stack) - 1, -1, -1) if word in stack[at]), None)


def _pair(stack: Sequence[tuple[str, ...]], closers: Sequence[tuple[str, int]]) -> dict[int, int]:
    """Which of `stack` (outermost first) are ended by which of `closers` (innermost first, at most as many).

    Where closers are missing, what was begun last is taken for unfinished: it is being written.
    """
    ends: dict[int, int] = {}
    if len(closers) == len(stack):
        pairs = zip(range(len(stack) - 1, -1, -1), closers, strict=True)
        return {at: start for at, (word, start) in pairs if word in stack[at]}
    left = list(closers)
    for at, closes in enumerate(stack):
        if left and left[-1][0] in closes:
            ends[at] = left.pop()[1]
    return ends


def _unmatched(carried: str, text: str, language: str | None) -> Iterator[tuple[Token, int]]:
    """The closers of `text` whose openers stand before it."""
    own: list[tuple[str, ...]] = []
    for token, start, _ in _tokens_behind(carried, text, language):
        if token.kind == "open":
            own.append(token.closes)
        elif token.kind == "close":
            at = _opener(own, token.text)
            if at is None:
                yield token, start
            else:
                del own[at:]


def _tokens_behind(carried: str, text: str, language: str | None) -> Iterator[tuple[Token, int, int]]:
    """The tokens of `text`, which stands behind `carried`, with their places in `text`."""
    for token in tokens(carried + text, language):
        end = token.end - len(carried)
        if end > 0 or (token.kind == "comment" and not end and carried):
            yield token, max(0, token.start - len(carried)), max(0, end)


def _reopened(
    found: Sequence[tuple[Token, int, int]], closed_at: int, closes: tuple[str, ...], text: str
) -> int | None:
    """Where the line of a closing opens such a block again and leaves it open, as ``} else {`` does."""
    opened: list[int] = []
    for token, start, _ in found:
        if start > closed_at:
            if "\n" in text[closed_at:start]:
                break
            if token.kind == "open" and token.closes == closes:
                opened.append(start)
            elif token.kind == "close" and token.text in closes:
                if not opened:
                    return None
                opened.pop()
    return opened[0] if opened else None


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def string_end(text: str, around: Surroundings, language: str | None) -> tuple[int, int] | None:
    """Where in the continuation the quote stands that ends the string around the cursor, or None."""
    size = len(around.carried)
    for token in tokens(around.carried + text, language):
        if token.kind == "string" and token.start < size < token.end:
            begun = around.carried[token.start :].lstrip("rRbBfFuU#")
            quote = begun[:3] if begun[:3] in ('"""', "'''") else begun[:1]
            end = token.end - size
            if quote and len(quote) <= end and text[:end].endswith(quote):
                return end - len(quote), end
    return None
