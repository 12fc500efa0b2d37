"""What a row of the checkers' table says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bowerbird.execution.executor import Level
from bowerbird.execution.toolchain import Locate, on_path

TOOL, FILE = "{tool}", "{file}"
"""Stand for the executable and the program's file in a row's commands."""

NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checker:
    """How one tool is asked, and how its answers are read."""

    name: str
    languages: tuple[str, ...]
    """Keys in `syntax.languages.LANGUAGES`."""
    executables: tuple[str, ...]
    """Names to look for, the best first."""
    check: tuple[str, ...]
    message: re.Pattern[str]
    """Of one thing that it says: groups ``line`` and ``text``, maybe ``path``, ``column`` (from 1), ``caret``
    (what stands before the fault in its line), ``code``, ``severity`` and ``more``."""
    level: Level
    file: str
    """What the program's file is called where it has no name."""
    good: str
    bad: str
    unseen: re.Pattern[str] = NEVER
    """A message that says no more than that a file or package is not in the sandbox: then nothing counts."""
    public: re.Pattern[str] | None = None
    """Its first group is what the file must be called."""
    not_for: tuple[str, ...] = ()
    """Extensions of the languages' files that it does not understand."""
    locate: Locate = on_path
