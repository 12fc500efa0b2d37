"""What the filters look at, and what they pass on."""

from __future__ import annotations

from dataclasses import dataclass

CLOSERS = frozenset(")]}\"'`;,")
"""What may stand behind a cursor without being more than the end of what stands before it."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Where a prediction was made, and how. Line ends are ``\\n``."""

    prefix: str
    suffix: str
    stopped: str
    """Why the model stopped: ``end``, ``length``, ``time``."""
    language: str | None = None
    """Key in `syntax.languages.LANGUAGES`."""
    indents_itself: bool = False
    """The model was not shown the white space before the cursor on a blank line: it writes its own."""
    may_replace: bool = False
    """The caller can replace what stands on the cursor's line before and behind the cursor."""

    @property
    def line_before(self) -> str:
        """What stands on the cursor's line before it."""
        return self.prefix[self.prefix.rfind("\n") + 1 :]

    @property
    def line_behind(self) -> str:
        """What stands on the cursor's line behind it."""
        return self.suffix.partition("\n")[0]

    @property
    def only_closers_behind(self) -> bool:
        """Such as an editor writes of its own: brackets and quotes, and perhaps the end of a statement."""
        behind = self.line_behind.strip()
        return bool(behind) and CLOSERS.issuperset(behind)

    def visible_lines_above(self, count: int) -> list[str]:
        """The last lines above the cursor's that are not blank, from the top."""
        above = self.prefix.rsplit("\n", 2 * count + 1)[1:-1] if "\n" in self.prefix else []
        if self.prefix.count("\n") <= 2 * count:
            above = self.prefix.split("\n")[:-1]
        return [line for line in above if line.strip()][-count:]

    def visible_lines_below(self, count: int) -> list[str]:
        """The first lines below the cursor's that are not blank."""
        below = self.suffix.split("\n", 2 * count + 1)[1 : 2 * count + 1]
        return [line for line in below if line.strip()][:count]


@dataclass(frozen=True, slots=True)
class Piece:
    """What is left of a prediction, and what it takes the place of."""

    text: str
    replaces_before: int = 0
    """Characters before the cursor, all on its line."""
    replaces_behind: int = 0
    """Characters behind the cursor, all on its line."""
