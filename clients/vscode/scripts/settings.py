"""The server's settings in the extension's manifest: `python clients/vscode/scripts/settings.py --update`.

Everything the settings editor shows comes from `bowerbird/settings.py`: names, defaults, sentences, ranges,
words to choose from, and what no file of a workspace may set. The manifest's first section is the client's,
and stays.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MANIFEST = HERE.parent / "package.json"
if __name__ == "__main__":  # a checkout is enough, it need not be installed
    sys.path.insert(0, str(HERE.parents[2] / "server"))

from bowerbird import settings  # noqa: E402
from bowerbird.lsp.options import CHOICES, LIMITS, SECTION, camel  # noqa: E402

TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}
TEXTS = {"type": "array", "items": {"type": "string"}}


def sentences() -> dict[tuple[str, str], str]:
    """What stands under each class and field: by class and field, the class's own under an empty field."""
    told = {}
    tree = ast.parse(Path(settings.__file__).read_text(encoding="utf-8"))
    for owner in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        told[owner.name, ""] = ast.get_docstring(owner) or ""
        for field, below in zip(owner.body, owner.body[1:], strict=False):
            match field, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    told[owner.name, name] = " ".join(text.split()).replace("``", "`")
    return told


def properties(group: Any, prefix: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The manifest's entry of each setting of a group, groups within it opened."""
    told = sentences()
    for field in fields(group):
        value, name = getattr(group, field.name), prefix + camel(field.name)
        if is_dataclass(value):
            yield from properties(value, f"{name}.")
            continue
        is_machine = bool(field.metadata.get("machine"))
        entry: dict[str, Any] = dict(TEXTS) if isinstance(value, tuple) else {"type": TYPES[type(value)]}
        entry["default"] = list(value) if isinstance(value, tuple) else value
        if name in CHOICES:
            entry["enum"] = list(CHOICES[name])
        if name in LIMITS:
            entry["minimum"], entry["maximum"] = LIMITS[name]
        entry["scope"] = "machine" if is_machine else "window"
        entry["markdownDescription"] = told[type(group).__name__, field.name]
        yield f"{SECTION}.{name}", entry


def sections() -> list[dict[str, Any]]:
    """One section of the settings editor for each group of the server's settings."""
    groups = settings.Settings()
    return [
        {
            "title": field.name.capitalize(),
            "properties": dict(properties(getattr(groups, field.name), f"{camel(field.name)}.")),
        }
        for field in fields(groups)
    ]


def updated(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest with the server's settings as they are now."""
    own = manifest["contributes"]["configuration"][0]
    configuration = [own, *sections()]
    manifest["contributes"]["configuration"] = configuration
    everything = {name: entry for section in configuration for name, entry in section["properties"].items()}
    machine = [name for name, entry in everything.items() if entry["scope"] == "machine"]
    manifest["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"] = machine
    return manifest


def as_text(manifest: dict[str, Any]) -> str:
    """As npm would write it."""
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def update() -> None:
    """Write the manifest anew."""
    MANIFEST.write_text(as_text(updated(json.loads(MANIFEST.read_text(encoding="utf-8")))), encoding="utf-8")


if __name__ == "__main__" and sys.argv[1:] == ["--update"]:
    update()
