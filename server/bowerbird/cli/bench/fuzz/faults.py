"""What was found: counts, and each fault with what it takes to see it again."""

from __future__ import annotations

from dataclasses import dataclass, field

STORY_BYTES = 3000
KEPT_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong."""

    what: str
    seed: int
    conversation: int
    """The one in which it was noticed, from 0."""
    encoding: str
    """Which columns it counted in."""
    replay: str
    """The command that holds this conversation alone."""
    replay_all: str
    """The same with all that this server had heard before."""

    def __str__(self) -> str:
        where = f"seed {self.seed}, conversation {self.conversation}, {self.encoding}"
        return f"{where}: {self.what}\n  alone: {self.replay}\n  with all before it: {self.replay_all}"


@dataclass(slots=True)
class Fuzzed:
    """What came of it."""

    conversations: int = 0
    moves: int = 0
    requests: int = 0
    crashes: int = 0
    """Of the model's process, which was killed."""
    servers: int = 0
    seconds: float = 0.0
    faults: list[Fault] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Block:
    """The conversations of one server's process."""

    seed: int
    first: int
    last: int
    """Not included."""
    per_server: int
    encoding: str

    def fault(self, conversation: int, what: str) -> Fault:
        """A fault in a conversation of this block."""
        return Fault(
            what,
            self.seed,
            conversation,
            self.encoding,
            self._command(conversation, 1),
            self._command(self.first, conversation - self.first + 1),
        )

    def _command(self, first: int, count: int) -> str:
        return (
            f"bowerbird bench fuzz --seed {self.seed} --first {first} --conversations {count} "
            f"--per-server {self.per_server}"
        )


class Log:
    """What a server wrote to stderr, from its beginning, and not for ever."""

    def __init__(self) -> None:
        self.taken = 0
        """Bytes, also those that are gone."""
        self._kept = bytearray()

    def add(self, data: bytes) -> None:
        """More of it; the oldest makes room."""
        self.taken += len(data)
        self._kept += data
        del self._kept[: max(0, len(self._kept) - KEPT_BYTES)]

    def since(self, mark: int) -> bytes:
        """What was written since `taken` was `mark`, if it is still there."""
        return bytes(self._kept[max(0, len(self._kept) - (self.taken - mark)) :])

    def end(self) -> str:
        """What was written last."""
        return self._kept[-STORY_BYTES:].decode(errors="replace")


def story(text: bytes) -> str:
    """The beginning of something that a server wrote."""
    return text[:STORY_BYTES].decode(errors="replace")
