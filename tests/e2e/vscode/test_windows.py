"""One window, two or none on a folder, and large files, in a real VS Code with the real server and model."""

from __future__ import annotations

from pathlib import Path

from e2e.vscode.code_server import CodeServer
from e2e.vscode.windows import SERVER, Open, type_unfinished

BIG = 5_000_000


def test_windows_leave_no_servers_behind(studio: CodeServer, open_window: Open, shop: Path) -> None:
    """A closed window's server ends."""
    editor = open_window(shop)
    editor.wait_for_status("ready")
    assert len(studio.processes(str(SERVER), "serve")) == 1

    editor.page.goto("about:blank")

    editor.wait_for(lambda: studio.processes(str(SERVER), "serve") == [])


def test_two_windows_on_one_folder(open_window: Open, shop: Path) -> None:
    """Each has a server of its own, and both complete."""
    editors = [open_window(shop, f"shop/{name}.py") for name in ("wishlist", "cart")]
    for editor in editors:
        editor.wait_for_status("ready")
    shown = [type_unfinished(editor) for editor in editors]
    assert all(shown)


def test_without_a_folder(open_window: Open) -> None:
    """A new file that was never saved, in a window on no folder, is completed from itself."""
    editor = open_window(None, user={"files.defaultLanguage": "python"})
    editor.wait_for_status("ready")
    editor.run("File: New Untitled Text File")
    editor.wait_for_file("Untitled-1")
    editor.page.keyboard.insert_text("class Money:\n    def __init__(self, amount, currency):\n")
    editor.type("        self.amount = amount\nself.cur")
    assert editor.ghost()


def test_a_file_of_5_mb(open_window: Open, shop: Path) -> None:
    """Typing in it goes on, and other files are completed meanwhile."""
    line = "RATES[%06d] = exchange_rate('EUR', 'USD', day=%06d, source='a central bank')\n"
    (shop / "rates.py").write_text("".join(line % (i, i) for i in range(BIG // len(line % (0, 0)))))
    editor = open_window(shop, "rates.py")
    editor.wait_for_status("ready")

    editor.press("Control+End")
    editor.type("RATES[0] = ex")
    editor.wait_for(lambda: editor.lines()[-1].startswith("RATES[0] = ex"))

    editor.open("shop/wishlist.py")
    assert type_unfinished(editor)
