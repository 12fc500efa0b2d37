"""What a section's title names: a function with its signature, a keyword, or just a concept."""

from __future__ import annotations

import re

from bowerbird.knowledge.packs.markup import one_line
from bowerbird.knowledge.snippet import EntityKind

_CALL = re.compile(
    r"(?P<word>[a-z]+ )?(?P<name>[A-Za-z_@$#][\w.:$#!?]*)\((?P<rest>[^()]*)\)(?:\s*(?:->|=>|:).*)?"
)
_WORDED = re.compile(
    r"(?:the )?(?P<name>[\w.:]+)(?:\(\))? (?P<word>function|method|keyword|operator|statement|class|type)",
    re.I,
)
_CODE_ONLY = re.compile(r"`(?P<code>[^`]+)`(?:\s+(?P<word>\w+))?")

WORDS = {
    "function": EntityKind.FUNCTION,
    "def": EntityKind.FUNCTION,
    "fn": EntityKind.FUNCTION,
    "func": EntityKind.FUNCTION,
    "method": EntityKind.METHOD,
    "keyword": EntityKind.KEYWORD,
    "operator": EntityKind.OPERATOR,
    "statement": EntityKind.STATEMENT,
    "class": EntityKind.TYPE,
    "type": EntityKind.TYPE,
    "struct": EntityKind.TYPE,
    "interface": EntityKind.TYPE,
    "trait": EntityKind.TYPE,
    "enum": EntityKind.ENUMERATION,
    "const": EntityKind.CONSTANT,
    "module": EntityKind.MODULE,
}


def title_names(title: str) -> tuple[EntityKind, str, str]:
    """The kind, the symbol and the signature that a title gives."""
    text = one_line(title)
    code = _CODE_ONLY.fullmatch(text)
    word = (code["word"] or "").lower() if code else ""
    if code:
        text = code["code"].strip()
    call = _CALL.fullmatch(text)
    if call and (code or "." in call["name"] or call["name"][0].islower() or call["rest"]):
        before = (call["word"] or "").strip()
        kind = WORDS.get(before or word, EntityKind.FUNCTION)
        return kind, call["name"], text
    worded = _WORDED.fullmatch(text)
    if worded:
        return WORDS[worded["word"].lower()], worded["name"], ""
    first, _, rest = text.partition(" ")
    if code and first in WORDS and rest:
        return WORDS[first], rest.split("(")[0].split(" ")[0], text
    if code and word in WORDS:
        return WORDS[word], text, ""
    return EntityKind.CONCEPT, text if code else one_line(text.replace("`", "").replace("*", "")), ""
