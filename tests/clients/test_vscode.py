"""The VS Code extension says what is true of the server, and its own checks pass."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest

from bowerbird import __version__
from bowerbird.lsp import code_action, commands, schemes
from bowerbird.settings import Settings
from bowerbird.syntax.languages import LANGUAGES
from e2e.vscode.build import npm, workshop
from test_readme import setting_rows

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "clients" / "vscode"
KEYS = Path(__file__).with_name("vscode_keys.txt")
"""All keys that VS Code 1.100 itself has, from its list of default keybindings."""

HIDDEN = {commands.ACCEPTED}
"""Run by completions themselves, so no user needs to see them."""
CLIENTS_OWN = {"restart", "search", "chooseModel", "install", "openLog", "openSettings", "menu"}


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    return json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))


def properties(manifest: dict[str, Any]) -> dict[str, Any]:
    sections = manifest["contributes"]["configuration"]
    return {name: entry for section in sections for name, entry in section["properties"].items()}


def source(name: str) -> str:
    return (CLIENT / "src" / name).read_text(encoding="utf-8")


def test_settings_are_the_servers() -> None:
    """One to one; `python clients/vscode/scripts/settings.py --update` writes them."""
    spec = importlib.util.spec_from_file_location("vscode_settings", CLIENT / "scripts" / "settings.py")
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    written = (CLIENT / "package.json").read_text(encoding="utf-8")
    assert written == script.as_text(script.updated(json.loads(written)))


def test_no_setting_is_forgotten(manifest: dict[str, Any]) -> None:
    """The README's table, which another test compares with the server, has the same names and marks."""
    rows = {
        f"bowerbird.{match[1]}": "*machine*" in row
        for row in setting_rows(Settings())
        if (match := re.match(r"\| `([\w.]+)`", row))
    }
    told = {name: entry["scope"] == "machine" for name, entry in properties(manifest).items()}
    own = {name for name in told if name.startswith("bowerbird.server.")}
    assert len(rows) > 50
    assert {name: mark for name, mark in told.items() if name not in own} == rows
    assert all(told[name] for name in own)


def test_what_names_programs_models_and_addresses_belongs_to_the_machine(manifest: dict[str, Any]) -> None:
    """By their names, so that a new one without its mark is seen; no untrusted folder can set them."""
    scopes = {name: entry["scope"] for name, entry in properties(manifest).items()}
    harmful = [
        name
        for name in scopes
        if re.search(r"(path|url|model|llamaServer|key|runPrograms|source|executable|checker)$", name, re.I)
    ]
    assert {"bowerbird.server.path", "bowerbird.generation.model"} <= set(harmful)
    assert [name for name in harmful if scopes[name] != "machine"] == []
    untrusted = manifest["capabilities"]["untrustedWorkspaces"]
    assert untrusted["supported"] == "limited"
    assert set(untrusted["restrictedConfigurations"]) == {
        name for name, scope in scopes.items() if scope == "machine"
    }


def test_commands_are_the_servers(manifest: dict[str, Any]) -> None:
    """Every command of the server can be run in the editor, and none is offered that nobody has."""
    offered = {command["command"] for command in manifest["contributes"]["commands"]}
    served = {*commands.COMMANDS, *code_action.COMMANDS} - HIDDEN
    own = {f"bowerbird.{name}" for name in CLIENTS_OWN}
    assert offered == served | own
    table = source("commands.ts")
    assert [
        name
        for name in offered
        if f'"{name.removeprefix("bowerbird.")}"' not in table and f'"{name}"' not in table
    ] == []


def test_whatever_names_a_command_names_one_that_is_there(manifest: dict[str, Any]) -> None:
    """Keys, menus, the walkthrough's buttons and the status item's menu."""
    contributes = manifest["contributes"]
    offered = {command["command"] for command in contributes["commands"]}
    named = {binding["command"] for binding in contributes["keybindings"]}
    named |= {entry["command"] for menu in contributes["menus"].values() for entry in menu}
    named |= set(re.findall(r"command:([\w.]+)", json.dumps(contributes["walkthroughs"])))
    named |= set(re.findall(r'"(bowerbird\.\w+)"', source("status.ts"))) - {
        "bowerbird.status",
        "bowerbird.running",
        "bowerbird.paused",
    }
    assert len(named) > 8
    assert named - offered == set()


