"""What is kept of completions, on this machine only: traces for `explain`, figures for `stats`.

Whatever goes wrong here is nobody's loss: all writing happens in a thread of its own.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types

from bowerbird import journal, meter
from bowerbird.explanation.page import page
from bowerbird.journal import LastLines, Writer
from bowerbird.lsp.anchor import Insertion
from bowerbird.lsp.convert import Encoding
from bowerbird.lsp.documents import Document, Documents
from bowerbird.lsp.edits import Edit, advance, shared_ends, text_between
from bowerbird.lsp.survival import Tracker
from bowerbird.text import Position, normalize_line_ends
from bowerbird.trace import Trace, masked

TRACES_KEPT = 50
TRACE_BYTES = 2_000_000
SESSIONS_KEPT = 8
TRACE_DAYS = 7
FIGURE_BYTES = 10_000_000  # a month
MONTHS_KEPT = 24
NOTHING_EVERY_S = 60.0  # answers without a suggestion come by the key, so they are counted and told together
CLOSE_TIMEOUT_S = 1.0
MIN_WAIT_S = 0.1
DAY_S = 86_400.0

NOTHING_YET = "Nothing has been completed yet."


class Records:
    """One editor's session."""

    def __init__(
        self,
        documents: Documents,
        mask: Callable[[str], str],
        folder: Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.traces: deque[Trace] = deque(maxlen=TRACES_KEPT)
        """The last ones, the newest at the end."""
        self._documents = documents
        self._mask = mask
        """Puts something else in place of secrets; any thread may call it."""
        self._folder = folder or journal.state_folder()
        self._clock = clock
        self._writer = Writer()
        self._tracker = Tracker()
        self._timer: asyncio.TimerHandle | None = None
        self._due_at: float | None = None
        self._nothing: Counter[tuple[str, str]] = Counter()
        self._nothing_since = 0.0
        """When the first of them came."""
        self._keeps_traces = self._keeps_figures = False
        self._file: LastLines | None = None
        self._pruned = False

    def configure(self, keep_traces: bool, keep_figures: bool) -> None:
        """What the settings allow to be written; the traces of this session go where they no longer are."""
        if self._keeps_traces and not keep_traces:
            self._writer.run(self._forget_traces)
        self._keeps_traces, self._keeps_figures = keep_traces, keep_figures

    def show(self, trace: Trace, document: Document, insertion: Insertion, encoding: Encoding) -> None:
        """A request was answered by `insertion` into `document` as it is now."""
        trace = self._remember(trace)
        place, text = _shown_at(document, insertion, encoding)
        shown = meter.shown_of(replace(trace, text=text))
        self._keep(self._tracker.show(document.uri, place, text, shown))

    def nothing(self, trace: Trace) -> None:
        """A request was answered by nothing, and `trace` says why."""
        trace = self._remember(trace)
        self._nothing_since = self._nothing_since if self._nothing else self._clock()
        self._nothing[trace.language, trace.reason.value] += 1
        self._keep([])

    def change(
        self,
        before: Document,
        changes: Sequence[types.TextDocumentContentChangeEvent],
        encoding: Encoding,
    ) -> None:
        """The editor tells these changes of a document that was like `before`."""
        if not self._tracker.follows(before.uri):
            return
        now, document = self._clock(), before
        for number, change in enumerate(changes, start=1):
            edit = _edit_of(document, change, encoding)
            self._keep(self._tracker.change(before.uri, document.lines, edit, now))
            if number < len(changes):
                document = document.changed(document.version, change, encoding)

    def accept(self) -> None:
        """The editor says that the suggestion was taken."""
        self._keep(self._tracker.accept(self._clock()))

    def save(self, uri: str) -> None:
        """A document was written to disk."""
        document = self._documents.get(uri)
        if document is not None and self._tracker.follows(document.uri):
            self._keep(self._tracker.save(document.uri, document.lines, self._clock()))

    def close_document(self, document: Document) -> None:
        """A document is no longer shown."""
        self._keep(self._tracker.close(document.uri))

    def explain(self, params: object) -> dict[str, Any]:
        """``{trace, sentence}`` of the last completion; `trace` is null before the first.

        With ``{"last": N}`` also the last `traces`, newest first, with ``{"html": true}`` the page that shows
        them. The page may end up in a bug report, so secrets are masked in it.
        """
        wanted = _plain(params)
        newest = self.traces[-1] if self.traces else None
        told: dict[str, Any] = {
            "trace": newest.as_json() if newest else None,
            "sentence": newest.sentence if newest else NOTHING_YET,
        }
        last = wanted.get("last")
        traces = [*self.traces][::-1][: last if type(last) is int and last > 0 else 1]
        if last is not None:
            told["traces"] = [trace.as_json() for trace in traces]
        if wanted.get("html") is True:
            told["html"] = page([masked(trace, self._mask) for trace in traces])
        return told

    async def close(self) -> None:
        """Write what is left, within a second. Can be called twice."""
        if self._timer is not None:
            self._timer.cancel()
        self._keep(self._tracker.finish(), last=True)
        await asyncio.to_thread(self._writer.close, CLOSE_TIMEOUT_S)

    def _remember(self, trace: Trace) -> Trace:
        """Keep `trace`, with the time of its request."""
        now = self._clock()
        if not trace.asked_at:
            trace = replace(trace, asked_at=now - trace.latency_ms / 1000)
        self.traces.append(trace)
        if self._keeps_traces:
            self._writer.run(partial(self._write_trace, trace, now))
        return trace

    def _look(self) -> None:
        """Some of what was taken is to be looked at."""
        self._due_at = None
        self._keep(self._tracker.due(self._clock(), self._lines_of))

    def _lines_of(self, uri: str) -> Sequence[str] | None:
        document = self._documents.get(uri)
        return None if document is None else document.lines

    def _keep(self, events: list[meter.Event], last: bool = False) -> None:
        """Have `events` written, and look at the tracker again in time."""
        now = self._clock()
        if self._nothing and (last or now - self._nothing_since >= NOTHING_EVERY_S):
            counted = self._nothing.items()
            events = [*events, *(meter.Nothing(now, *where, count) for where, count in counted)]
            self._nothing = Counter()
        if events and self._keeps_figures:
            self._writer.run(partial(self._write_figures, events, now))
        due_at = None if last else self._tracker.due_at
        if due_at != self._due_at:
            if self._timer is not None:
                self._timer.cancel()
            self._due_at, self._timer = due_at, None
            if due_at is not None:
                wait_s = max(MIN_WAIT_S, due_at - now)
                self._timer = asyncio.get_running_loop().call_later(wait_s, self._look)

    def _write_trace(self, trace: Trace, now: float) -> None:
        if self._file is None:
            folder = self._folder / journal.TRACES
            journal.prune(folder, SESSIONS_KEPT - 1, now - TRACE_DAYS * DAY_S)
            name = f"{int(now * 1000)}-{os.getpid()}{journal.SUFFIX}"
            self._file = LastLines(folder / name, TRACES_KEPT, TRACE_BYTES)
        self._file.append(masked(trace, self._mask).as_json())

    def _forget_traces(self) -> None:
        if self._file is not None:
            self._file.path.unlink(missing_ok=True)
            self._file = None

    def _write_figures(self, events: Sequence[meter.Event], now: float) -> None:
        folder = self._folder / journal.FIGURES
        if not self._pruned:
            self._pruned = True
            journal.prune(folder, MONTHS_KEPT)
        month = time.strftime("%Y-%m", time.gmtime(now))
        for event in events:
            journal.append_line(folder / f"{month}{journal.SUFFIX}", meter.as_line(event), FIGURE_BYTES)


def _shown_at(document: Document, insertion: Insertion, encoding: Encoding) -> tuple[Position, str]:
    """Where new text begins, and that text: an insertion repeats what was typed of it."""
    start = document.position(insertion.range.start, encoding)
    end = document.position(insertion.range.end, encoding)
    typed = text_between(document.lines, start, end)
    head = len(typed) if insertion.text.startswith(typed) else shared_ends(typed, insertion.text)[0]
    return advance(start, typed[:head]), insertion.text[head:]


def _edit_of(document: Document, change: types.TextDocumentContentChangeEvent, encoding: Encoding) -> Edit:
    text = normalize_line_ends(change.text)
    if not isinstance(change, types.TextDocumentContentChangePartial):
        end = Position(len(document.lines) - 1, len(document.lines[-1]))
        return Edit(Position(0, 0), end, text)
    start, end = sorted(
        document.position(place, encoding) for place in (change.range.start, change.range.end)
    )
    return Edit(start, end, text)


def _plain(params: object) -> Mapping[str, Any]:
    """What an editor sent with a request of our own: pygls makes a named tuple of an object."""
    if isinstance(params, Mapping):
        return params
    as_dict = getattr(params, "_asdict", None)
    return as_dict() if callable(as_dict) else {}
