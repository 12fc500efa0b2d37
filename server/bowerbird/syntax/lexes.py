"""What can be told of each language by its letters: one row each, for those of which something is known.

A row is no grammar. It finds strings, comments and blocks where a parser would guess: in unfinished code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bowerbird.syntax.languages import LANGUAGES


@dataclass(frozen=True, slots=True)
class Block:
    """A block that words enclose."""

    opens: str
    """Regular expression of the word that begins it."""
    closes: tuple[str, ...]
    """The words that may end it, the usual one first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexis:
    """What can be told of a language by its letters. Everything is a regular expression."""

    comments: tuple[str, ...] = ()
    strings: tuple[str, ...] = (r'"(?:\\.|[^"\\\n])*"?',)
    """Each matches an unfinished string too, up to where it must end."""
    skipped: tuple[str, ...] = ()
    """What is neither, but must not be taken for one."""
    code_in_strings: tuple[str, str, str] | None = None
    """How a string begins that holds code, and what encloses that code."""
    blocks: tuple[Block, ...] = ()
    brackets: str = "([{"
    ignore_case: bool = False
    offside: bool = False
    """Is a block left where a line is indented less?"""
    clauses: str = ""
    """A line that begins so goes on with the statement to whose depth it returns, as ``else`` does."""
    heads: str = ""
    """A line that begins so begins a definition."""
    flat: bool = False
    """What belongs to a definition need not be indented more than it."""

    def begins(self, expression: str, line: str) -> bool:
        """Does `line`, behind its white space, begin with one of `clauses` or `heads`?"""
        case = re.IGNORECASE if self.ignore_case else 0
        return bool(expression) and re.match(expression, line.lstrip(), case) is not None


SLASHES = (r"//[^\n]*", r"/\*(?s:.*?)(?:\*/|\Z)")
HASH = (r"#[^\n]*",)
LINE_STRING = r'"(?:\\.|[^"\\\n])*"?'
LINE_APOSTROPHES = r"'(?:\\.|[^'\\\n])*'?"
LONG_STRING = r'"(?s:\\.|[^"\\])*(?:"|\Z)'
BACKTICKS = r"`(?s:\\.|[^`\\])*(?:`|\Z)"
CHARACTER = r"(?<!\w)'(?:\\[^\n]{1,8}?|[^'\\\n])'"
C_HEAD = r"[A-Za-z_][^;=(\n]*\([^;\n]*$"
NO_BRACE = r"(?![^\n{]*\{)"  # Ring's blocks end with a word or, begun with a brace, with a brace
ECMASCRIPT = Lexis(
    comments=SLASHES,
    strings=(LINE_STRING, LINE_APOSTROPHES, BACKTICKS),
    code_in_strings=("`", "${", "}"),
    clauses=r"else\b|catch\b|finally\b|while\b",
    heads=r"(?:export\s+|default\s+|async\s+|abstract\s+|declare\s+)*(?:function|class|interface|enum)\b",
)
C = Lexis(comments=SLASHES, strings=(LINE_STRING, CHARACTER), clauses=r"else\b|while\b|catch\b", heads=C_HEAD)
CURLY = Lexis(comments=SLASHES, strings=(LINE_STRING, CHARACTER), clauses=r"else\b|while\b|catch\b|finally\b")

