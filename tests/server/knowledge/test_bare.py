"""Directories' paths, with and without the separator at their end, on every system."""

from __future__ import annotations

import ntpath
import posixpath
from types import ModuleType

import pytest

from bowerbird.knowledge.bare import bare, is_top, whole


@pytest.mark.parametrize(
    ("flavour", "path", "expected"),
    [
        (posixpath, "/", ""),
        (posixpath, "/home/anna", "/home/anna"),
        (posixpath, "/home/odd:", "/home/odd:"),
        (ntpath, "D:\\", "D:"),
        (ntpath, "D:\\code", "D:\\code"),
        (ntpath, "\\\\server\\share", "\\\\server\\share"),
        (ntpath, "\\\\server\\share\\code", "\\\\server\\share\\code"),
    ],
)
def test_there_and_back(flavour: ModuleType, path: str, expected: str) -> None:
    """The same directory, and what lies in it is a sum of texts: on Windows ``D:`` alone is another one."""
    assert bare(path, flavour) == expected
    again = whole(expected, flavour)
    assert bare(again, flavour) == expected
    assert flavour.isabs(again)
    assert flavour.join(path, "a.py") == f"{expected}{flavour.sep}a.py"
    assert is_top(expected, flavour) == (flavour.dirname(again) == again)
