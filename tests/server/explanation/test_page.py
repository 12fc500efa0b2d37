"""The page that explains completions: it stands alone, and what it quotes stays text.

``golden.html`` is written by ``python tests/server/explanation/test_page.py --update``.
"""

from __future__ import annotations

import os
import re
import sys
import time
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bowerbird.explanation.look import STYLE
from bowerbird.explanation.page import clock_time, page
from bowerbird.explanation.visible import visible
from bowerbird.trace import HitTrace, IterationTrace, PlacedTrace, Reason, Trace, locate

GOLDEN = Path(__file__).with_name("golden.html")

PROMPT = (
    "<|repo_name|>shop\n<|file_sep|>shop/prices.py\nprice = 1\nvat = 2\n"
    "<|file_sep|>docs/ring/len\nlen(s)\n..."
)
ROUND_1 = IterationTrace(
    query="def total(self):\n    return",
    hits=(
        HitTrace("shop/prices.py", "1-20", 0.41666, "jaccard", "prompt"),
        HitTrace("shop/money.py", "11-30", 0.25, "jaccard", "budget"),
    ),
    prompt=PROMPT,
    prompt_tokens=1900,
    tokens_reused=1800,
    tokens_evaluated=100,
    tokens_generated=12,
    prediction=" sum(self.prices)\n",
    stopped="end",
    retrieve_ms=0.31,
    pack_ms=1.2,
    evaluate_ms=23.4,
    generate_ms=40.6,
    snippets=locate(
        PROMPT,
        [
            (PlacedTrace("shop/prices.py", "1-20", "jaccard", 1), "price = 1\nvat = 2"),
            (PlacedTrace("docs/ring/len", "", kind="entity"), "len(s)"),
        ],
    ),
)
ROUND_2 = replace(
    ROUND_1,
    hits=(*ROUND_1.hits, HitTrace("docs/ring/len", "", 0.5, "bm25", "prompt", kind="entity")),
    snippets=(ROUND_1.snippets[0], replace(ROUND_1.snippets[1], origin="bm25", round=2)),
)
TRACE = Trace(
    name="shop/cart.py",
    line=12,
    column=9,
    mode="repocoder",
    model="nestling",
    reason=Reason.OK,
    iterations=(ROUND_1, ROUND_2),
    trimmed=("repeated-suffix: ')'",),
    text=" sum(self.prices)",
    total_ms=140.0,
    asked_at=1_700_000_000.0,
    language="python",
    debounce_ms=75.0,
)
EMPTY = Trace("notes.py", 1, 1, "", "", Reason.MODEL_LOADING, message="Please wait.")

HOSTILE = (
    """</pre></style><script>alert(1)</script>"onmouseover='x'<img src=//evil.example>&amp;"""
    + "\0\x1b[2J\u202e\ud800"
)


class Reader(HTMLParser):
    """Reads a page strictly: what opens must close, in order."""

    VOID = frozenset({"meta"})
    PARTS = frozenset({"td", "li", "p", "h2", "h3", "summary", "pre"})

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        if tag in self.PARTS:
            self.words.append(" ")

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


def without_style(html: str) -> str:
    """The look may change without a new golden page."""
    return html.replace(STYLE, "")


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def test_the_page_is_the_golden_one() -> None:
    """A completion of two rounds and an empty answer, as they were approved."""
    assert without_style(page([TRACE, EMPTY])) == GOLDEN.read_text(encoding="utf-8")


def test_the_page_says_it_all() -> None:
    """Queries, windows with their scores and fates, tokens, times, filters, the reason."""
    text = Reader(page([TRACE, EMPTY])).text

    for told in (
        "shop/cart.py:12:9",
        "2023-11-14 22:13:20 · python · repocoder · nestling",
        "ok, 140 ms: A completion was shown.",
        "model-loading, at once: Please wait.",
        "repeated-suffix: ')'",
        "0.417 shop/prices.py 1-20 jaccard prompt",
        "0.250 shop/money.py 11-30 jaccard budget",
        "reused 1,800 tokens evaluated 100 tokens generated 12 tokens",
        "debounce 75 ms",
        "evaluate (round 2) 23 ms",
        "Query, 2 lines",
        "Prompt, 1,900 tokens",
        "Prediction, stopped by end",
    ):
        assert told in text


