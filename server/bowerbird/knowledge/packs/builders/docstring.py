"""What a docstring says: in Google's, NumPy's, Sphinx's or Javadoc's manner, or in Markdown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bowerbird.knowledge.packs.builders.blocks import Block, Prose, Title, plain
from bowerbird.knowledge.packs.builders.markdown import read_markdown
from bowerbird.knowledge.packs.builders.rst import read_rst
from bowerbird.knowledge.packs.markup import one_line
from bowerbird.knowledge.snippet import Parameter

PARAMETERS = frozenset(
    {"args", "arguments", "parameters", "params", "attributes", "keyword args", "keyword arguments"}
)
RESULTS = frozenset({"returns", "return", "yields"})
EXAMPLES = frozenset({"example", "examples", "usage"})
OTHERS = frozenset(
    {"raises", "throws", "warns", "note", "notes", "see also", "references", "warning", "todo"}
)

PARAM = "param"
_GOOGLE = re.compile(r"([A-Z][A-Za-z ]+):[ \t]*")
_NUMPY_RULE = re.compile(r"-{3,}[ \t]*")
_ITEM = re.compile(r"\*{0,2}([\w.]+)[ \t]*(?:\(([^()]*)\))?[ \t]*:[ \t]*(.*)")
_NUMPY_ITEM = re.compile(r"\*{0,2}([\w, .*]+?)[ \t]*(?::[ \t]*(.*))?")
_FIELD = re.compile(
    r"""[ \t]*(?:
        :(?P<word>\w+)[ \t]+(?:(?P<type>[^:\n]*?)[ \t]+)?\*{0,2}(?P<name>\w+):  # Sphinx's :param int count:
        |:(?P<result>returns?):
        |[@\\](?P<tag>param|arg|tparam)[ \t]+(?:\{[^}\n]*\}[ \t]*)?(?P<tagged>\w+)  # Javadoc's @param count
        |[@\\](?P<gives>returns?)\b
    )[ \t]*-?[ \t]*(?P<told>.*)""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Docstring:
    """A docstring, read."""

    blocks: tuple[Block, ...]
    """Its prose and its code; parameters and results taken out."""
    parameters: tuple[Parameter, ...] = ()
    result: str = ""


def read_docstring(text: str) -> Docstring:
    """Whatever the manner. Never raises, save `RecursionError` for absurd nesting."""
    parameters: list[Parameter] = []
    results: list[str] = []
    kept: list[str] = []
    for name, lines in _sections(_without_fields(text.split("\n"), parameters, results)):
        if name in PARAMETERS:
            parameters += _items(lines)
        elif name in RESULTS:
            results.append(one_line(" ".join(lines)))
        elif name in EXAMPLES:
            kept += ["", f"### {name.capitalize()}", "", *textwrap.dedent("\n".join(lines)).split("\n")]
        elif name not in OTHERS:
            kept += lines
    named = {one.name: one for one in reversed(parameters)}  # of two of one name the first counts
    kept_parameters = tuple(one for one in parameters if named[one.name] is one)
    return Docstring(tuple(_read("\n".join(kept))), kept_parameters, " ".join(filter(None, results)))


def _read(text: str) -> Iterator[Block]:
    rst = ("::\n" in text or ".. " in text or ">>> " in text) and "```" not in text
    if not rst:
        yield from read_markdown(text)
        return
    for block in read_rst(text):
        if isinstance(block, Prose) and block.text.startswith("### "):
            yield Title(block.line, 3, block.text[4:])
        else:
            yield block


def _sections(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The docstring's parts: what stands before any heading has the name ""."""
    known = PARAMETERS | RESULTS | EXAMPLES | OTHERS
    name, part = "", list[str]()
    at = 0
    while at < len(lines):
        line = lines[at]
        google = _GOOGLE.fullmatch(line)
        numpy = at + 1 < len(lines) and _NUMPY_RULE.fullmatch(lines[at + 1].strip() or " ")
        heading = line.strip().lower().lstrip("# ").rstrip(":")
        if (google or numpy or line.startswith("#")) and heading in known:
            yield name, part
            name, part = heading, []
            at += 2 if numpy else 1
            continue
        if (
            name
            and line.strip()
            and not line[0].isspace()
            and google is None
            and not numpy
            and name not in EXAMPLES
            and not lines[at - 1].strip()
            and not _ITEM.match(line)
            and not _numpy_part(lines, at)
        ):
            yield name, part
            name, part = "", []
        part.append(line)
        at += 1
    yield name, part


def _numpy_part(lines: Sequence[str], at: int) -> bool:
    return at + 1 < len(lines) and lines[at + 1].startswith((" ", "\t"))


def _items(lines: Sequence[str]) -> list[Parameter]:
    """``name (type): note`` or, in NumPy's manner, ``name : type`` with the note below."""
    text = textwrap.dedent("\n".join(lines)).split("\n")
    found: list[Parameter] = []
    for line in text:
        if not line.strip():
            continue
        if line[0].isspace():
            if found:
                last = found[-1]
                found[-1] = Parameter(last.name, last.type, last.optional, one_line(f"{last.note} {line}"))
            continue
        google = _ITEM.fullmatch(line)
        numpy = _NUMPY_ITEM.fullmatch(line)
        if google and (" : " not in line or google[2]):
            found.append(_parameter(google[1], google[2] or "", google[3]))
        elif numpy:
            found += (
                _parameter(name.strip(), numpy[2] or "", "") for name in numpy[1].split(",") if name.strip()
            )
    return found


def _parameter(name: str, kind: str, note: str) -> Parameter:
    optional = "optional" in kind
    kind = re.sub(r",?[ \t]*optional", "", kind)
    return Parameter(name, one_line(kind), optional, one_line(plain(note)))


def _without_fields(lines: Sequence[str], parameters: list[Parameter], results: list[str]) -> list[str]:
    """Take ``:param x:`` and ``@param x`` out."""
    kept: list[str] = []
    taking: list[str] | None = None
    taken: list[tuple[str, str, str, list[str]]] = []
    for line in lines:
        match = _FIELD.fullmatch(line)
        if match:
            taking = [match["told"]]
            word = "return" if match["result"] or match["gives"] else match["word"] or PARAM
            taken.append((word, match["type"] or "", match["name"] or match["tagged"] or "", taking))
        elif taking is not None and line.strip() and line[0].isspace():
            taking.append(line)
        else:
            taking = None
            kept.append(line)
    for word, kind, name, told in taken:
        note = one_line(" ".join(told))
        if word == "return":
            results.append(note)
        elif word in ("param", "arg", "parameter", "tparam", "keyword") and name:
            parameters.append(_parameter(name, kind, note))
    return kept
