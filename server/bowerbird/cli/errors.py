"""What can go wrong in the shell, and the exit code of each.

Errors::

    CliError               carries an exit code; `str()` is one sentence for the user
    ├── NothingDone        1  the command ran, and its answer is "no" or "nothing"
    ├── UsageError         2  the command line makes no sense
    ├── ModelProblem       3  no engine, no model, or a model that cannot be loaded
    └── InputNotFound      4  a file or folder that is not there or cannot be read
"""

# ruff: noqa: N818 - the names say what is wrong

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What a program that called Bowerbird learns from it."""

    DONE = 0
    NOTHING = 1
    USAGE = 2
    MODEL = 3
    INPUT = 4
    FAULT = 70
    """A mistake of Bowerbird's own (`EX_SOFTWARE` in sysexits.h)."""


EXIT_CODES = (
    "Exit codes: 0 done; 1 nothing to show, or the answer is no; 2 the command line makes no sense; "
    "3 the model or its engine is missing or broken; 4 a file or folder was not found or cannot be read."
)
"""For ``--help``."""


class CliError(Exception):
    """Something that the user should be told."""

    exit_code = ExitCode.FAULT


class NothingDone(CliError):
    """The command ran, and there is nothing to show."""

    exit_code = ExitCode.NOTHING


class UsageError(CliError):
    """The command line makes no sense."""

    exit_code = ExitCode.USAGE


class ModelProblem(CliError):
    """No completion is possible for want of a model."""

    exit_code = ExitCode.MODEL


class InputNotFound(CliError):
    """A file or folder that is not there or cannot be read."""

    exit_code = ExitCode.INPUT