def test_snippets_are_marked_where_they_stand() -> None:
    """Each with who found it and when; what stayed from earlier says so; the prompt is whole."""
    html = page([TRACE])

    marks = re.findall(r'<mark class="(.*?)" data-label="(.*?)".*?>(.*?)</mark>', html, re.DOTALL)
    assert marks[:2] == [
        ("round-1", "shop/prices.py:1-20, jaccard, round 1", "price = 1\nvat = 2"),
        ("round-0", "docs/ring/len, kept from an earlier completion", "len(s)"),
    ]
    assert marks[3][:2] == ("round-2", "docs/ring/len, bm25, round 2")
    assert Reader(html).text.count(" ".join(PROMPT.split())) == 2


def test_nothing_is_fetched_and_nothing_runs() -> None:
    """No address of anything outside, no script, and a policy that forbids both."""
    read = Reader(page([TRACE, EMPTY]))

    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "form"} & set(read.tags)
    targets = [value for name, value in read.attributes if name in ("href", "src", "action", "srcset")]
    assert targets == ["#completion-1", "#completion-2"]
    assert not re.search(r"url\(|@import|//", STYLE + "".join(value for _, value in read.attributes))
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in read.attributes


def test_what_folds_and_scrolls_can_be_reached_by_keyboard() -> None:
    """Folding is the browser's own, and every box that scrolls takes the focus."""
    read = Reader(page([TRACE]))

    assert read.tags.count("details") == read.tags.count("summary") == 6
    assert read.attributes.count(("tabindex", "0")) == read.tags.count("pre") == 7
    assert "prefers-color-scheme: dark" in STYLE


def test_hostile_text_stays_text() -> None:
    """Whatever a file holds that is quoted, no tag and no attribute comes of it, and nothing invisible."""
    iteration = replace(
        ROUND_1,
        query=HOSTILE,
        prompt=HOSTILE,
        prediction=HOSTILE,
        stopped=HOSTILE,
        hits=(HitTrace(HOSTILE, HOSTILE, 1.0, HOSTILE, HOSTILE, HOSTILE),),
        snippets=(PlacedTrace(HOSTILE, HOSTILE, HOSTILE, 1, HOSTILE, 0, len(HOSTILE)),),
    )
    wicked = replace(
        TRACE,
        name=HOSTILE,
        mode=HOSTILE,
        model=HOSTILE,
        language=HOSTILE,
        carried=HOSTILE,
        message=HOSTILE,
        trimmed=(HOSTILE,),
        text=HOSTILE,
        iterations=(iteration,),
    )

    html = page([wicked])
    read = Reader(html)

    assert read.text.count("<script>alert(1)</script>") >= 12
    assert not {"script", "img"} & set(read.tags)
    assert {name for name, _ in read.attributes if name.startswith("on") or name == "src"} == set()
    assert not any(character in html for character in "\0\x1b\u202e")
    assert html.encode("utf-8")


def test_places_that_lie_are_not_marked() -> None:
    """A damaged trace may name places that overlap or do not exist; the prompt is shown all the same."""
    lies = [(5, 3), (-4, 2), (0, 10**9), (0, 4), (2, 6)]
    snippets = tuple(PlacedTrace("a.py", "1-2", start=start, end=end) for start, end in lies)

    html = page([replace(TRACE, iterations=(replace(ROUND_1, snippets=snippets, prompt="abcdefgh"),))])

    assert re.search(r'<pre tabindex="0">\n<mark class="round-0" [^>]*>abcd</mark>efgh</pre>', html)
    assert html.count("<mark") == 1


def test_no_traces_make_a_page_too() -> None:
    """It says so."""
    assert "Nothing has been completed yet." in Reader(page([])).text


@pytest.mark.parametrize("seconds", [0.0, 1e300, -1e300])
def test_a_time_that_nobody_knows_is_empty(seconds: float) -> None:
    """A damaged file may hold any number."""
    assert clock_time(seconds) == ""


def test_visible_text_keeps_what_is_harmless() -> None:
    """Tabs, line ends and letters of all scripts stay; what steers a terminal becomes a picture of itself."""
    assert visible("a\tb\nñ 漢 🐦") == "a\tb\nñ 漢 🐦"
    assert visible("\x1b]0;x\x07\x7f\x9b\u2066") == "␛]0;x␇␡⟨U+009B⟩⟨U+2066⟩"


if __name__ == "__main__" and sys.argv[1:] == ["--update"]:
    os.environ["TZ"] = "UTC"
    time.tzset()
    GOLDEN.write_text(without_style(page([TRACE, EMPTY])), encoding="utf-8")
