"""The tasks: comments of people, with a way to write the code, and for Python tests that decide."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources

from bowerbird.synthesis.prompt import commented
from bowerbird.synthesis.request import Request, request_at, request_for

LANGUAGES = ("powerquery", "pony", "ring", "python")
FIELD = "{comment}"


@dataclass(frozen=True, slots=True)
class Task:
    """One request."""

    language: str
    text: str
    """What the comment says."""
    solution: str
    """One way to write it."""
    file: str = ""
    """The document, with ``{comment}`` behind a comment's mark; empty for a file of its own."""
    tests: tuple[str, ...] = ()
    """Lines that fail where the code is wrong."""

    @property
    def request(self) -> Request:
        """As the engine wants it."""
        if not self.file:
            return request_for(self.language, self.text)
        line = self.file[: self.file.index(FIELD)].count("\n")
        request = request_at(self.file.replace(FIELD, self.text), self.language, line)
        if request is None:
            raise ValueError(f"{self.language}: {commented(self.text, self.language)} is no request")
        return request


def read_tasks(language: str) -> list[Task]:
    """Those of one language, in the order of its file."""
    path = resources.files("bowerbird") / "cli" / "bench" / "generate" / f"tasks_{language}.toml"
    with path.open("rb") as file:
        rows = tomllib.load(file)["task"]
    return [Task(language, **{**row, "tests": tuple(row.get("tests", ()))}) for row in rows]
