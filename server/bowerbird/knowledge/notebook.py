"""A notebook read as one document: the cells of one language in order, notes as comments.

What is no code of that language must not break its parsing: IPython's magics become comments, cells of
other languages and raw cells are left out. Lines are never added or lost inside a cell.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bowerbird.syntax.languages import LANGUAGES, language_of
from bowerbird.syntax.lexis import tokens
from bowerbird.text import normalize_line_ends

SUFFIX = ".ipynb"
NOTES = "markdown"
GAP = "\n\n"
"""Between two cells: a blank line."""

CELL_LANGUAGES = {
    **dict.fromkeys(("bash", "sh", "script", "system", "sx", "!"), "shell"),
    **dict.fromkeys(("javascript", "js"), "javascript"),
    **dict.fromkeys(("html", "HTML", "svg", "SVG"), "html"),
    **dict.fromkeys(("sql", "bigquery", "spark_sql"), "sql"),
    **{name: name.lower() for name in ("markdown", "latex", "perl", "ruby", "R", "julia")},
    **dict.fromkeys(("time", "timeit", "capture", "prun", "python", "python3", "debug", "memit"), "python"),
}
"""What stands below a cell's magic."""

FILE_MAGICS = ("writefile", "file")
"""They write the cell to the file that they name."""

_CELL_MAGIC = re.compile(r"\s*%%(!|\w+)[ \t]*(.*)")
_MAGIC = re.compile(r"([ \t]*)((?:%{1,2}\w|!|\?[\w*]).*|[\w.*]+\?{1,2}[ \t]*)")
_ASSIGNED = re.compile(r"([ \t]*[\w., ]+=[ \t]*)([%!]\w.*)")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell as it stands in the notebook."""

    text: str
    """Line ends as ``\\n``."""
    language: str | None
    """A key in `LANGUAGES`; None for a raw cell and for languages that are not known."""


def language_here(cell: Cell) -> str | None:
    """The language that the cell is written in, which its first line may say: ``%%bash``."""
    magic = _CELL_MAGIC.match(cell.text) if cell.language == "python" else None
    if magic is None:
        return cell.language
    if magic[1] in FILE_MAGICS:
        return language_of(Path(magic[2].split()[-1])) if magic[2].split() else None
    return CELL_LANGUAGES.get(magic[1])


def above(cells: Iterable[Cell], language: str | None) -> str:
    """What a cell in `language` has above it, up to its own first line."""
    return "".join(text + GAP for text in _shown(cells, language))


def below(cells: Iterable[Cell], language: str | None) -> str:
    """What it has below, from the end of its own text on."""
    return "".join(GAP + text for text in _shown(cells, language))


def joined(cells: Iterable[Cell], language: str | None) -> str:
    """The notebook as one document in `language`."""
    return GAP.join(_shown(cells, language)) + "\n"


def main_language(cells: Iterable[Cell]) -> str | None:
    """The language of most code cells, of equals the first; None without any."""
    counted = Counter(cell.language for cell in cells if cell.language not in (None, NOTES))
    return counted.most_common(1)[0][0] if counted else None


@lru_cache(maxsize=1000)
def plain_code(cell: Cell) -> str:
    """The cell's text without what its language does not know, line for line."""
    language = language_here(cell)
    if cell.language != "python" or language is None:
        return cell.text
    comment = LANGUAGES[language].comment
    lines = cell.text.split("\n")
    if language != "python":  # the rest is another language, magics and all
        return "\n".join([f"{comment} {lines[0]}".lstrip() if comment else "", *lines[1:]])
    if not any(mark in cell.text for mark in "%!?"):
        return cell.text
    inside = _lines_in_strings(cell.text)
    return "\n".join(line if n in inside else _without_magic(line) for n, line in enumerate(lines))


def read_notebook(content: str) -> tuple[str, str | None] | None:
    """The text and the language of a notebook's file (nbformat 3 and 4), outputs left out.

    None where `content` is no notebook.
    """
    try:
        notebook = json.loads(content)
        sheets = notebook.get("worksheets") or [notebook]
        metadata = notebook.get("metadata") or {}
        named = (metadata.get("kernelspec") or {}).get("language") or (
            metadata.get("language_info") or {}
        ).get("name", "python")
        language = language_of(None, str(named).lower())
        cells = [_cell(cell, language) for sheet in sheets for cell in sheet["cells"]]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return joined(cells, language), language


def _cell(raw: dict[str, object], language: str | None) -> Cell:
    kind = raw["cell_type"]
    source = raw.get("source", raw.get("input", ""))
    text = source if isinstance(source, str) else "".join(source)  # type: ignore[arg-type]
    return Cell(normalize_line_ends(text), {"code": language, "markdown": NOTES}.get(str(kind)))


def _shown(cells: Iterable[Cell], language: str | None) -> list[str]:
    return [text for cell in cells if (text := _as_seen_from(cell, language).strip("\n"))]


def _as_seen_from(cell: Cell, language: str | None) -> str:
    here = language_here(cell)
    if here is None or language is None:
        return ""
    if here == language:
        return plain_code(cell)
    comment = LANGUAGES[language].comment
    if here != NOTES or not comment:
        return ""
    return "\n".join(f"{comment} {line}".rstrip() for line in cell.text.strip().split("\n"))


def _without_magic(line: str) -> str:
    if (assigned := _ASSIGNED.fullmatch(line)) is not None:
        return f"{assigned[1]}None  # {assigned[2]}"
    if (magic := _MAGIC.fullmatch(line)) is None:
        return line
    return f"{magic[1]}pass  # {magic[2]}" if magic[1] else f"# {magic[2]}"  # a block needs a statement


def _lines_in_strings(text: str) -> set[int]:
    """Lines that begin inside a string; ``%s`` there is no magic."""
    inside: set[int] = set()
    for token in tokens(text, "python"):
        if token.kind == "string" and "\n" in text[token.start : token.end]:
            first = text.count("\n", 0, token.start)
            inside.update(range(first + 1, first + 1 + text.count("\n", token.start, token.end)))
    return inside
