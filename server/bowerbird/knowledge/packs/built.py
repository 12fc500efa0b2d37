"""The built form of a pack on disk: so that pages are read, and code parsed, only when they have changed.

A file holds a digest of the rest on its first line, then JSON. Whatever is wrong with it, it is as if it
were not there.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, fields
from hashlib import blake2b
from pathlib import Path
from typing import Any

from bowerbird import __version__
from bowerbird.knowledge.packs.folder import Files
from bowerbird.knowledge.packs.manifest import Manifest, read_manifest
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.snippet import EntityKind, Example, GrammarEntity, Parameter
from bowerbird.syntax.grammars import why_missing
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.text import Span

VERSION = 1
"""Of what is found in pages and code; to be raised when reading or `usage` changes."""

_ENTITY_FIELDS = tuple(one.name for one in fields(GrammarEntity))
_EXAMPLE_FIELDS = tuple(one.name for one in fields(Example))
_OTHER_FIELDS = tuple((one.name, str(one.type)) for kind in (Manifest, Parameter) for one in fields(kind))
_SHAPE = repr((VERSION, __version__, _ENTITY_FIELDS, _EXAMPLE_FIELDS, _OTHER_FIELDS))
"""The same in every process that runs this program."""


def key_of(files: Files) -> str:
    """What the built form depends on: the pages, this program, and whether the language has a grammar."""
    digest = blake2b(_SHAPE.encode(), digest_size=16)
    manifest = read_manifest(files.manifest)[0] if files.manifest is not None else None
    if manifest is not None and manifest.language in LANGUAGES:
        digest.update(why_missing(manifest.language).encode())
    for name, content in (("", files.manifest or b""), *files.pages.items()):
        digest.update(f"{len(name)} {len(content)} {name}".encode("utf-8", "replace"))
        digest.update(content)
    return digest.hexdigest()


def cache_file(cache: Path, folder: Path) -> Path:
    """Where the built form of the pack in `folder` lies: one file for each folder, so none is left over."""
    place = blake2b(os.fsencode(folder.absolute()), digest_size=8).hexdigest()
    return cache / f"{folder.name}-{place}.json"


def read_built(path: Path, key: str, folder: Path) -> Pack | None:
    """The pack as it was built from files of this key; None where there is no such thing."""
    try:
        digest, _, content = path.read_bytes().partition(b"\n")
        if digest != _digest(content):
            return None
        told = json.loads(content)
        if told["key"] != key:
            return None
        return _unpacked(told, folder)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def write_built(path: Path, key: str, pack: Pack) -> None:
    """Keep the pack, all or nothing. Where the disk is full or may not be written, it is built each time."""
    text = json.dumps(_packed(key, pack), separators=(",", ":"), ensure_ascii=False)
    content = text.encode("utf-8", "replace")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace_file(path, _digest(content) + b"\n" + content)


def _replace_file(path: Path, content: bytes) -> None:
    """Write a file so that others see the old one or the new one, and never a part. Raises `OSError`."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).hexdigest().encode()


def _packed(key: str, pack: Pack) -> dict[str, Any]:
    return {
        "key": key,
        "manifest": asdict(pack.manifest),
        "problems": pack.problems,
        "entities": [_row(entity, _ENTITY_FIELDS) for entity in pack.entities],
        "examples": [_row(example, _EXAMPLE_FIELDS) for example in pack.examples],
        "used": pack.used,
    }


def _row(snippet: GrammarEntity | Example, names: Sequence[str]) -> list[Any]:
    return [_value(getattr(snippet, name)) for name in names]


def _value(value: Any) -> Any:
    if isinstance(value, Span):
        return [value.first, value.end]
    if isinstance(value, tuple):
        return [
            [one.name, one.type, one.optional, one.note] if isinstance(one, Parameter) else one
            for one in value
        ]
    return value


def _unpacked(told: dict[str, Any], folder: Path) -> Pack:
    manifest = Manifest(**{**told["manifest"], "sources": tuple(told["manifest"]["sources"])})
    return Pack(
        manifest,
        folder,
        tuple(map(_entity, told["entities"])),
        tuple(map(_example, told["examples"])),
        tuple(map(tuple, told["used"])),
        told["problems"],
    )


def _entity(row: list[Any]) -> GrammarEntity:
    values = dict(zip(_ENTITY_FIELDS, row, strict=True))
    values["kind"] = EntityKind(values["kind"])
    values["parameters"] = tuple(Parameter(*one) for one in values["parameters"])
    for name in ("signatures", "related", "aliases"):
        values[name] = tuple(values[name])
    values["span"] = Span(*values["span"])
    return GrammarEntity(**values)


def _example(row: list[Any]) -> Example:
    values = dict(zip(_EXAMPLE_FIELDS, row, strict=True))
    values["span"] = Span(*values["span"])
    return Example(**values)
