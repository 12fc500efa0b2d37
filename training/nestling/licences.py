"""Which licence a tree or a file stands under, as far as its own files tell."""

from __future__ import annotations

import re
from pathlib import Path

PERMISSIVE = frozenset(
    {
        *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT", "MIT-0"),
        *("PSF-2.0", "Python-2.0", "Unlicense", "Zlib", "curl"),
    }
)
"""SPDX names."""

LICENCE_FILE = re.compile(r"^(?:un)?li[cs]en[cs]e|^copying|^copyright", re.IGNORECASE)

_PHRASES: tuple[tuple[str, str], ...] = (
    # Reciprocal ones first: their texts may quote others.
    ("GPL", r"GNU (?:AFFERO |LESSER |LIBRARY )?GENERAL PUBLIC LICEN[CS]E"),
    ("MPL-2.0", r"Mozilla Public License"),
    ("EPL", r"Eclipse Public License"),
    ("CDDL", r"COMMON DEVELOPMENT AND DISTRIBUTION LICEN[CS]E"),
    ("SSPL", r"Server Side Public License|Business Source License|Elastic License|Commons Clause"),
    ("CC-BY-NC", r"NonCommercial|non-commercial (?:use|purposes) only"),
    ("Apache-2.0", r"Apache License,?\s+Version 2\.0"),
    ("BSL-1.0", r"Boost Software License"),
    ("Unlicense", r"free and unencumbered software released into the public domain"),
    ("CC0-1.0", r"CC0 1\.0 Universal"),
    ("Zlib", r"This software is provided ['\"]as-is['\"], without any express or implied\s+warranty"),
    ("PSF-2.0", r"PYTHON SOFTWARE FOUNDATION LICENSE"),
    ("curl", r"COPYRIGHT AND PERMISSION NOTICE"),
    ("MIT", r"Permission is hereby granted, free of charge, to any person obtaining\s+a\s+copy"),
    ("ISC", r"Permission to use, copy, modify, and/?(?:or)? ?distribute this software for any\s+purpose"),
    ("BSD-3-Clause", r"Redistribution and use in source and binary forms[\s\S]*?Neither the name"),
    ("BSD-2-Clause", r"Redistribution and use in source and binary forms"),
)
_BY_PHRASE = [(name, re.compile(phrase, re.IGNORECASE)) for name, phrase in _PHRASES]
_DECLARED = {
    "METADATA": re.compile(r"^License-Expression: (.+)$|^License: (.{2,60})$", re.MULTILINE),
    "package.json": re.compile(r'"license"\s*:\s*"([^"]+)"'),
    "package.ring": re.compile(r':license\s*=\s*"([^"]+)"'),
    "Cargo.toml": re.compile(r'^license\s*=\s*"([^"]+)"', re.MULTILINE),
    "pyproject.toml": re.compile(r'^license\s*=\s*(?:\{\s*text\s*=\s*)?"([^"]+)"', re.MULTILINE),
}
_NAMED = re.compile(r"GPL|MPL|EPL|CDDL|SSPL|LicenseRef|proprietary|\bNC\b", re.IGNORECASE)
_CLASSIFIER = re.compile(r"^Classifier: License :: OSI Approved :: (MIT|BSD|Apache|ISC)", re.MULTILINE)
_CLASSES = {"MIT": "MIT", "BSD": "BSD-3-Clause", "Apache": "Apache-2.0", "ISC": "ISC"}
_SPELLINGS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "Apache-2.0",
        re.compile(
            r"^(?:the )?apache(?: software)?(?: licen[cs]e)?,?(?:[ -](?:version )?v?2(?:\.0)?)*$", re.I
        ),
    ),
    ("BSD-3-Clause", re.compile(r"^(?:new |modified )?bsd(?: 3-clause| licen[cs]e)*$", re.I)),
    ("MIT", re.compile(r"^(?:the )?mit(?: licen[cs]e)?$", re.I)),
    ("ISC", re.compile(r"^isc(?: licen[cs]e)?$", re.I)),
)
"""How people write them who do not write SPDX."""
_SPDX_LINE = re.compile(r"SPDX-License-Identifier:\s*([^\s*]+(?: (?:OR|AND|WITH) [^\s*]+)*)")
_RECIPROCAL = re.compile(
    r"GNU (?:Affero |Lesser |Library )?General Public|\b[AL]?GPL ?v?[23]|Mozilla Public License|"
    r"Eclipse Public License|proprietary and confidential|All rights reserved\.? *(?:\*/)?$(?![\s\S]*licen)",
    re.IGNORECASE | re.MULTILINE,
)
HEAD_CHARACTERS = 2_500


def licence_of_text(text: str) -> str | None:
    """The SPDX name, about, of a licence's text."""
    return next((name for name, phrase in _BY_PHRASE if phrase.search(text)), None)


def is_permissive(expression: str) -> bool:
    """Does an SPDX expression leave a permissive choice? Every part of an AND must."""
    words = expression.replace("(", " ").replace(")", " ").replace("/", " OR ")
    parts = re.split(r"\s+AND\s+", words.strip(), flags=re.IGNORECASE)
    return all(
        any(_spdx(choice) in PERMISSIVE for choice in re.split(r"\s+OR\s+", part, flags=re.IGNORECASE))
        for part in parts
    )


def licence_of_tree(folder: Path) -> str | None:
    """What the files at the top of `folder` (of a wheel: its dist-info) say; None where they say nothing.

    Several licence files are a choice (``MIT OR Apache-2.0``) where each is permissive.
    """
    tops = [folder, *sorted(folder.glob("*.dist-info")), *sorted(folder.glob("*.dist-info/licenses"))]
    declared = next((found for top in tops if (found := _declared(top))), None)
    if declared and (is_permissive(declared) or _NAMED.search(declared)):
        return _normal(declared)
    names = sorted({name for top in tops for path in licence_files(top) if (name := licence_of_file(path))})
    if any(name not in PERMISSIVE for name in names):
        return " AND ".join(names)
    return " OR ".join(names) or None


def licence_files(folder: Path) -> list[Path]:
    """The files directly in `folder` that hold licences."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_file() and LICENCE_FILE.match(path.name))


def licence_of_file(path: Path) -> str | None:
    """The SPDX name, about, of a file that holds a licence."""
    return licence_of_text(path.read_text(encoding="utf-8", errors="replace"))


def head_forbids(text: str) -> bool:
    """Does a source file's own head name a licence that is not permissive?"""
    head = text[:HEAD_CHARACTERS]
    found = _SPDX_LINE.search(head)
    if found:
        return not is_permissive(found[1].strip("\"'"))
    return bool(_RECIPROCAL.search(head))


def _declared(folder: Path) -> str | None:
    for name, pattern in _DECLARED.items():
        path = folder / name
        if path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            if found := pattern.search(text):
                return next(group for group in found.groups() if group).strip()
            if name == "METADATA" and (classified := _CLASSIFIER.search(text)):
                return _CLASSES[classified[1]]
    return None


def _normal(expression: str) -> str:
    """The same expression in SPDX's spelling."""
    parts = re.split(r"( OR | AND |[()])", expression.strip())
    return "".join(part if part in ("", " OR ", " AND ", "(", ")") else _spdx(part) for part in parts)


def _spdx(word: str) -> str:
    word = word.strip().strip("\"'")
    exact = next((name for name in PERMISSIVE if name.lower() == word.lower()), None)
    return exact or next((name for name, spelt in _SPELLINGS if spelt.match(word)), word)
