"""Power Query M: Microsoft's documentation, and Microsoft's parser as the judge."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from bowerbird.cli.bench.grammars.sample import Contest, Judge, Mutation, Sample, ask
from bowerbird.cli.errors import InputNotFound

PACKAGE = "@microsoft/powerquery-parser"
VERSION = "2.0.0"  # on an older Node a bare `npm install` takes an old one without a word
BRIDGE = Path(__file__).with_name("powerquery_judge.js")

_IN_MARKDOWN = re.compile(
    r"^[ ]*```+[ ]?power\w*[ ]?-m[ ]*\n(?P<fenced>.*?)^[ ]*```|^\*\*Output\*\*\s+`(?P<inline>[^`\n]+)`[ ]*$",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)


def _samples(folder: Path) -> Iterator[Sample]:
    """Whole files; in Markdown the fenced code, and outputs that stand in a line."""
    for path in sorted(folder.rglob("*.pq")):
        yield Sample(str(path.relative_to(folder)), path.read_text("utf-8-sig"))
    for path in sorted(folder.rglob("*.md")):
        text = path.read_text("utf-8-sig")
        for match in _IN_MARKDOWN.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield Sample(f"{path.relative_to(folder)}:{line}", match["fenced"] or match["inline"] or "")


def _judge(folder: Path) -> Judge:
    """Microsoft's parser, where `folder` holds ``node_modules`` with it."""
    if not (folder / "node_modules" / PACKAGE).is_dir():
        raise InputNotFound(f"{folder} holds no judge: cd {folder} && npm install {PACKAGE}@{VERSION}")
    return partial(ask, ["node", str(BRIDGE), str(folder.resolve())])


def _join(texts: Sequence[str]) -> str:
    """A list of all expressions."""
    return "{" + "\n,".join(text for text in texts if "section" not in text) + "\n}"


def _is_empty(mutation: Mutation, _complaint: str) -> bool:
    return not re.sub(r"//[^\n]*", "", mutation.text).strip()


def _begins_with_nought(mutation: Mutation, complaint: str) -> bool:
    return complaint.startswith("Lex") and re.search(r"(?<![\w.])\.0", mutation.text) is not None


def _is_field_that_begins_with_digit(_mutation: Mutation, complaint: str) -> bool:
    return "identifier" in complaint and "but a numeric literal was found" in complaint


def _is_behind_quoted_field(mutation: Mutation, complaint: str) -> bool:
    return not complaint and re.search(r'[\[,]\s*#"(?:[^"]|"")*"\s*[^\s=,\]]', mutation.text) is not None


POWERQUERY = Contest(
    language="powerquery",
    samples=_samples,
    judge=_judge,
    join=_join,
    bindings=frozenset({"variable", "section_member", "field"}),
    explanations={
        "a document without any code is taken for an unfinished one": _is_empty,
        "the judge's lexer knows no .0, which the specification has": _begins_with_nought,
        "the judge takes 1st for a field's name in records, not in types": _is_field_that_begins_with_digit,
        "the judge takes whatever follows a quoted field name for a part of it": _is_behind_quoted_field,
    },
)
