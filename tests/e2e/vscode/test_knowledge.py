"""Documentation, generated code and explanations in a real VS Code, with the real server and model."""

from __future__ import annotations

from e2e.vscode.editor import Editor
from e2e.vscode.windows import TITLE, Picture, type_unfinished

ORDERS = """// multiply price by quantity in every row
"""
SALES = """let
    Source = Table.FromRecords({[Price = 2, Amount = 3], [Price = 5, Amount = 1]}),
    Sums = Table.AddColumn(Source, "Sum", each [Price] * [Amount])
in
    Sums
"""


def test_hover_shows_the_card(editor: Editor, picture: Picture) -> None:
    """A library name tells what it is, with an example and where that stands."""
    (editor.folder / "sales.pq").write_text(SALES)
    editor.open("sales.pq")
    card = editor.page.locator(".monaco-hover-content:visible")

    editor.page.locator(".view-line span", has_text="Table.AddColumn").last.hover()

    card.get_by_text("Puts a new column at the right").wait_for()
    assert "newColumnName as text" in card.inner_text()
    assert "Example:" in card.inner_text()
    picture("hover", TITLE, ".monaco-hover:visible", below_px=12)


def test_the_code_action_writes_code(editor: Editor) -> None:
    """It writes what a comment asks for; an example is offered where the model cannot write it."""
    (editor.folder / "orders.pq").write_text(ORDERS)
    editor.open("orders.pq")

    editor.press("Control+.")
    editor.page.locator(".action-widget .focused", has_text="generate from comment").wait_for()
    editor.press("Enter")

    insert = editor.button("Insert example")
    editor.wait_for(lambda: insert.count() or "let" in editor.lines())
    if insert.count():
        insert.click()
    editor.wait_for(lambda: any("Table.AddColumn" in line for line in editor.lines()))
    assert editor.lines()[0] == ORDERS.strip()


def test_the_command_says_where_it_helps(editor: Editor) -> None:
    """Away from any comment, "generate from comment" says what it needs and changes nothing."""
    before = editor.lines()

    editor.run("Bowerbird: Generate from Comment")

    editor.wait_for_message("comment")
    assert editor.lines() == before


def test_search_leads_to_the_page(editor: Editor, picture: Picture) -> None:
    """Plain words find what does that; the chosen page opens where it tells of it."""
    editor.run("Bowerbird: Search Documentation")
    editor.answer("search the documentation", "add a column to a table")
    editor.entry("Table.AddColumn").wait_for()
    picture("search", ".quick-input-widget")

    editor.choose("Table.AddColumn")

    editor.page.locator(".tab.active", has_text="table.md").wait_for()
    editor.wait_for(lambda: "## Table.AddColumn" in editor.lines())


def test_explain_says_why(editor: Editor, picture: Picture) -> None:
    """What was found, what was shown and what it took, beside the code."""
    shown = type_unfinished(editor)

    editor.run("Bowerbird: Explain Last Completion")

    page = editor.webview()
    page.get_by_text("shop/wishlist.py:9:17").first.wait_for()
    told = page.locator("body").inner_text()
    assert "A completion was shown." in told
    assert shown.splitlines()[0] in told
    assert page.locator("td", has_text="shop/money.py").count()
    picture("explain", ".part.editor")


def test_languages_have_colours(editor: Editor) -> None:
    """Files of our languages are known by their names, and their words are coloured."""
    files = (
        ("a.pony", "actor Main", "Pony"),
        ("b.ring", "see 1", "Ring"),
        ("c.pqm", "let x = 1 in x", "Power Query M"),
    )
    for name, code, language in files:
        (editor.folder / name).write_text(code)
        editor.open(name)
        editor.page.locator("[id='status.editor.mode']", has_text=language).wait_for()
        editor.page.locator(".view-line span[class*=mtk]:not(.mtk1)").first.wait_for()
