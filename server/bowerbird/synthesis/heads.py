"""Functions whose body is still empty, told by the lines around the gap, where a tree does not tell them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bowerbird.syntax.indent import leading_space
from bowerbird.synthesis.comments import notes

FUNCTION = re.compile(
    r"[ \t]*(?:[\w@]+[ \t]+)*(?:def|fun|func|function|fn|be|new|sub|proc|method)\b", re.IGNORECASE
)
"""A line that begins a function by a word for it."""

_CONTROL = r"(?![ \t]*(?:if|else|for|foreach|while|switch|match|catch|do|try|using|lock|return)\b)"
_BRACE, _END = re.compile(r"[ \t]*\}"), re.compile(r"[ \t]*end(?:function)?\b")


@dataclass(frozen=True, slots=True)
class Row:
    """How a language shows a function with nothing in it."""

    head: re.Pattern[str]
    """The whole line above the gap."""
    below: re.Pattern[str] | None = None
    """How the line below the gap begins; None: it is indented no more than the head."""


def _row(head: str, below: re.Pattern[str] | None = None) -> Row:
    return Row(re.compile(head, re.IGNORECASE), below)


_C = _row(_CONTROL + r"[ \t]*[A-Za-z_][\w:<>,&*~.?!\[\] \t]*\([^;=]*\)[^;=(]*\{\s*", _BRACE)
_LET = _row(r"[ \t]*let[ \t]+(?:rec[ \t]+|inline[ \t]+)*\w+(?:[ \t]+[^=\n]+)+=\s*")

ROWS = {
    **dict.fromkeys(("cpp", "zig", "dart", "groovy"), _C),
    "shell": _row(r"[ \t]*(?:function[ \t]+[\w:.-]+[ \t]*(?:\(\))?|[\w:.-]+[ \t]*\(\))[ \t]*\{\s*", _BRACE),
    "objective-c": _row(rf"(?:{_C.head.pattern}|[ \t]*[-+][ \t]*\([^;\n]*\{{\s*)", _BRACE),
    "perl": _row(r"[ \t]*sub[ \t]+\w+[^;\n]*\{\s*", _BRACE),
    "powershell": _row(r"[ \t]*function[ \t]+[\w:-]+[^;\n]*\{\s*", _BRACE),
    "r": _row(r"[ \t]*[\w.]+[ \t]*(?:<-|=)[ \t]*function[ \t]*\(.*\)[ \t]*\{\s*", _BRACE),
    "kotlin": _row(rf"(?={FUNCTION.pattern}).*(?:=>|\{{|=)\s*"),
    "lua": _row(rf"(?={FUNCTION.pattern}).*", _END),
    "julia": _row(r"[ \t]*function\b.*", _END),
    "vim": _row(r"[ \t]*fu(?:nction)?!?[ \t]+.*\).*", re.compile(r"[ \t]*endf")),
    "elixir": _row(r"[ \t]*defp?[ \t].*\bdo\s*", _END),
    "clojure": _row(r"[ \t]*\(defn-?[ \t]+\S+[ \t]*\[[^\]]*\]\s*", re.compile(r"[ \t]*\)")),
    "pony": _row(rf"(?={FUNCTION.pattern}).*(?:=>|\{{|=)\s*"),
    "powerquery": _row(r"[ \t]*(?:[\w.]+|#\"[^\"\n]*\")[ \t]*=[ \t]*\(.*\).*=>\s*"),
    "erlang": _row(r"[a-z]\w*\(.*->\s*"),
    "haskell": _row(r"[a-z]\w*'*(?:[ \t]+[^=\n]+)?=\s*"),
    "fsharp": _LET,
    "ocaml": _LET,
}
"""Languages without a tree, and those whose trees know no body that is empty."""


def is_empty_by_lines(before: str, after: str, language: str | None) -> bool:
    """Is the gap between two parts of a document the empty body of a function?"""
    row = ROWS.get(language or "")
    if row is None:
        return False
    lines = before.rstrip().split("\n")
    if lines[-1].strip().endswith('"""'):
        documentation = notes(before, language).get(len(lines) - 1)
        lines = lines[: documentation.lines.first] if documentation else lines
    head = lines[-1] if lines else ""
    if row.head.fullmatch(head) is None:
        return False
    below = next((line for line in after.split("\n") if line.strip()), "")
    if row.below is not None:
        return not below or row.below.match(below) is not None
    return not below or bool(_BRACE.match(below)) or len(leading_space(below)) <= len(leading_space(head))
