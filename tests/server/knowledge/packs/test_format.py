"""Pages: what people write, what is wrong with it, and the way there and back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.knowledge.packs.format import Page, read_page
from bowerbird.knowledge.packs.manifest import Manifest
from bowerbird.knowledge.packs.markup import one_line, tidy
from bowerbird.knowledge.packs.problem import Severity
from bowerbird.knowledge.packs.writing import write_page
from bowerbird.knowledge.snippet import NOWHERE, EntityKind, Example, GrammarEntity, Parameter
from bowerbird.text import Span

MANIFEST = Manifest(name="powerquery", language="powerquery")

PAGE = """\
# Tables

Nothing of this is shown.

## Table.AddColumn
- kind: function
- module: Table
- signature: `Table.AddColumn(table as table, name as text, optional type as nullable type) as table`
- param table: The table that gets
  the new column.
- param name (text): Its name.
- param `a, b` (`(x) => y`, optional):
- result: The table.
- related: Table.TransformColumns, `,`, `#date`
- alias: AddColumn
- source: table-addcolumn

Adds a column.

- a list in the description

### Multiply price by quantity
Said before the code.
```powerquery
Table.AddColumn(orders, "Total", each [Price] * [Quantity])
```
```output
#table(...)
```

### A row too many
```powerquery counter-example
Table.AddColumn()
```

## `#date`
- kind: function

# Examples

### Stand alone
~~~powerquery
## no heading in here
~~~
"""


def read(text: str | bytes) -> Page:
    return read_page(text, "table.md", MANIFEST)


def sentences(page: Page) -> list[tuple[int, str]]:
    """Lines as people count them, and what is said of each."""
    return [(problem.line + 1, problem.sentence) for problem in page.problems]


def test_a_page_holds_entities_with_all_their_fields() -> None:
    """Fields come from the lines below the heading, the description from what stands below those."""
    page = read(PAGE)
    assert page.problems == ()
    entity, date = page.entities
    assert entity == GrammarEntity(
        kind=EntityKind.FUNCTION,
        symbol="Table.AddColumn",
        pack="powerquery",
        language="powerquery",
        signatures=(
            "Table.AddColumn(table as table, name as text, optional type as nullable type) as table",
        ),
        parameters=(
            Parameter("table", note="The table that gets the new column."),
            Parameter("name", "text", note="Its name."),
            Parameter("a, b", "(x) => y", optional=True),
        ),
        result="The table.",
        description="Adds a column.\n\n- a list in the description",
        module="Table",
        related=("Table.TransformColumns", ",", "#date"),
        aliases=("AddColumn",),
        source="table-addcolumn",
        page="table.md",
        span=Span(4, 20),
    )
    assert date.symbol == "#date"
    assert entity.name == "docs/powerquery/Table.AddColumn"
    assert entity.text.startswith("Table.AddColumn(table as table,")


def test_a_page_holds_examples_with_what_they_are_for() -> None:
    """An example belongs to the entity above it, unless a title of the first level stands between."""
    first, second, third = read(PAGE).examples
    assert (first.purpose, first.entity, first.note) == (
        "Multiply price by quantity",
        "Table.AddColumn",
        "Said before the code.",
    )
    assert (first.code[:15], first.output, first.language) == ("Table.AddColumn", "#table(...)", "powerquery")
    assert (first.counter_example, second.counter_example) == (False, True)
    assert (third.entity, third.code) == ("", "## no heading in here")
    assert first.name == f"docs/powerquery/table.md:{first.span.first + 1}"
    assert PAGE.split("\n")[first.span.first] == "### Multiply price by quantity"
    assert first.text.split("\n")[0] == "// Multiply price by quantity"


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("## a\n- kind: function\n- colour: red\n", 3, "`colour` is unknown"),
        ("## a\n- kind: gadget\n", 2, "`gadget` is unknown"),
        ("## a\n\nNo fields.\n", 1, "no field `- kind"),
        ("## a\n- kind: type\n- kind: field\n", 3, "second time"),
        ("## a\n- kind: type\n- no colon here\n", 3, "- key: value"),
        ("## a\n- kind: type\n- param x y\n", 3, "A parameter is"),
        ("##\n- kind: type\n", 1, "names nothing"),
        ("### Do it\nbut how?\n", 1, "has no code"),
        ("### Do it\n```powerquery\n \n```\n", 1, "has no code"),
        ("###\n```powerquery\n1\n```\n", 1, "no purpose"),
        ("### A\n```powerquery\n1\n```\n```powerquery\n2\n```\n", 5, "second block of code"),
        ("### A\n```\n1\n```\n", 2, "no language"),
        ("### A\n```klingon\n1\n```\n", 2, "`klingon` is unknown"),
        ("### A\n```powerquery loud\n1\n```\n", 2, "`loud` is unknown"),
        ("## a\n- kind: type\n\n```powerquery\n1\n```\n", 4, "outside an example"),
        ("```powerquery\n1\n```\n", 1, "outside an example"),
        ("### A\n```powerquery\n1\n", 2, "not closed"),
        ("### A\n```powerquery\n1\n### B\n```powerquery\n2\n```\n", 2, "not closed"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, part: str) -> None:
    """Every fault of a writer's is named where it stands."""
    assert any(at == line and part in sentence for at, sentence in sentences(read(text))), read(text).problems


