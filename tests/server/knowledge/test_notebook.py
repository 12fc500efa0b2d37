"""Notebooks as one document."""

import ast
import json
from typing import Any

import pytest

from bowerbird.knowledge.notebook import (
    Cell,
    above,
    below,
    joined,
    language_here,
    main_language,
    plain_code,
    read_notebook,
)


def python(text: str) -> Cell:
    return Cell(text, "python")


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("%matplotlib inline", "# %matplotlib inline"),
        ("!pip install 'birds", "# !pip install 'birds"),
        ("if x:\n    !ls", "if x:\n    pass  # !ls"),
        ("files = !ls *.py", "files = None  # !ls *.py"),
        ("a, b = %timeit -o f()", "a, b = None  # %timeit -o f()"),
        ("birds.count?", "# birds.count?"),
        ("?birds", "# ?birds"),
        ("%%time\nbirds = 1", "# %%time\nbirds = 1"),
    ],
)
def test_magics_become_comments(line: str, plain: str) -> None:
    """What only IPython understands does not break the parsing, and no line is lost."""
    assert plain_code(python(line)) == plain
    ast.parse(plain)


@pytest.mark.parametrize(
    "text",
    [
        "x = 7 % y",
        "x = (7\n     % y)",
        'q = """\n%s\n!x\n"""',
        "a != b",
        "x = y if z else '%s?'",
        "",
        "def f(:\n",
    ],
)
def test_what_only_looks_like_a_magic_stays(text: str) -> None:
    """Remainders, formats and inequalities are Python; broken code is left alone."""
    assert plain_code(python(text)) == text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("%%bash\nls", "shell"),
        ("\n%%html\n<b>", "html"),
        ("%%R -i x\ny <- x", "r"),
        ("%%timeit -n 3\nf()", "python"),
        ("%%writefile birds.js\nlet x", "javascript"),
        ("%%writefile", None),
        ("%%mystery\n?", None),
        ("%time f()", "python"),
    ],
)
def test_a_cells_magic_says_its_language(text: str, language: str | None) -> None:
    """The rest of such a cell is another language; of a magic that is not known nobody knows it."""
    assert language_here(python(text)) == language


def test_the_magic_of_another_language_is_a_comment_of_that_language() -> None:
    """Its own lines stay as they are, also those that look like magics of Python."""
    assert plain_code(python("%%js\n!done")) == "// %%js\n!done"


CELLS = [
    Cell("# Birds\n\nof paradise\n", "markdown"),
    python("import birds\n\n"),
    Cell("raw", None),
    Cell("select 1", "sql"),
    python(""),
    python("birds.count()"),
]


def test_cells_of_one_language_in_order() -> None:
    """Notes are comments, other languages and raw cells are left out, a blank line stands between cells."""
    notes = "# # Birds\n#\n# of paradise"
    assert above(CELLS, "python") == f"{notes}\n\nimport birds\n\nbirds.count()\n\n"
    assert below(CELLS[5:], "python") == "\n\nbirds.count()"
    assert joined(CELLS, "python") == f"{notes}\n\nimport birds\n\nbirds.count()\n"
    assert joined(CELLS, "sql") == "-- # Birds\n--\n-- of paradise\n\nselect 1\n"
    assert above(CELLS, None) == below(CELLS, None) == ""
    assert above(CELLS, "markdown") == "# Birds\n\nof paradise\n\n"


def test_the_main_language() -> None:
    """That of most code cells."""
    assert main_language(CELLS) == "python"
    assert main_language(CELLS[:1]) is None


def notebook(*cells: Any, **more: Any) -> str:
    return json.dumps({"cells": cells, "nbformat": 4, **more})


CODE = {"cell_type": "code", "source": ["import birds\r\n", "%time birds"], "outputs": [{"text": "secret"}]}


def test_a_file_is_read_as_its_code() -> None:
    """Outputs are left out; the language is the kernel's, without one Python."""
    raw = {"cell_type": "raw", "source": "no"}
    note = {"cell_type": "markdown", "source": "Look"}
    assert read_notebook(notebook(note, CODE, raw)) == ("# Look\n\nimport birds\n# %time birds\n", "python")
    julia = notebook(CODE, metadata={"kernelspec": {"language": "julia"}})
    assert read_notebook(julia) == ("import birds\n%time birds\n", "julia")


def test_a_file_of_the_third_format() -> None:
    """Its cells lie in worksheets, their text is called input."""
    old = json.dumps({"worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1"]}]}], "nbformat": 3})
    assert read_notebook(old) == ("x = 1\n", "python")


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "3", "null", '{"cells": 3}', '{"cells": [1]}', '{"cells": [{}]}', "[" * 100_000),
        notebook({"cell_type": "code", "source": [1]}),
        notebook(CODE, metadata=[1]),
    ],
)
def test_what_is_no_notebook(content: str) -> None:
    """Whatever a file of that name holds, nothing is raised."""
    assert read_notebook(content) is None
