"""Documentation by strangers: a pack comes of it or a sentence, and nothing lies elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from bowerbird.cli.app import app
from bowerbird.cli.errors import ExitCode
from bowerbird.knowledge.packs.builders.paths import MAX_NAME_BYTES, PagePaths
from bowerbird.knowledge.packs.builders.table import BUILDERS
from bowerbird.knowledge.packs.folder import read_contents, read_files
from bowerbird.knowledge.packs.store import shipped_folder

POSIX = pytest.mark.skipif(os.name == "nt", reason="files that only POSIX has")
DECLARED = {ExitCode.DONE, ExitCode.NOTHING, ExitCode.USAGE, ExitCode.INPUT}
PRIVATE = "heron_of_the_house_next_door"

REFERENCE = """\
---
title: "List.Add"
ms.subservice: m-source
---

# List.Add

## Syntax

<pre>
List.Add(<b>list</b> as list, optional <b>how</b> as nullable { (x) =&gt; any }) as list
</pre>

## About

Adds to `list`, see [lists](list-functions.md).

* `list`: What gets more.

## Example 1

**Usage**

```powerquery-m
List.Add({})
```

**Output**

`{"a|b"}`

## Allowed values

| name | value |
| --- | --- |
| A.B | `1` |
"""
MANUAL = """\
.. index:: single: Lists

=====
Lists
=====

add() function
==============

Syntax:

.. code-block:: ring

	add(aList, xItem) ---> count

Example:

.. code-block:: none

	see add([], 1)

Output:

.. code-block:: none

	1

.. py:function:: add(article, *, count=1)

   Puts it in. See :py:func:`~shop.total` and `there <a.html>`_.

   :param int count: How often.
   :returns: The ``cart``.

   >>> add("pear")
   1

	len(aList) ---> count
	del(aList,nIndex) ---> none
	sort(aList) ---> list
"""
TUTORIAL = """\
# Classes

!!! note

    Be careful.

```pony
--8<-- "main.pony:2:3"
```

This prints:

```
1
```

=== "tab"

    ```python
    a = [1](2)
    ```

