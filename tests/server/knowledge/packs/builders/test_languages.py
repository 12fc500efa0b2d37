"""The builders of the three languages, on pages marked up as upstream's are."""

from __future__ import annotations

from collections.abc import Callable

from bowerbird.knowledge.packs.folder import Contents
from bowerbird.knowledge.snippet import Parameter

Build = Callable[..., Contents]

FRONT = '---\ntitle: "{0}"\nms.subservice: m-source\n---\n\n# {0}\n\n'
ADD = (
    FRONT.format("List.Add")
    + """\
## Syntax

<pre>
List.Add(
    <b>list</b> as list,
    optional <b>how</b> as nullable { (x) =&gt; any }
) as list
</pre>

## About

Adds to `list`, see [lists](list-functions.md).

* `list`: What gets more.
* `Other`: An option, no parameter.

> [!NOTE]
> Be careful.

## Example 1

Add nothing.

**Usage**

```powerquery -m
List.Add({})
```

**Output**

`{"a|b ``"}`

## Example

Fail.

**Usage**

```powerquery-m
List.Add()
```

**Output**

```powerquery-m
[Expression.Error] ...
```

## Related content

* [Types](types.md)
"""
)


def test_a_function_of_power_query_comes_with_types_notes_and_category(build: Build) -> None:
    """Marks and entities go, options are no parameters, a row without its first bar counts."""
    index = '---\ntitle: "List functions"\n---\n# List functions\n\n## Growing\n\n'
    index += "|Name|D|\n|-|-|\n[List.Add](a.md)|Adds|\n"
    contents = build({"list-add.md": "\ufeff" + ADD, "list-functions.md": index})
    (entity,) = contents.entities
    assert (str(entity.kind), entity.symbol, entity.module) == ("function", "List.Add", "List: Growing")
    assert entity.signatures == ("List.Add(list as list, optional how as nullable { (x) => any }) as list",)
    assert entity.parameters == (Parameter("list", note="What gets more."),)
    assert entity.result == "list"
    assert entity.description.startswith("Adds to `list`, see lists.")
    assert "Be careful." in entity.description
    assert entity.source == "list-add"


def test_examples_of_power_query_come_with_their_output(build: Build) -> None:
    """Whether it stands in a block or in the line, and whatever is wrong with the fence."""
    contents = build({"list-add.md": ADD})
    assert [(one.purpose, one.code, one.output, one.entity) for one in contents.examples] == [
        ("Add nothing.", "List.Add({})", '{"a|b ``"}', "List.Add"),
        ("Fail.", "List.Add()", "[Expression.Error] ...", "List.Add"),
    ]


def test_enumerations_and_constants_of_power_query(build: Build) -> None:
    """A `-type.md` page without values may be a function; members carry their values."""
    contents = build(
        {
            "day-type.md": FRONT.format("Day.Type")
            + "## About\n\nDays.\n\n## Allowed values\n\n"
            + "|Name|Value|Description|\n|-|-|-|\n|`Day.Sunday`|0|Rest.|\n",
            "value-type.md": FRONT.format("Value.Type")
            + "## Syntax\n\n<pre>\nValue.Type(<b>v</b> as any) as type\n</pre>\n\n## About\n\nTypes.\n",
            "number-pi.md": FRONT.format("Number.PI")
            + "## About\n\nRepresents 3.14, or it represents 3.141, pi.\n",
            "sharptable.md": FRONT.format("#table")
            + "## Syntax\n\n<pre>\n#table(<b>c</b> as any) as any\n</pre>\n\n## About\n\nMakes one.\n",
            "broken.md": FRONT.format("Broken.Page"),
        }
    )
    found = {one.symbol: (str(one.kind), one.value, one.member_of) for one in contents.entities}
    assert found == {
        "Day.Type": ("enumeration", "", ""),
        "Day.Sunday": ("member", "0", "Day.Type"),
        "Value.Type": ("function", "", ""),
        "Number.PI": ("constant", "3.141", ""),
        "#table": ("function", "", ""),
    }


