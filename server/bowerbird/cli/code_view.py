"""Code with a completion in it, for terminals."""

from __future__ import annotations

from rich.text import Text

from bowerbird.text import Position

LINES_BEFORE = 8
LINES_BEHIND = 2


def code_view(text: str, position: Position, completion: str) -> Text:
    """The lines around `position` with their numbers; the completion stands out."""
    lines = text.split("\n")
    first = max(0, position.line - LINES_BEFORE)
    width = len(str(position.line + 1 + LINES_BEHIND))
    view = Text()
    for number in range(first, position.line):
        view.append(f"{number + 1:>{width}}  ", style="dim").append(f"{lines[number]}\n")
    here = lines[position.line]
    view.append(f"{position.line + 1:>{width}}  ", style="dim").append(here[: position.column])
    written = completion.split("\n")
    for index, line in enumerate(written):
        view.append(line, style="bold green")
        if index < len(written) - 1:
            view.append("\n" + " " * (width + 2))
    view.append(here[position.column :], style="dim")
    for number in range(position.line + 1, min(len(lines), position.line + 1 + LINES_BEHIND)):
        view.append(f"\n{number + 1:>{width}}  {lines[number]}", style="dim")
    return view