> - a list[^1] in a quote <b>bold</b> &amp; `code`
"""
SOURCE = '''\
"""Sells things."""

class Cart:
    """Some goods.

    Args:
        article (str, optional): What.

    Parameters
    ----------
    a, b : int
        Numbers.

    Example::

        >>> Cart().total()
        0
    """

    def add(self, article: str, count: int = 1) -> "Cart":
        """Put in. @param a What. :param b: How."""
'''
PONY = 'class Cart\n  """\n  Goods.\n\n  ```pony\n  Cart.create()\n  ```\n  """\n  new create() => None\n'
TABLES = "name,value\nA,1\n\n|a|b|\n|-|-|\n|`x`|y|\n"
PAGE = "<html><body><pre>x</pre><table><tr><td>1</table><!-- -->&lt;</body>"

SEEDS = [*(text.encode() for text in (REFERENCE, MANUAL, TUTORIAL, SOURCE, PONY, TABLES, PAGE))]
SEEDS += [path.read_bytes()[:3000] for path in sorted(shipped_folder().glob("*/*.md"))[::40]]

INCLUDES = [
    b'```python\n--8<-- "../private.md"\n--8<-- "/etc/passwd"\n--8<-- "{0}/private.md"\n```\n',
    b'```python\n--8<-- "a.md"\n--8<-- "link.md:1:2"\n--8<-- "loop/a.md:x"\n--8<-- "..\\\\private.md"\n```\n',
    b".. include:: ../private.md\n\n.. literalinclude:: ../private.md\n\n![a](../private.md)\n",
]
ENCODED = ("\0", "\r", "\r\n", "\u2028\u202e", "&#0;&#x110000;&#55296;", "%s{0}", "```\n", "~~~\n", ">>> ")
REPEATED = (
    "> ",
    "- ",
    "  ",
    "[",
    "`",
    "|",
    "*",
    "#",
    "a",
    "(",
    "\t",
    "\n",
    ":",
    "\\",
    "<pre>",
    "=\n",
    "!!! a\n",
)
JUNK = [b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\x85", *(text.encode() for text in ENCODED)]
JUNK += [text.encode() * times for text in REPEATED for times in (30, 1000)]

ORDINARY = (
    "a.md b.rst c.txt d.py e.pony f.html g.csv docs/a.md list-functions.md main.pony src/__init__.py README"
)
ALIKE = (
    "a.rst A.md a-2.md a.md.md b.md/c.md b.markdown reference/list.md mkdocs.yml pack.toml e\u0301.md é.md"
)
ODD = (
    "con.md|nul.txt.rst|C:evil.md|C:\\evil.md|..evil.md|...md|. .md| .md|a .md|-rf.md|new\nline.md|tab\t.rst"
)
ODD += "|\u202egpj.md|\udcff\udcfe.md|$(x).md|a;b.py|*.md|" + "|".join(["x" * 249 + ".md", "ü" * 120 + ".md"])
NAMES = [*ORDINARY.split(), *ALIKE.split(), *ODD.split("|"), "x/" * 60 + "a.md"]


@st.composite
def spoiled(draw: st.DrawFn) -> bytes:
    """A page of documentation to which something was done."""
    data = bytearray(draw(st.sampled_from([*SEEDS, *INCLUDES, b""])))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        end = draw(st.integers(at, min(len(data), at + 200)))
        what = draw(st.sampled_from(["cut", "end", "junk", "twice", "other", "bytes"]))
        if what == "cut":
            del data[at:end]
        elif what == "end":
            del data[at:]
        elif what == "junk":
            data[at:at] = draw(st.sampled_from(JUNK))
        elif what == "twice":
            data[at:end] = data[at:end] * draw(st.integers(2, 40))
        elif what == "other":
            data[at:end] = draw(st.sampled_from([*SEEDS, *INCLUDES]))
        else:
            data[at:end] = draw(st.binary(max_size=20))
    coding = draw(st.sampled_from(["", "", "", "utf-16", "utf-32", "utf-8-sig", "cp037"]))
    return data.decode("utf-8", "replace").encode(coding, "replace") if coding else bytes(data)


FILES = st.dictionaries(st.sampled_from(NAMES), spoiled(), max_size=6)


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder in which everything is done, with a short path."""
    folder = Path(tempfile.mkdtemp(prefix="bb-"))
    yield folder
    shutil.rmtree(folder)


def write(folder: Path, files: dict[str, bytes]) -> None:
    """The documentation, and links that go round and out of it."""
    folder.mkdir()
    for name, content in files.items():
        with suppress(
            FileExistsError, NotADirectoryError, IsADirectoryError
        ):  # a name is a file's or a folder's
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content.replace(b"{0}", os.fsencode(folder.parent)))
    for name, target in {"loop": ".", "link.md": "../private.md", "self.md": "self.md"}.items():
        (folder / name).symlink_to(target)