LEXES: dict[str, Lexis] = {
    "python": Lexis(
        comments=HASH,
        strings=(
            r"""\"\"\"(?s:\\.|[^\\])*?(?:\"\"\"|\Z)""",
            r"""'''(?s:\\.|[^\\])*?(?:'''|\Z)""",
            LINE_STRING,
            LINE_APOSTROPHES,
        ),
        code_in_strings=(r"(?<=[fF])['\"]|(?<=[fF][rR])['\"]", "{", "}"),
        offside=True,
        clauses=r"(?:else|elif|except|finally|case)\b",
        heads=r"(?:async\s+)?def\b|class\b",
    ),
    "javascript": ECMASCRIPT,
    "typescript": ECMASCRIPT,
    "tsx": ECMASCRIPT,
    "go": Lexis(
        comments=SLASHES,
        strings=(LINE_STRING, r"`[^`]*(?:`|\Z)", CHARACTER),
        clauses=r"else\b",
        heads=r"func\b|type\b",
    ),
    "rust": Lexis(
        comments=SLASHES,
        strings=(r'r(?P<raw>#+)"(?s:.*?)(?:"(?P=raw)|\Z)', r'\br"[^"]*(?:"|\Z)', LONG_STRING, CHARACTER),
        clauses=r"else\b",
        heads=r"(?:pub(?:\([^)\n]*\))?\s+)?(?:(?:async|unsafe|const|extern)\s+)*"
        r"(?:fn|struct|enum|impl|trait|mod)\b",
    ),
    "c": C,
    "cpp": C,
    "java": CURLY,
    "csharp": CURLY,
    "kotlin": CURLY,
    "swift": CURLY,
    "scala": CURLY,
    "php": Lexis(
        comments=(*SLASHES, *HASH),
        strings=(LONG_STRING, r"'(?s:\\.|[^'\\])*(?:'|\Z)"),
        heads=r"<\?php",  # without it nothing is code
    ),
    "json": Lexis(),
    "css": Lexis(comments=(SLASHES[1],), strings=(LINE_STRING, LINE_APOSTROPHES)),
    "lua": Lexis(
        comments=(r"--\[(?P<lc>=*)\[(?s:.*?)(?:\](?P=lc)\]|\Z)", r"--[^\n]*"),
        strings=(r"\[(?P<ls>=*)\[(?s:.*?)(?:\](?P=ls)\]|\Z)", LINE_STRING, LINE_APOSTROPHES),
        blocks=(Block(r"\b(?:if|do|function)\b", ("end",)), Block(r"\brepeat\b", ("until",))),
        clauses=r"(?:else|elseif)\b",
        heads=r"(?:local\s+)?function\b",
    ),
    "ruby": Lexis(
        comments=(r"^=begin(?s:.*?)(?:^=end|\Z)", r"#[^\n]*"),
        strings=(
            r"<<[~-][\"']?(?P<hd>\w+)[\"']?[^\n]*\n(?s:.*?)(?:^\s*(?P=hd)\b|\Z)",
            LINE_STRING,
            LINE_APOSTROPHES,
        ),
        code_in_strings=('"', "#{", "}"),
        # `x if y` ends with its line, and the `do` of `while x do` is not another block.
        blocks=(
            Block(r"^[ \t]*(?:while|until|for)\b[^\n]*?(?=\bdo\b|#|$)(?:do\b)?", ("end",)),
            Block(r"^[ \t]*(?:if|unless|case|begin|def|class|module)\b", ("end",)),
            Block(r"(?<==)[ \t]*(?:if|unless|case|begin)\b|\bdo\b", ("end",)),
        ),
        clauses=r"(?:else|elsif|when|in|rescue|ensure)\b",
        heads=r"(?:def|class|module)\b",
    ),
    "shell": Lexis(
        comments=(r"(?<![^\s;|&(])#[^\n]*",),
        strings=(
            r"<<-?[ \t]*[\"']?(?P<hd>\w+)[\"']?[^\n]*\n(?s:.*?)(?:^\s*(?P=hd)\b|\Z)",
            LONG_STRING,
            r"'[^']*(?:'|\Z)",
        ),
        code_in_strings=('"', "$(", ")"),
        blocks=(
            Block(r"(?:^|(?<=[;|&(]))[ \t]*if\b", ("fi",)),
            Block(r"(?:^|(?<=[;|&]))[ \t]*do\b", ("done",)),
            Block(r"^[ \t]*case\b", ("esac",)),
        ),
        brackets="{",  # `a)` begins a case
        clauses=r"(?:else|elif)\b",
        heads=r"function\b|[\w-]+\s*\(\)",
    ),
    "elixir": Lexis(
        comments=HASH,
        strings=(r'"""(?s:.*?)(?:"""|\Z)', LONG_STRING),
        blocks=(Block(r"\bdo\b(?!:)|\bfn\b", ("end",)),),
        clauses=r"(?:else|rescue|catch|after)\b",
        heads=r"(?:def|defp|defmodule|defmacro)\b",
    ),
    "pony": Lexis(
        comments=SLASHES,
        strings=(r'"""(?s:.*?)(?:"""|\Z)', LONG_STRING, CHARACTER),
        skipped=(r"^[ \t]*\|[^\n]*?=>",),  # a case and its guard, whose `if` has no `end`
        blocks=(Block(r"\b(?:if|ifdef|iftype|while|for|repeat|match|try|with|recover|object)\b", ("end",)),),
        offside=True,
        clauses=r"(?:else|elseif|then|until|do|where)\b|\||:|=>",
        heads=r"(?:fun|be|new|class|actor|primitive|interface|trait|struct|type|use)\b",
    ),
    "ring": Lexis(
        comments=(*HASH, *SLASHES),
        strings=(r'"[^"]*(?:"|\Z)', r"'[^']*(?:'|\Z)", r"`[^`]*(?:`|\Z)"),
        blocks=(
            Block(rf"\bif\b{NO_BRACE}", ("ok", "end")),
            Block(rf"\bfor(?:each)?\b{NO_BRACE}", ("next", "end")),
            Block(rf"\bwhile\b{NO_BRACE}", ("end",)),
            Block(rf"\bswitch\b{NO_BRACE}", ("off", "end")),
            Block(rf"\btry\b{NO_BRACE}", ("done", "end")),
            Block(r"\bdo\b", ("again",)),
        ),
        ignore_case=True,
        clauses=r"(?:else|but|elseif|on|case|other|catch)\b",
        heads=r"(?:func|def|class|package|private)\b",
        flat=True,
    ),
    "powerquery": Lexis(
        comments=SLASHES,
        strings=(r'"(?:""|[^"])*(?:"|\Z)',),
        skipped=(r'#"(?:""|[^"\n])*"?',),  # a quoted name
        blocks=(Block(r"\blet\b", ("in",)),),
        heads=r"(?:let|section)\b",
    ),
}
"""The languages of which more is known than how a comment begins."""

_PLAIN = {
    language: Lexis(comments=(re.escape(row.comment) + r"[^\n]*",))
    for language, row in LANGUAGES.items()
    if row.comment
}


def lexis_of(language: str | None) -> Lexis | None:
    """What is known of a language; None for prose, pages, and whatever has no name."""
    return LEXES.get(language or "") or _PLAIN.get(language or "")
