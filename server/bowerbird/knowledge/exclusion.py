"""Why a file is kept out: short codes for programs, a sentence each for people."""

from __future__ import annotations

from enum import StrEnum


class Exclusion(StrEnum):
    """A reason that `Policy.excluded` gives and `ScanReport.skipped` counts."""

    OUTSIDE = "outside"
    IGNORED = "ignored"
    DEPENDENCIES = "dependencies"
    VERSION_CONTROL = "version-control"
    SECRET_NAME = "secret-name"
    BINARY = "binary"
    GENERATED = "generated"
    MINIFIED = "minified"
    TOO_LARGE = "too-large"
    TOO_MANY = "too-many"
    NO_MEMORY = "no-memory"
    LINK = "link"
    SPECIAL = "special"
    UNREADABLE = "unreadable"


SENTENCES: dict[Exclusion, str] = {
    Exclusion.OUTSIDE: "It lies in none of the workspace's folders, or is a link that leads out of them.",
    Exclusion.IGNORED: "An ignore file or the setting index.exclude names it.",
    Exclusion.DEPENDENCIES: "It is a dependency or a cache; a line with ! in .bowerbirdignore lets it in.",
    Exclusion.VERSION_CONTROL: "It is version control's own.",
    Exclusion.SECRET_NAME: "Files of this name hold secrets.",
    Exclusion.BINARY: "It is not text.",
    Exclusion.GENERATED: "A program wrote it.",
    Exclusion.MINIFIED: "Its lines are too long to have been written by hand.",
    Exclusion.TOO_LARGE: "It is larger than the setting index.maxFileBytes allows.",
    Exclusion.TOO_MANY: "The index holds as many files as the setting index.maxFiles allows.",
    Exclusion.NO_MEMORY: "The index takes as much memory as the setting index.maxMemoryBytes allows.",
    Exclusion.LINK: "It is a link; what it leads to is read where it stands.",
    Exclusion.SPECIAL: "It is a pipe, a socket or a device.",
    Exclusion.UNREADABLE: "It could not be opened.",
}