def everything(folder: Path) -> dict[str, bytes | None]:
    """All that is in a folder, by path; None for folders and links."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() and not path.is_symlink() else None
        for path in folder.rglob("*")
    }


@POSIX
@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(FILES, st.sampled_from(["", *BUILDERS]), st.sampled_from(["", "python", "ring", "pony", "powerquery"]))
@example({"a.md": b"# A\n\nx\n\n" + INCLUDES[0], "b.md": b"# B\n\nx\n\n" + INCLUDES[1]}, "pages", "python")
@example({"mkdocs.yml": b"base_path: [.., /etc]\n", "a.md": b"# A\n\n" + INCLUDES[0]}, "pages", "python")
def test_whatever_is_published_does_no_harm(
    place: Path, files: dict[str, bytes], builder: str, language: str
) -> None:
    """The command ends with an exit code that it declares; what it writes lies in the folder it was given."""
    run = Path(tempfile.mkdtemp(dir=place))
    (run / "private.md").write_text(f"# A\n\n{PRIVATE}\n\n```python\n{PRIVATE}\n```\n")
    write(run / "in", files)
    before = everything(run)
    command = ["docs", "build", str(run / "in"), str(run / "out" / "made"), "--name", "made", "--json"]
    command += ["--builder", builder] if builder else []
    command += ["--language", language] if language else []
    result = CliRunner().invoke(app, command, catch_exceptions=False)
    assert result.exit_code in DECLARED, result.output
    after = everything(run)
    made = {name: content for name, content in after.items() if name.startswith("out")}
    assert {name: content for name, content in after.items() if name not in made} == before
    assert PRIVATE.encode() not in b"".join(content or b"" for content in made.values())
    if result.exit_code != ExitCode.DONE:
        assert set(made) <= {"out"}
        return
    assert not any(path.is_symlink() for path in (run / "out").rglob("*"))
    contents = read_contents(read_files(run / "out" / "made"))
    assert contents.manifest is not None
    assert contents.pages == len([name for name in made if name.endswith(".md")])
    assert contents.pages == json.loads(result.stdout)["pages"]
    assert len(contents.entities) + len(contents.examples) > 0


@POSIX
@pytest.mark.parametrize(
    "names",
    [
        ["a.md", "a.rst", "a-2.md", "A.md"],
        ["b.markdown", "b.md/c.md", "b.md.md"],
        ["x" * 249 + ".md", "x" * 249 + ".rst"],
        ["con.md", "C:\\evil.md", "a..evil.md", "é.md", "e\u0301.md"],
    ],
    ids=lambda names: names[0][:9],
)
def test_each_page_has_a_place(tmp_path: Path, names: list[str]) -> None:
    """However alike, long or odd their names are, none takes another's."""
    title = {".rst": "Bird {}\n======\n", "": "# Bird {}\n"}
    pages = {name: title.get(name[-4:], title[""]).format(at) for at, name in enumerate(names)}
    write(tmp_path / "in", {name: f"{page}\nWords.\n".encode() for name, page in pages.items()})
    command = ["docs", "build", str(tmp_path / "in"), str(tmp_path / "made"), "--builder", "pages"]
    result = CliRunner().invoke(app, [*command, "--language", "python"], catch_exceptions=False)
    assert result.exit_code == ExitCode.DONE, result.output
    assert len(list((tmp_path / "made").rglob("*.md"))) == len(names)


@given(st.lists(st.text(max_size=20) | st.sampled_from(NAMES), max_size=30))
@example(
    [
        "a",
        "a.md",
        "A.md",
        "a-2.md",
        "a.md",
        "é.md",
        "e\u0301.md",
        "x.md/y",
        "../../etc/passwd",
        "/abs",
        "C:/x",
    ]
)
@example(
    ["con", "NUL.tar", "com1.md", "aux ", "x. ", "lpt9", "a//b", "", ".", "..", "~", "ü" * 400, "\udcff"]
)
def test_every_system_can_hold_the_pages(wishes: list[str]) -> None:
    """Relative, apart also where case makes no difference, never a device, a drive or the folder above."""
    paths = PagePaths()
    given_ = [paths.take(wish) for wish in wishes]
    assert len({path.casefold() for path in given_}) == len(given_)
    folders = {
        "/".join(path.split("/")[:at]).lower() for path in given_ for at in range(1, path.count("/") + 1)
    }
    assert folders.isdisjoint(path.lower() for path in given_)
    for path in given_:
        windows = PureWindowsPath(path)
        assert not windows.drive
        assert not windows.root
        assert not windows.is_reserved()
        assert "\\" not in path
        assert path.endswith(".md")
        for part in path.split("/"):
            assert part not in ("", ".", "..")
            assert part == part.rstrip(". ")
            assert len(part.encode()) <= MAX_NAME_BYTES + 10