def test_keys_collide_with_nobody(manifest: dict[str, Any]) -> None:
    """None is VS Code's, none begins one of its chords, and none is hidden by a key of its own."""
    taken = set(KEYS.read_text(encoding="utf-8").split("\n"))
    assert {"ctrl+k ctrl+s", "tab", "alt+]"} <= taken
    ours = [binding["key"] for binding in manifest["contributes"]["keybindings"]]
    assert ours
    assert len(set(ours)) == len(ours)
    for key in ours:
        assert key not in taken
        assert not any(other.startswith(f"{key} ") for other in taken)
        begin, _, _ = key.partition(" ")
        assert begin not in taken, "a key alone wins over a chord that begins with it"
    for binding in manifest["contributes"]["keybindings"]:
        assert binding["mac"] == binding["key"].replace("ctrl", "cmd")


def test_languages_are_the_servers(manifest: dict[str, Any]) -> None:
    """Ids that the server knows, with its file names and comments, and files that are there."""
    contributed = {language["id"]: language for language in manifest["contributes"]["languages"]}
    assert set(contributed) == {"powerquery", "ring", "pony"}
    grammars = {grammar["language"]: grammar for grammar in manifest["contributes"]["grammars"]}
    for name, language in contributed.items():
        known = LANGUAGES[name]
        assert name in known.lsp_ids
        assert set(language["extensions"]) == set(known.extensions)
        rules = json.loads((CLIENT / language["configuration"]).read_text(encoding="utf-8"))
        assert rules["comments"]["lineComment"] == known.comment
        grammar = json.loads((CLIENT / grammars[name]["path"]).read_text(encoding="utf-8"))
        assert grammar["scopeName"] == grammars[name]["scopeName"]


def test_documents_are_those_that_the_server_completes() -> None:
    """No scheme is asked about that the server takes for a view or a box."""
    (listed,) = re.findall(r"SCHEMES = \[(.*?)\];", source("protocol.ts"), re.DOTALL)
    asked = re.findall(r'^  "([\w-]+)"', listed, re.MULTILINE)
    assert {"file", "untitled", schemes.CELL_SCHEME, "vscode-scm"} <= set(asked)
    assert [
        scheme
        for scheme in asked
        if scheme != schemes.CELL_SCHEME and schemes.use_of(scheme) is not schemes.Use.CODE
    ] == []


def test_the_manifest_starts_nothing_early_and_names_what_is_there(manifest: dict[str, Any]) -> None:
    """The editor is up before the extension begins; icon, licence and pages exist; versions agree."""
    assert manifest["activationEvents"] == ["onStartupFinished"]
    assert manifest["version"] == __version__
    assert manifest["engines"]["vscode"] == "^1.100.0"
    assert (CLIENT / manifest["icon"]).is_file()
    assert (CLIENT / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    steps = [step for walkthrough in manifest["contributes"]["walkthroughs"] for step in walkthrough["steps"]]
    assert len(steps) == 5
    assert [step["id"] for step in steps if not (CLIENT / step["media"]["markdown"]).is_file()] == []
    assert all(re.fullmatch(r"[\d.]+", version) for version in manifest["devDependencies"].values())


def test_the_lock_file_names_no_registry() -> None:
    """Whoever builds takes the packages from a registry of their own."""
    lock = json.loads((CLIENT / "package-lock.json").read_text(encoding="utf-8"))
    packages = {path: package for path, package in lock["packages"].items() if path}
    assert len(packages) > 50
    assert [path for path, package in packages.items() if "resolved" in package] == []
    assert [path for path, package in packages.items() if "integrity" not in package] == []


@pytest.mark.parametrize("script", ["lint", "check", "test"])
def test_its_own_checks_pass(script: str) -> None:
    """`npm run lint` (eslint, formatting), `npm run check` (types) and `npm test` (units, grammars)."""
    with workshop() as copy:
        npm(copy, "run", script)