def test_code_of_ponys_tutorial_stands_in_files_of_its_own(build: Build) -> None:
    """Whole, by lines, dedented; a file that is not in the folder is not read; some must fail."""
    page = """\
# Classes

A class looks like this:

```pony
--8<-- "shop.pony:2:3"
```

!!! note

    Inside a box.

    ```pony
    --8<-- "shop.pony"
    ```

This does not compile:

```pony
--8<-- "../secret.pony"
```

```pony
--8<-- "shop-failure.pony"
```
"""
    contents = build(
        {
            "mkdocs.yml": "markdown_extensions:\n  - pymdownx.snippets:\n      base_path: ['code-samples']\n",
            "docs/classes.md": page,
            "code-samples/shop.pony": "class A\n  let x: U8 = 1\n\n  let y: U8 = 2\n",
            "code-samples/shop-failure.pony": "class a\n",
            "../secret.pony": "class Secret\n",
        },
        "pony",
    )
    by_lines, whole, fails, outside = contents.examples
    assert (by_lines.purpose, by_lines.code) == ("A class looks like this", "let x: U8 = 1")
    assert (whole.purpose, whole.code) == (
        "Classes: Inside a box",
        "class A\n  let x: U8 = 1\n\n  let y: U8 = 2",
    )
    assert "Secret" not in fails.code
    assert [one.counter_example for one in (by_lines, whole, fails, outside)] == [False, False, True, True]


def test_docstrings_of_pony_packages(build: Build) -> None:
    """What a method gives is no docstring; what is private, and tests, are left out."""
    source = '''\
"""
Things to sell.
"""
class val Shop[A: Any #read]
  """
  A shop.

  ```pony
  Shop.open()
  ```
  """
  let name: String = "x"
    """The name."""
  new open(hour: U8 = 9) =>
    """
    Opens.
    """
    None
  fun greeting(): String => "Good day"
  fun _private() => None
  be sell(what: A) =>
    """Sells."""
    None
actor _Hidden
  fun visible() => None
'''
    contents = build(
        {
            "shop/shop.pony": source,
            "shop/_test.pony": "class Tested\n",
            "test/main.pony": "class T\n",
            "shop/benchmarks/b.pony": "class B\n",
        }
    )
    assert [(str(one.kind), one.symbol, one.description) for one in contents.entities] == [
        ("module", "shop", "Things to sell."),
        ("type", "Shop", "A shop."),
        ("field", "Shop.name", "The name."),
        ("constructor", "Shop.open", "Opens."),
        ("method", "Shop.greeting", ""),
        ("behaviour", "Shop.sell", "Sells."),
    ]
    assert contents.entities[1].signatures == ("class val Shop[A: Any #read]",)
    assert contents.entities[4].signatures == ("fun greeting(): String",)
    assert [(one.code, one.entity) for one in contents.examples] == [("Shop.open()", "Shop")]


RING = """\
.. index::
	single: Strings; Introduction

=======
Strings
=======

About strings.

Left() Function
===============

Gives the beginning.

Syntax:

.. code-block:: ring

	Left(string,count)

Example (1) :

.. code-block:: ring

	see left("Hello",2)	# He

Output:

.. code-block:: none

	He

lower() and upper()
===================

.. note:: For texts only.

.. code-block:: ring

	see lower("A")
"""
LISTS = """\
        left(string,nCount) ---> The first characters
	find(List,ItemValue) ---> Item Index
	find(List,ItemValue,[nColumn]) --> Item Index
        callgc()
"""


def test_rings_manual_tells_what_a_block_is_by_the_words_before_it(build: Build) -> None:
    """Tags tell nothing; a function is described in a chapter and listed in the reference, in any case."""
    contents = build(
        {"strings.txt": RING, "reference.txt": LISTS, "qtfuncsdoc.txt": LISTS, "notes.txt": "f(x) ---> y\n"}
    )
    found = {one.symbol: one for one in contents.entities}
    assert sorted(found) == ["Strings", "callgc", "find", "left", "lower", "upper"]
    assert found["left"].result == "The first characters"
    assert found["left"].description == "Gives the beginning."
    assert found["left"].parameters[-1] == Parameter("nCount", "number")
    assert found["find"].signatures == ("find(List,ItemValue)", "find(List,ItemValue,[nColumn])")
    assert found["find"].parameters[-1] == Parameter("nColumn", "number", optional=True)
    assert [(one.purpose, one.code, one.output, one.entity) for one in contents.examples] == [
        ("Left() Function: Gives the beginning", 'see left("Hello",2)     # He', "He", "left"),
        ("lower() and upper(): For texts only", 'see lower("A")', "", "lower"),
    ]
