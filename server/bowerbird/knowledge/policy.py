"""The one door: what may be read, and what of it may enter a prompt. Every source of context asks here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bowerbird.knowledge import secrets
from bowerbird.knowledge.exclusion import Exclusion
from bowerbird.knowledge.names import path_exclusion
from bowerbird.knowledge.reading import Reading, read_file, stamp_at, text_exclusion
from bowerbird.knowledge.rulebook import RuleBook
from bowerbird.settings import IndexSettings

MAX_REMEMBERED = 1000
"""Files asked about one by one, such as those that are open; those that are walked over are not counted."""


class Policy:
    """Ignore rules and secrets for some workspace folders. Any thread may ask."""

    def __init__(self, folders: Sequence[Path], settings: IndexSettings) -> None:
        self.settings = settings
        self.rules = RuleBook(folders, settings.exclude)
        self.generation = object()
        """Another one when what was answered before may no longer hold."""
        self._read: dict[str, Reading] = {}
        """What came of reading files that were asked about, without their texts."""

    def excluded(self, path: Path) -> str | None:
        """Why the file at `path` is kept out, as an `Exclusion`, or None.

        A file that is not there yet is judged by its name and the ignore rules alone. One that lies in no
        folder is judged by its name and its text: it never enters the index, but may be open in the editor.
        """
        absolute = os.path.abspath(path)
        if self.rules.folder_of(absolute) is not None:
            return self._excluded(absolute)
        real = os.path.realpath(absolute)
        return path_exclusion(absolute) or path_exclusion(real) or self._by_text(real, admitted=False)

    def holds_secret(self, text: str) -> bool:
        """Does a secret stand in the text? Then it enters no prompt."""
        return secrets.holds_secret(text)

    def may_keep(self, text: str) -> bool:
        """May the text of a file be kept on disk? Not with a secret in it, anywhere."""
        return not secrets.file_holds_secret(text)

    def redact(self, text: str) -> str:
        """The text with its secrets masked and its lines kept."""
        return secrets.redact(text)

    def redact_around(self, before: str, behind: str) -> tuple[str, str]:
        """Both sides of a cursor, which may stand in the midst of a secret."""
        return secrets.redact_around(before, behind)

    def is_within_secret(self, before: str, behind: str) -> bool:
        """Does the cursor stand in a secret? What is written there would only part it."""
        return secrets.is_within_secret(before, behind)

    def read(self, path: str, last: Reading | None = None) -> Reading:
        """Read a file of the index, if it may be read; `path` is absolute.

        The answer is `last` itself where the file is still as it was at that reading.
        """
        verdict = self.rules.file(path)
        if verdict.exclusion is not None:
            return Reading(exclusion=verdict.exclusion)
        if verdict.linked:
            return Reading(exclusion=Exclusion.LINK)
        if last is not None and last.admitted == verdict.admitted and last.stamp == stamp_at(path):
            return last
        return read_file(path, self.settings.max_file_bytes, verdict.admitted)

    def judge_document(self, path: str, text: str) -> Reading:
        """The same for what the editor has at `path`: it is kept out where the file on disk is, too."""
        exclusion = self._excluded(path)
        if exclusion is None and len(text) > self.settings.max_file_bytes:
            exclusion = Exclusion.TOO_LARGE
        if exclusion is None and not self.rules.file(path).admitted:
            exclusion = text_exclusion(text)
        return Reading(None if exclusion else text, exclusion, len(text))

    def forget(self) -> None:
        """Ignore files may have changed: what they say is looked up anew."""
        self.rules.forget()
        self.generation = object()

    def set_folders(self, folders: Sequence[Path]) -> None:
        """The workspace's folders from now on."""
        self.rules.set_folders(folders)
        self.generation = object()

    def _excluded(self, path: str) -> Exclusion | None:
        verdict = self.rules.file(path)
        if verdict.exclusion is not None:
            return verdict.exclusion
        if os.path.islink(path):
            real = self.rules.real_path(path)
            return Exclusion.OUTSIDE if real is None else self._excluded(real)
        return self._by_text(path, verdict.admitted)

    def _by_text(self, path: str, admitted: bool) -> Exclusion | None:
        """By what the disk has at `path`, which is no link; asked at every key, so it is remembered."""
        stamp = stamp_at(path)
        if stamp is None:
            return None
        last = self._read.get(path)
        if last is None or (last.stamp, last.admitted) != (stamp, admitted):
            last = replace(read_file(path, self.settings.max_file_bytes, admitted), text=None)
            if len(self._read) >= MAX_REMEMBERED:
                self._read = {}
            self._read[path] = last
        return last.exclusion
