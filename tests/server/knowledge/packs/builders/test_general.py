"""The builders for any language, and how the one that fits is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bowerbird.knowledge.packs.builders.docstring import read_docstring
from bowerbird.knowledge.packs.builders.markdown import read_markdown
from bowerbird.knowledge.packs.builders.rst import read_rst
from bowerbird.knowledge.packs.builders.table import choose_builder, guess_language
from bowerbird.knowledge.packs.builders.upstream import Upstream
from bowerbird.knowledge.packs.folder import Contents
from bowerbird.knowledge.snippet import Parameter

Build = Callable[..., Contents]
Make = Callable[..., Upstream]

GUIDE = """\
# Shop

A library for shops.

## `Cart.add(article, count=1)`

Puts something in.

### Parameters

* `article`: What to put in.
* `count` (int): How often.

### Returns

The cart.

### Example

Two of one kind:

```python
cart.add("pear", count=2)
```

This prints:

```
2
```

## Overview

Only words.

```sh
pip install shop
```
"""


def test_markdown_names_functions_in_its_titles(build: Build) -> None:
    """What stands below such a title belongs to the function; other sections are concepts."""
    contents = build({"docs/guide.md": GUIDE, "docs/CHANGELOG.md": "# 1.0\n\nNew.\n"})
    shop, add, overview = contents.entities
    assert [str(one.kind) for one in contents.entities] == ["concept", "function", "concept"]
    assert (shop.symbol, add.symbol, overview.symbol) == ("Shop", "Cart.add", "Overview")
    assert add.signatures == ("Cart.add(article, count=1)",)
    assert add.parameters == (
        Parameter("article", note="What to put in."),
        Parameter("count", "int", note="How often."),
    )
    assert add.result == "The cart."
    (example,) = contents.examples
    assert (example.purpose, example.output, example.entity) == ("Two of one kind", "2", "Cart.add")


def test_sections_of_one_name_are_told_apart(build: Build) -> None:
    """By the titles of their pages."""
    page = "# {0}\n\nWords.\n\n## Notice\n\nOf {0}.\n"
    contents = build({"a.md": page.format("A"), "b/a.md": page.format("B")}, "pages", "python")
    assert [one.symbol for one in contents.entities] == ["A", "Notice", "B", "B: Notice"]


RST = """\
Shop
====

.. py:class:: Cart(currency)

   Some goods.

   .. py:method:: add(article, *, count=1)
                  add(articles)

      Puts something in. See :py:func:`~shop.total`.

      :param article: What to
         put in.
      :param int count: How often.
      :returns: The ``cart``.

      Do it::

          cart.add("pear")

   >>> Cart("EUR").total
   0

.. toctree::

   other