def test_a_fault_costs_only_what_it_spoils() -> None:
    """A forgotten end of a block of code does not swallow what follows."""
    page = read(
        "### A\n```powerquery\n1\n### B\n```powerquery\n2\n```\n## c\n- kind: type\n- x: y\n- value: `1`\n"
    )
    assert [example.purpose for example in page.examples] == ["B"]
    assert [(entity.symbol, entity.value) for entity in page.entities] == [("c", "1")]


def test_bytes_that_are_no_utf_8_are_read_all_the_same() -> None:
    """The line is told, and what is sound is taken."""
    page = read(b"\xef\xbb\xbf## a\r\n- kind: type\r\n- result: \xff\r\n")
    assert [(problem.line, problem.severity) for problem in page.problems] == [(2, Severity.WARNING)]
    assert page.entities[0].symbol == "a"


@given(
    st.text(alphabet="#`~- \n:akindtype()\\,", max_size=200) | st.text(max_size=200) | st.binary(max_size=200)
)
def test_reading_never_raises(content: str | bytes) -> None:
    """Whatever a page holds, an answer comes, and each problem has a line of the page."""
    page = read(content)
    text = content if isinstance(content, str) else content.decode("utf-8-sig", "replace")
    last = text.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    assert all(0 <= problem.line <= last for problem in page.problems)


ODD = st.text(alphabet="ab`#*_(),:\\ -~.<>[]|\"'äあ", max_size=20) | st.text(
    st.characters(exclude_categories=["Cs"])
)
LINE = ODD.map(one_line)
NAME = LINE.filter(bool)
TEXT = st.lists(ODD, max_size=4).map("\n".join).map(tidy)
CODE = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=15), max_size=4
)
PARAMETER = st.builds(Parameter, NAME, LINE, st.booleans(), LINE)
ENTITY = st.builds(
    GrammarEntity,
    kind=st.sampled_from(EntityKind),
    symbol=NAME,
    pack=st.just("powerquery"),
    language=st.just("powerquery"),
    signatures=st.lists(NAME, max_size=2).map(tuple),
    parameters=st.lists(PARAMETER, max_size=3, unique_by=lambda one: one.name).map(tuple),
    result=LINE,
    description=TEXT,
    module=LINE,
    since=LINE,
    related=st.lists(NAME, max_size=3).map(tuple),
    aliases=st.lists(NAME, max_size=2).map(tuple),
    value=LINE,
    member_of=LINE,
    source=LINE,
)
EXAMPLE = st.builds(
    Example,
    purpose=NAME,
    code=CODE.map("\n".join).filter(str.strip),
    pack=st.just("powerquery"),
    language=st.sampled_from(["powerquery", "ring", "pony"]),
    output=CODE.map("\n".join),
    note=TEXT,
    counter_example=st.booleans(),
)


@given(
    st.lists(st.tuples(ENTITY, st.lists(EXAMPLE, max_size=2)), max_size=3),
    st.lists(EXAMPLE, max_size=2),
    LINE,
)
def test_what_is_written_reads_as_it_was(
    documented: list[tuple[GrammarEntity, list[Example]]], alone: list[Example], title: str
) -> None:
    """Whatever names, texts and code hold, a page keeps them, and nothing on it is wrong."""
    documented = list({entity.symbol: (entity, shown) for entity, shown in documented}.values())
    entities = [entity for entity, _ in documented]
    examples = alone + [replace(one, entity=entity.symbol) for entity, shown in documented for one in shown]

    page = read(write_page(entities, examples, title))

    assert page.problems == ()
    assert [replace(entity, page="", span=NOWHERE) for entity in page.entities] == entities
    assert [replace(example, page="", span=NOWHERE) for example in page.examples] == examples
