"""One source tree, indexed as the server indexes a workspace, with its texts in tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import accumulate
from pathlib import Path

from tokenizers import Tokenizer

from bowerbird.completion.epoch import key_of
from bowerbird.inference.families import FAMILIES
from bowerbird.inference.fim import FimTemplate, Pieces
from bowerbird.knowledge.snippet import Snippet, Source, Window
from bowerbird.knowledge.window import slide_windows
from bowerbird.retrieval.jaccard import JaccardIndex
from bowerbird.retrieval.retriever import Query
from bowerbird.settings import CompletionSettings
from bowerbird.text import Span
from nestling.corpus import File
from nestling.tokenizer import ROLES, encode, encode_all

TEMPLATE = FimTemplate(FAMILIES[0], ROLES, {})


@dataclass
class Repository:
    """The files of one tree, indexed as the server indexes a workspace."""

    name: str
    files: Sequence[File]
    tokenizer: Tokenizer
    settings: CompletionSettings = field(default_factory=CompletionSettings)
    sources: dict[str, Source] = field(default_factory=dict)
    _index: JaccardIndex = field(default_factory=JaccardIndex)
    shown: set[tuple[str, str]] = field(default_factory=set)
    """Snippets that stood in a document already."""
    _ids: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    _line_ends: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.encode = lru_cache(maxsize=64)(
            partial(encode, self.tokenizer)
        )  # a prefix is counted, then laid out
        for file in self.files:
            source = Source(Path("/", self.name, file.name), file.name, file.text, file.language)
            self.sources[file.name] = source
            windows = slide_windows(source, self.settings.window_lines, self.settings.slide_lines, snap=False)
            self._index.replace(source.path, windows)

    def near(self, query: str, path: Path, hidden: Span) -> list[Window]:
        """The windows nearest to the query, nearest first."""
        hits = self._index.retrieve(Query(query, path, hidden), self.settings.max_snippets)
        return [hit.snippet for hit in hits if isinstance(hit.snippet, Window)]

    def snippet_ids(self, snippet: Snippet) -> list[int]:
        """A snippet as it stands in a prompt; made once."""
        key = key_of(snippet)
        if key not in self._ids:
            self._ids[key] = self.piece_ids(TEMPLATE.snippet(snippet.name, snippet.text, ""))
        return self._ids[key]

    def piece_ids(self, pieces: Pieces) -> list[int]:
        """A part of a prompt in tokens: each text by itself, as the server does."""
        ids: list[int] = []
        for piece in pieces:
            ids += [piece] if isinstance(piece, int) else self.encode(piece)
        return ids

    def lengths(self, snippets: Iterable[Snippet]) -> dict[tuple[str, str], int]:
        """Prompt tokens of each."""
        return {key_of(snippet): len(self.snippet_ids(snippet)) for snippet in snippets}

    def tokens_between(self, file: File, first: int, end: int) -> int:
        """About how many tokens these lines of a file have: a line by itself may have one more or less."""
        if file.name not in self._line_ends:
            lines = [f"{line}\n" for line in file.text.split("\n")]
            counts = map(len, encode_all(self.tokenizer, lines))
            self._line_ends[file.name] = [0, *accumulate(counts)]
        ends = self._line_ends[file.name]
        return ends[min(end, len(ends) - 1)] - ends[min(first, len(ends) - 1)]