"""


def test_sphinx_describes_objects(build: Build) -> None:
    """Methods belong to their classes, overloads and parameters are kept, doctests have outputs."""
    contents = build({"shop.rst": RST}, "pages", "python")
    shop, cart, add = contents.entities[-3:] if len(contents.entities) > 2 else (None, *contents.entities)
    del shop
    assert (str(cart.kind), cart.symbol) == ("type", "Cart")
    assert (str(add.kind), add.symbol, add.member_of) == ("method", "Cart.add", "Cart")
    assert add.signatures == ("add(article, *, count=1)", "add(articles)")
    assert add.parameters == (
        Parameter("article", note="What to put in."),
        Parameter("count", "int", note="How often."),
    )
    assert add.result == "The `cart`."
    assert add.description.startswith("Puts something in. See `shop.total`.")
    assert [(one.code, one.output) for one in contents.examples if one.entity == "Cart"] == [
        ('Cart("EUR").total', "0")
    ]


PYTHON = '''\
"""Sells things."""

class Cart:
    """Some goods.

    Example:
        >>> Cart().total()
        0
    """

    def add(self, article: str, count: int = 1) -> "Cart":
        """Put something in.

        Args:
            article: What to put
                in.
            count (int, optional): How often.

        Returns:
            The cart.

        Raises:
            KeyError: Never.
        """

    def _hidden(self): ...

def total(cart):
    """Sum up.

    :param cart: What is bought.
    :return: The price.
    """
'''


def test_python_sources(build: Build) -> None:
    """Names as one imports them; docstrings in Google's and in Sphinx's manner."""
    contents = build({"src/shop/cart.py": PYTHON, "src/shop/__init__.py": "", "tests/test_cart.py": PYTHON})
    module, cart, add, total = contents.entities
    assert [(str(one.kind), one.symbol) for one in contents.entities] == [
        ("module", "shop.cart"),
        ("type", "shop.cart.Cart"),
        ("method", "shop.cart.Cart.add"),
        ("function", "shop.cart.total"),
    ]
    assert module.description == "Sells things."
    assert cart.description == "Some goods."
    assert add.signatures == ('def add(self, article: str, count: int = 1) -> "Cart"',)
    assert add.parameters == (
        Parameter("article", note="What to put in."),
        Parameter("count", "int", True, "How often."),
    )
    assert (add.description, add.result) == ("Put something in.", "The cart.")
    assert (total.parameters, total.result) == ((Parameter("cart", note="What is bought."),), "The price.")
    assert [(one.code, one.output, one.entity) for one in contents.examples] == [
        ("Cart().total()", "0", "shop.cart.Cart")
    ]


@pytest.mark.parametrize(
    ("name", "source", "symbol", "description"),
    [
        (
            "a.rs",
            "/// Adds.\n/// # Examples\n/// ```\n/// add(1)\n/// ```\npub fn add(a: u8) -> u8 {\n  a\n}\n",
            "add",
            "Adds.",
        ),
        ("a.go", "package a\n\n// Add adds.\nfunc Add(a int) int { return a }\n", "Add", "Add adds."),
        ("A.java", "/** Sells. */\nclass Shop {\n}\n", "Shop", "Sells."),
        (
            "a.ts",
            "/**\n * Adds.\n * @param a What.\n */\nexport function add(a: number) {\n}\n",
            "add",
            "Adds.",
        ),
    ],
)
def test_comments_document_other_languages(
    build: Build, name: str, source: str, symbol: str, description: str
) -> None:
    """What stands directly above a definition is said of it."""
    entity = next(one for one in build({name: source}).entities if one.symbol == symbol)
    assert entity.description == description
    assert "{" not in entity.signatures[0]


def test_numpys_manner() -> None:
    """Parameters with rules below their heading, several on one line."""
    docstring = read_docstring(
        "Add.\n\nParameters\n----------\na, b : int\n    Numbers.\n\nReturns\n-------\nint\n    The sum.\n"
    )
    assert docstring.parameters == (Parameter("a", "int"), Parameter("b", "int", note="Numbers."))
    assert docstring.result == "int The sum."


@pytest.mark.parametrize(
    ("files", "builder", "language"),
    [
        (
            {"a.md": "---\nms.subservice: m-source\n---\n```powerquery-m\n1\n```\n"},
            "powerquery",
            "powerquery",
        ),
        ({"a.pony": "class A\n", "b.md": "# B\n"}, "pony", "pony"),
        ({"strings.txt": ".. code-block:: ring\n\n\tsee 1\n"}, "ring", "ring"),
        ({"reference.txt": LIST if (LIST := "\ta(x) ---> y\n" * 6) else ""}, "ring", "ring"),
        ({"a.md": "# A\n```rust\nlet a = 1;\n```\n"}, "pages", "rust"),
        ({"a.py": "a = 1\n", "README.md": "# A\n"}, "sources", "python"),
        ({"src/a.py": "a = 1\n", "docs/a.rst": "A\n=\n", "docs/b.rst": "B\n=\n"}, "both", "python"),
        ({"a.bin": b"\0"}, None, None),
    ],
)
def test_the_builder_that_fits_is_found(
    upstream: Make, files: dict[str, str], builder: str | None, language: str | None
) -> None:
    """By what the files are and hold."""
    source = upstream(files)
    found = choose_builder(source)
    assert (found.name if found else None) == builder
    assert (guess_language(source, found) if found else None) == language


def test_broken_files_are_told_and_skipped(upstream: Make, build: Build, tmp_path: Path) -> None:
    """One of them does not spoil the others; links that lead away are not followed."""
    (tmp_path / "secret.md").write_text("# Secret\n\nWords.\n")
    files = {
        "good.md": "# Good\n\nWords.\n",
        "binary.md": b"\x89PNG\0\0\r\n",
        "deep.md": "> " * 3000 + "x\n",
        "large.md": "x" * 5_000_001,
    }
    source = upstream(files)
    (source.root / "link.md").symlink_to(tmp_path / "secret.md")
    contents = build(files, "pages", "python")
    assert "Good" in [one.symbol for one in contents.entities]
    assert "Secret" not in [one.symbol for one in contents.entities]


@given(st.text(alphabet=" \n\t`~#>*-.:=|[]()<!&+_\"'abc123|:;{}@/", max_size=300) | st.text(max_size=100))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_readers_never_raise(text: str) -> None:
    """Whatever people publish, an answer comes, with lines that the text has."""
    for blocks in (read_markdown(text), read_rst(text), read_docstring(text).blocks):
        assert all(0 <= block.line <= text.count("\n") + 4 for block in blocks)
