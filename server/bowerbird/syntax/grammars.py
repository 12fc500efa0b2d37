"""Load grammars: our own, compiled into this package, and those of `tree_sitter_language_pack`.

Ours stand in the checkout's ``grammars`` and make one plain shared library. It is no Python module (compiling
it takes a C compiler and no Python headers), so it is opened by `ctypes`. Installing Bowerbird does not fail
where there is no compiler: those languages are then served by lines.
"""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.util import find_spec
from typing import Any, cast

import tree_sitter
from tree_sitter_language_pack import get_language

from bowerbird.syntax.languages import LANGUAGES

OWN = frozenset({"powerquery", "ring"})
"""Grammars in our library; ``pyproject.toml`` lists their sources."""

_LIBRARY = "bowerbird.syntax._grammars"
_CAPSULE = b"tree_sitter.Language"  # kept here, for a capsule keeps but the address of its name


class NoGrammarError(Exception):
    """A language's grammar cannot be loaded, or it has none; says why."""


def grammar_of(language: str) -> tree_sitter.Language:
    """The grammar of a language that has one; loaded once. Raises `NoGrammarError`."""
    loaded = _load(LANGUAGES[language].grammar)
    if isinstance(loaded, str):
        raise NoGrammarError(loaded)
    return loaded


def why_missing(language: str) -> str:
    """Why `grammar_of` raises for `language`; empty where it does not."""
    loaded = _load(LANGUAGES[language].grammar)
    return loaded if isinstance(loaded, str) else ""


@cache
def _load(grammar: str | None) -> tree_sitter.Language | str:
    """The grammar, or why there is none. What went wrong once would again."""
    if grammar is None:
        return "no grammar is known"
    try:
        return _own(grammar) if grammar in OWN else get_language(cast("Any", grammar))
    except Exception as error:  # whatever a package or a library that does not fit raises
        return str(error) or type(error).__name__


def _own(grammar: str) -> tree_sitter.Language:
    spec = find_spec(_LIBRARY)
    if spec is None or spec.origin is None:
        raise NoGrammarError("our grammars were not compiled when Bowerbird was installed")
    function = getattr(ctypes.CDLL(spec.origin), f"tree_sitter_{grammar}")
    function.restype = ctypes.c_void_p
    new_capsule = ctypes.pythonapi.PyCapsule_New
    new_capsule.restype = ctypes.py_object
    new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return tree_sitter.Language(new_capsule(function(), _CAPSULE, None))
