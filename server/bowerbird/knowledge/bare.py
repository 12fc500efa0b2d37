"""Directories' paths without a separator at their end, so that what lies in them is one sum, and back.

The top of a file system is then "", and of a drive on Windows ``D:``, which alone means another directory.
"""

from __future__ import annotations

import os
from types import ModuleType


def bare(path: str, flavour: ModuleType = os.path) -> str:
    """``/a`` of ``/a/``, "" of ``/``, ``D:`` of ``D:\\``. `flavour` is `posixpath` or `ntpath`."""
    return path.rstrip(flavour.sep)


def whole(path: str, flavour: ModuleType = os.path) -> str:
    """The path by which the system knows a directory that is written bare."""
    return f"{path}{flavour.sep}" if is_top(path, flavour) else path


def is_top(path: str, flavour: ModuleType = os.path) -> bool:
    """Is it, written bare, the top of a file system, a drive or a share?"""
    return not flavour.splitdrive(path)[1]
