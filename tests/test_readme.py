"""The README says what is true: settings, modules, commands and links are compared with the code.

Its tables are written from the code by ``python tests/test_readme.py --update``.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from bowerbird import settings
from bowerbird.cli.app import app
from bowerbird.cli.bench.app import bench
from bowerbird.lsp.options import camel
from bowerbird.settings import Settings

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PACKAGE = ROOT / "server" / "bowerbird"


def field_sentences() -> dict[tuple[str, str], str]:
    """What stands under each field of the settings, by class and field."""
    sentences = {}
    tree = ast.parse(Path(settings.__file__).read_text(encoding="utf-8"))
    for owner in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for field, below in zip(owner.body, owner.body[1:], strict=False):
            match field, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    sentences[owner.name, name] = " ".join(text.split())
    return sentences


def setting_rows(group: object, prefix: str = "") -> Iterator[str]:
    """One row for each setting, groups opened."""
    sentences = field_sentences()
    for field in fields(group):  # type: ignore[arg-type]
        value = getattr(group, field.name)
        key = prefix + camel(field.name)
        if is_dataclass(value):
            yield from setting_rows(value, f"{key}.")
        else:
            mark = " *machine*" if field.metadata.get("machine") else ""
            yield f"| `{key}` | `{shown(value)}` | {sentences[type(group).__name__, field.name]}{mark} |"


def shown(value: object) -> str:
    """A default as it stands in an editor's JSON."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case tuple():
            return "[" + ", ".join(map(shown, value)) + "]"
    return str(value)


def settings_table() -> str:
    """Every setting with its default and its sentence."""
    return "\n".join(["| setting | default | |", "|---|---|---|", *setting_rows(Settings())])


def modules() -> list[Path]:
    """Every module of the package that does something, as the code map lists them."""
    found = [path for path in PACKAGE.rglob("*.py") if path.stem != "__init__"]
    return sorted(path.relative_to(PACKAGE) for path in found)


def code_map() -> str:
    """Every module with its opening sentence, folder by folder, each folder led by its own sentence."""
    lines = []
    for folder in sorted({path.parent for path in modules()}, key=lambda folder: (folder != Path(), folder)):
        if folder != Path():
            lines += ["", f"**`{folder.as_posix()}/`** {opening(folder / '__init__.py')}", ""]
        lines += ["| module | |", "|---|---|"]
        lines += [f"| `{path.name}` | {opening(path)} |" for path in modules() if path.parent == folder]
    return "\n".join(lines)


def opening(module: Path) -> str:
    """The first paragraph of a module's docstring on one line."""
    docstring = ast.get_docstring(ast.parse((PACKAGE / module).read_text(encoding="utf-8"))) or ""
    return " ".join(docstring.split("\n\n")[0].split()).replace("``", "`").replace("|", "\\|")


TABLES: dict[str, Callable[[], str]] = {"settings": settings_table, "code map": code_map}
"""What is written between ``<!-- NAME -->`` and ``<!-- /NAME -->``."""


def section(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)


def update() -> None:
    """Write the tables anew."""
    text = README.read_text(encoding="utf-8")
    for name, table in TABLES.items():
        text = section(name).sub(lambda _, table=table: f"\n{table()}\n\n", text)
    README.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def readme() -> str:
    return README.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_the_code(readme: str, name: str) -> None:
    """The tables are exactly what the code says (`python tests/test_readme.py --update` writes them)."""
    (written,) = section(name).findall(readme)
    assert written.strip().splitlines() == TABLES[name]().splitlines()


def test_every_setting_has_a_sentence() -> None:
    """No setting goes unexplained, whatever group it stands in."""
    rows = list(setting_rows(Settings()))
    assert len(rows) > len(fields(Settings))
    assert all(re.search(r"\| [A-Z].*\.( \*machine\*)? \|$", row) for row in rows), rows


def test_every_module_opens_with_a_sentence() -> None:
    """A module's first paragraph says in one sentence what it is for."""
    openings = {path: opening(path) for path in modules()}
    assert {path: text for path, text in openings.items() if not re.fullmatch(r"\S.*[.:?]", text)} == {}


def test_make_targets_exist(readme: str) -> None:
    """Whatever `make` command the README names can be made."""
    named = set(re.findall(r"\bmake ([a-z]+)\b", "\n".join(code_parts(readme))))
    there = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"try", "test"} <= named <= there


def test_commands_exist(readme: str) -> None:
    """The README names every `bowerbird` command, and none that does not exist, benches included."""
    code = "\n".join(code_parts(readme))
    assert set(re.findall(r"\bbowerbird ([a-z]+)\b", code)) == commands(app)
    assert set(re.findall(r"\bbowerbird bench ([a-z]+)\b", code)) <= commands(bench)


def commands(group: typer.Typer) -> set[str]:
    """The names of a group's commands, those included that are loaded on demand."""
    command = typer.main.get_command(group)
    assert isinstance(command, TyperGroup)
    return set(command.list_commands(typer.Context(command)))


def test_links_lead_somewhere(readme: str) -> None:
    """Every relative link is a file of the checkout."""
    targets = [target.split("#")[0] for target in re.findall(r"\]\(([^)]+)\)", readme) if "://" not in target]
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def code_parts(text: str) -> list[str]:
    """What stands in code fences and between backquotes."""
    return re.findall(r"```.*?```|`[^`\n]+`", text, re.DOTALL)


if __name__ == "__main__" and sys.argv[1:] == ["--update"]:
    update()
