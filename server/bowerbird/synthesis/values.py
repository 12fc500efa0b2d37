"""Calls of a function with values that fit its parameters: test inputs by rule (EVOR, appendix C).

Values are valid rather than odd, as the paper's: with zero, or with nothing, a sound program may fail.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

CALLS = 3
INT, FLOAT, BOOL, STR, COUNTS = "int", "float", "bool", "str", "counts"
INTS, FLOATS, STRS = "ints", "floats", "strs"
OWNED, VECTOR = "owned", "vector"
"""Kinds of values: also numbers by text, lists of each, and what a function may write to."""

_NUMBERS = {INT: ("2", "7", "1"), FLOAT: ("1.5", "2.25", "0.5")}
_DOUBLE_QUOTED = {STR: ('"Hello world"', '"a"', '"b c"')}
_SINGLE_QUOTED = {STR: ("'Hello world'", "'a'", "'b c'")}
_BRACKETS = {
    INTS: ("[3, 1, 2]", "[5]", "[2, 2]"),
    FLOATS: ("[3.0, 1.5]", "[0.5]", "[2.0, 2.0]"),
    STRS: ("['b', 'a']", "['a']", "['c', 'c']"),
}
_TRUTH = {BOOL: ("true", "false")}

NAMED = {
    STR: "text string str s name word line sentence title message letters",
    INTS: "numbers nums values list array arr xs items elements ints integers lst",
    STRS: "words names lines strings texts titles",
    INT: "n k a b x y num number count size index limit year age width height amount total length factor m",
    BOOL: "flag reverse strict enabled",
}
"""What parameters without types are mostly called, by their last word."""
KIND_OF_NAME = {name: kind for kind, names in NAMED.items() for name in names.split()}
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """How a language writes a function's head, and values."""

    head: str
    """Up to the parameters; ``NAME`` stands for the function's name."""
    values: Mapping[str, tuple[str, ...]]
    parameter: str = r"(?P<name>\w+)"
    """One parameter; where it has a group ``type``, no name tells anything."""
    types: tuple[tuple[str, str], ...] = ()
    """Pattern of a type -> its kind; the first that fits."""


_RUST_INTS, _LIST = r"[iu](?:8|16|32|64|128|size)", r"(?:list|List|Sequence|Iterable)"
_C_INTS = r"(?:(?:un)?signed |long |short )*(?:int|long|short|unsigned|size_t|u?int\d+_t)"

ROWS = {
    "python": Row(
        head=r"def\s+NAME",
        parameter=r"(?P<name>\w+)\s*:\s*(?P<type>.+)",
        types=(
            ("int", INT), ("float", FLOAT), ("bool", BOOL), ("str", STR), (rf"{_LIST}\[int\]", INTS),
            (rf"{_LIST}\[float\]", FLOATS), (rf"{_LIST}\[str\]", STRS),
            (r"(?:dict|Dict|Mapping)\[str, int\]", COUNTS),
        ),
        values={
            **_NUMBERS, **_SINGLE_QUOTED, **_BRACKETS, BOOL: ("True", "False"),
            COUNTS: ("{'a': 1, 'b': 2}", "{'a': 1}"),
        },
    ),
    "javascript": Row(
        head=r"function\s+NAME", values={**_NUMBERS, **_TRUTH, **_SINGLE_QUOTED, **_BRACKETS}
    ),
    "lua": Row(
        head=r"function\s+NAME",
        values={
            **_NUMBERS, **_TRUTH, **_SINGLE_QUOTED,
            INTS: ("{3, 1, 2}", "{5}"), STRS: ("{'b', 'a'}", "{'a'}"),
        },
    ),
    "ring": Row(
        head=r"(?i:func(?:tion)?|def)\s+NAME", values={**_NUMBERS, **_TRUTH, **_SINGLE_QUOTED, **_BRACKETS}
    ),
    "rust": Row(
        head=r"fn\s+NAME",
        parameter=r"(?:mut\s+)?(?P<name>\w+)\s*:\s*(?P<type>.+)",
        types=(
            (_RUST_INTS, INT), (r"f(?:32|64)", FLOAT), ("bool", BOOL), ("&str", STR), ("String", OWNED),
            (rf"&\[{_RUST_INTS}\]|&Vec<{_RUST_INTS}>", INTS), (rf"Vec<{_RUST_INTS}>", VECTOR),
            (r"&\[f\d+\]", FLOATS), (r"&\[&str\]", STRS),
        ),
        values={
            **_NUMBERS, **_TRUTH, **_DOUBLE_QUOTED, OWNED: ('"Hello world".to_string()', '"a".to_string()'),
            INTS: ("&vec![3, 1, 2]", "&vec![5]"), VECTOR: ("vec![3, 1, 2]", "vec![5]"),
            FLOATS: ("&[3.0, 1.5]", "&[0.5]"), STRS: ('&["b", "a"]', '&["a"]'),
        },
    ),
    "c": Row(
        head=r"\bNAME",
        parameter=r"(?P<type>[\w* ]+?[ *])(?P<name>\w+)",
        types=(
            (_C_INTS, INT), ("double|float", FLOAT), ("bool|_Bool", BOOL), (r"const char\s*\*", STR),
            (r"char\s*\*", OWNED),
        ),
        values={
            **_NUMBERS, **_DOUBLE_QUOTED, BOOL: ("1", "0"),
            OWNED: ('(char[]){"Hello world"}', '(char[]){"a"}'),
        },
    ),
}  # fmt: skip
"""Languages whose programs can run. An array of C has its length in another parameter, so none is made."""


def calls_with_values(language: str, name: str, code: str) -> list[str]:
    """A few calls of the function whose head `code` has; none where a value would have to be made up.

    Nothing that is called through an object, has defaults or takes any number of arguments is called.
    """
    if language == "shell":
        return [f"{name} 2 7"]  # a number is a text, too
    row = ROWS.get(language)
    parameters = _parameters(row, name, code) if row and name.isidentifier() else None
    if row is None or parameters is None:
        return []
    columns = []
    for parameter in parameters:
        values = row.values.get(_kind(row, parameter))
        if values is None:
            return []
        columns.append(values)
    calls = (
        ", ".join(values[(number + at) % len(values)] for at, values in enumerate(columns))
        for number in range(CALLS)
    )
    return list(dict.fromkeys(f"{name}({arguments})" for arguments in calls))


def _parameters(row: Row, name: str, code: str) -> list[str] | None:
    """As they are written; None where there is no such head."""
    found = re.search(row.head.replace("NAME", re.escape(name)) + r"\s*(?P<bracket>\()?", code)
    if found is None:
        return None
    if found["bracket"] is None:  # as in Ring
        return [part.strip() for part in code[found.end() :].partition("\n")[0].split(",") if part.strip()]
    parts, depth = [""], 1
    for character in code[found.end() :].replace("->", "  "):
        depth += (character in "([{<") - (character in ")]}>")
        if not depth:
            break
        if character == "," and depth == 1:
            parts.append("")
        else:
            parts[-1] += character
    return [] if [part.strip() for part in parts] in ([""], ["void"]) else [part.strip() for part in parts]


def _kind(row: Row, parameter: str) -> str:
    found = re.fullmatch(row.parameter, parameter)
    if found is None:
        return ""
    written = found.groupdict().get("type")
    if written is None:
        words = WORD.findall(found["name"])
        return KIND_OF_NAME.get(words[-1].lower(), "") if words else ""
    return next((kind for pattern, kind in row.types if re.fullmatch(pattern, written.strip())), "")
