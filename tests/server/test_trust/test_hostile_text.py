"""Code and documentation made to be slow: everything that reads them while somebody waits gets through.

Each of these once took minutes, mostly in one call that nothing can interrupt: the whole server stood.
"""

from __future__ import annotations

import pytest
from looked import THROUGH, look_at

PATIENCE_S = 20

IN_EDITOR = {
    "faults": ("each " * 20_000, "syntax.faults", "faults_of(text, 'powerquery')"),
    "signature": ("(" * 200_000, "syntax.arguments", "call_around(text, 'powerquery')"),
    "empty body": ("a=" * 50_000, "synthesis.request", "request_at(text, 'python', 0)"),
    "empty body, signs": ("-" * 60_000, "synthesis.request", "request_at(text, 'python', 0)"),
    "garbage": ("é🐦ß" * 40_000, "syntax.parser", "parse(text, 'pony')"),
    "chain": (".a()" * 500, "syntax.bodies", "in_empty_body('f() {\\n  ', '\\n' + text, 'javascript')"),
}
"""A text, where the function is that reads it, and the call."""

IN_PACKS = """
from bowerbird.knowledge.packs.builders.docstring import read_docstring
from bowerbird.knowledge.packs.builders.markdown import read_markdown
from bowerbird.knowledge.packs.builders.rst import read_rst
from bowerbird.knowledge.packs.format import read_page
from bowerbird.knowledge.packs.manifest import Manifest
for read in (read_docstring, read_markdown, read_rst):
    try:
        read(text)
    except RecursionError:
        pass
read_page(text, "a.md", Manifest(name="made", language="ring"))
"""


@pytest.mark.parametrize("what", IN_EDITOR)
def test_nested_code_holds_nobody_up(what: str) -> None:
    """As deep as the text is long; a chain of calls is nested, too."""
    text, module, call = IN_EDITOR[what]
    look = f"from bowerbird.{module} import *\n{call}"
    assert look_at(look, text, PATIENCE_S) == (0, THROUGH)


@pytest.mark.parametrize("unit", ["\t", ":a", "a: ", "> "])
def test_documentation_holds_nobody_up(unit: str) -> None:
    """Lines without end, marks without a counterpart."""
    assert look_at(IN_PACKS, f"`{unit * 60_000}x", PATIENCE_S) == (0, THROUGH)
