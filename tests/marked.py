"""Places in texts of tests."""

from bowerbird.text import Position


def marked(text: str) -> tuple[str, Position]:
    """A text whose place is marked by ``|``, without the mark, and the place."""
    before, _, behind = text.partition("|")
    return before + behind, Position(before.count("\n"), len(before.rpartition("\n")[2]))
