"""What the extension does when things are not as they should be: in a real VS Code, with real processes."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from zipfile import ZipFile

from e2e.vscode.build import CLIENT
from e2e.vscode.code_server import CodeServer
from e2e.vscode.editor import Editor
from e2e.vscode.scripted import CRASHES, REFINES, starts, write_server
from e2e.vscode.windows import SERVER, Open, type_unfinished

STARTS_AT_MOST = 4
"""Of a server that ends at once: the first, and three more."""


def test_a_killed_server_is_back(editor: Editor, studio: CodeServer) -> None:
    """It is started again by itself, nobody is bothered, and what was typed meanwhile is completed."""
    (old,) = studio.processes(str(SERVER), "serve")

    old.send_signal(signal.SIGKILL)

    editor.wait_for(lambda: not old.is_running())
    assert type_unfinished(editor)  # while nobody listens
    editor.wait_for_status("ready")
    assert {*studio.processes(str(SERVER), "serve")} - {old}
    assert editor.messages() == []


def test_a_crash_loop_ends_with_one_message(open_window: Open, shop: Path, tmp_path: Path) -> None:
    """A server that ends at once is tried a few times; then its own words are told, once, and that is all."""
    broken = write_server(tmp_path / "bowerbird", "9.9.9", CRASHES)

    editor = open_window(shop, "shop/wishlist.py", machine={"bowerbird.server.path": str(broken)})

    editor.wait_for_message("stays down", "libbird.so was not found")
    editor.wait_for_status("not running")
    assert starts(broken) == STARTS_AT_MOST
    assert len(editor.messages()) == 1
    assert editor.button("Restart").count() == 1


def test_a_server_that_is_too_old(open_window: Open, shop: Path, tmp_path: Path) -> None:
    """It is not started; its version is told, with the button that installs a newer one."""
    old = write_server(tmp_path / "bowerbird", "0.0.1", CRASHES)

    editor = open_window(shop, "shop/wishlist.py", machine={"bowerbird.server.path": str(old)})

    editor.wait_for_message("Bowerbird 0.0.1", "or newer")
    editor.wait_for_status("too old")
    assert editor.button("Install").count() == 1
    assert starts(old) == 0


def wheel_of(folder: Path) -> Path:
    """A package without dependencies whose ``bowerbird`` is the tested one; pip needs no network for it."""
    info = "bowerbird-9.9.9.dist-info"
    server = repr(str(SERVER))
    files = {
        "bowerbird_beside.py": f"import os, sys\ndef main(): os.execv({server}, [{server}, *sys.argv[1:]])\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: bowerbird\nVersion: 9.9.9\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\nbowerbird = bowerbird_beside:main\n",
    }
    path = folder / "bowerbird-9.9.9-py3-none-any.whl"
    with ZipFile(path, "w") as wheel:
        for name, content in {**files, f"{info}/RECORD": "".join(f"{name},,\n" for name in files)}.items():
            wheel.writestr(name, content)
    return path


def test_a_missing_server_is_installed_by_one_button(open_window: Open, shop: Path, tmp_path: Path) -> None:
    """It says that there is none; the button makes an environment, and from then on it completes."""
    machine = {"bowerbird.server.path": "", "bowerbird.server.source": str(wheel_of(tmp_path))}
    editor = open_window(shop, "shop/wishlist.py", machine=machine)
    editor.wait_for_message("server was not found")
    editor.wait_for_status("not installed")

    editor.button("Install").click()

    editor.wait_for_status("ready")
    assert type_unfinished(editor)


def test_an_untrusted_folder_is_indexed_and_no_more(open_window: Open, shop: Path) -> None:
    """Nothing is completed and the status says why; once the user trusts the folder, ghost text comes."""
    careful = {"security.workspace.trust.enabled": True, "security.workspace.trust.startupPrompt": "never"}
    editor = open_window(shop, "shop/wishlist.py", user=careful)
    editor.wait_for_status("4 files indexed", "not trusted")
    editor.press("Control+End")
    editor.type("        self.cur")
    editor.run("Trigger Inline Suggestion")
    editor.run("Bowerbird: Explain Last Completion")
    editor.webview().locator("h1").wait_for()  # so the answer to what was asked before is here, too
    assert not editor.has_ghost()

    editor.run("Workspaces: Manage Workspace Trust")
    editor.page.locator(".workspace-trust-editor .monaco-button", has_text="Trust").first.click()
    editor.open("shop/wishlist.py")
    editor.wait_for_status("ready")
    editor.press("Control+End")
    editor.type("r")
    assert editor.ghost()


def planted_settings(program: Path) -> dict[str, object]:
    """Each setting that can do harm, as a hostile repository would set it."""
    properties = json.loads((CLIENT / "package.json").read_text())["contributes"]["configuration"]
    blocks = properties if isinstance(properties, list) else [properties]
    harmful = {
        name: schema
        for block in blocks
        for name, schema in block["properties"].items()
        if schema.get("scope") == "machine"
    }
    assert "bowerbird.server.path" in harmful
    values = {"string": str(program), "boolean": True, "array": [str(program)]}
    return {name: values[schema["type"]] for name, schema in harmful.items() if schema["type"] in values}


def test_a_file_of_the_workspace_sets_nothing(open_window: Open, shop: Path) -> None:
    """Settings, programs and environments that lie in the folder change neither the server nor the model."""
    planted = write_server(shop / "bowerbird", "9.9.9", CRASHES)
    for place in ("bin", ".venv/bin", "node_modules/.bin"):
        (shop / place).mkdir(parents=True)
        write_server(shop / place / "bowerbird", "9.9.9", CRASHES)
    settings = {**planted_settings(planted), "python.defaultInterpreterPath": str(shop / ".venv/bin/python")}
    (shop / ".vscode").mkdir()
    (shop / ".vscode" / "settings.json").write_text(json.dumps(settings))

    editor = open_window(shop, "shop/wishlist.py")
    editor.wait_for_status("ready")

    assert type_unfinished(editor)
    editor.wait_for_status("Model: nestling")
    assert list(shop.rglob("*.starts")) == []


def test_a_refined_answer_takes_the_place_of_the_first(open_window: Open, shop: Path, tmp_path: Path) -> None:
    """When the server has better words for what is on show, they are fetched and shown."""
    refining = write_server(tmp_path / "bowerbird", "9.9.9", REFINES)
    editor = open_window(shop, "shop/wishlist.py", machine={"bowerbird.server.path": str(refining)})
    editor.wait_for_status("ready")

    editor.press("Control+End")
    editor.type("x")

    editor.wait_for(lambda: editor.has_ghost() and editor.ghost() == "second")
