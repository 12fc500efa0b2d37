"""What editors send as settings, and what users are told of it."""

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.lsp.options import LIMITS, camel, is_trusted, overlay, read_settings, settings_object
from bowerbird.settings import CompletionSettings, IndexSettings, Settings


def read(raw: Any) -> tuple[Settings, list[str]]:
    return read_settings(settings_object(raw) or {})


WANTED = Settings(
    completion=CompletionSettings(time_budget_ms=700, snap=True, snippet_share=0.25),
    index=IndexSettings(exclude=("vendor/", "*.gen.py")),
)
SENT = {
    "completion": {"timeBudgetMs": 700, "snap": True, "snippetShare": 0.25},
    "index": {"exclude": ["vendor/", "*.gen.py"]},
}


@pytest.mark.parametrize(
    "raw",
    [
        SENT,
        {"bowerbird": SENT},
        {"bowerbird": SENT, "python": {"path": "x"}},
        {"completion.timeBudgetMs": 700, "completion": {"snap": True, "snippetShare": 0.25}, **SENT},
        {
            "bowerbird.completion": SENT["completion"],
            "bowerbird.index.exclude": ["vendor/", "*.gen.py"],
            "editor.tabSize": 4,
        },
        {**SENT, "trace": {"server": "verbose"}, "trusted": True},
    ],
)
def test_settings_arrive_in_the_shapes_that_editors_send(raw: Any) -> None:
    """Bare or under our name, nested or dotted, with the editor's own keys beside them."""
    assert read(raw) == (WANTED, [])


@pytest.mark.parametrize(
    "raw", [None, [], {}, {"bowerbird": None}, {"bowerbird": []}, {"completion": None}, {"index": []}]
)
def test_no_settings_are_the_defaults(raw: Any) -> None:
    """Nulls and Lua's empty table mean that nothing is set."""
    assert read(raw) == (Settings(), [])


def test_words_that_a_list_cannot_hold_are_told() -> None:
    """Each by itself; the others count."""
    sent = {"priors": ["fodler", "open", "xyz"], "filters": ["-looping", "unsound", "-lopping"]}
    settings, problems = read({"completion": sent})
    assert settings.completion.priors == ("open",)
    assert settings.completion.filters == ("-looping", "unsound")
    assert problems == [
        'completion.priors holds "fodler", which is left out; did you mean folder?',
        'completion.priors holds "xyz", which is left out; '
        "there are: file, folder, path, imports, imported, name, open.",
        'completion.filters holds "-lopping", which is left out; did you mean -looping?',
    ]


def test_whole_numbers_may_come_as_floats() -> None:
    """Some editors know one kind of number."""
    settings, problems = read({"completion": {"iterations": 3.0, "snippetShare": 0}})
    assert (settings.completion.iterations, settings.completion.snippet_share, problems) == (3, 0.0, [])


@pytest.mark.parametrize(
    ("given", "shared"), [(True, "always"), (False, "never"), ("auto", "auto"), ("never", "never")]
)
def test_what_was_a_switch_still_is_one(given: bool | str, shared: str) -> None:
    """Sharing was on or off before it was a choice."""
    settings, problems = read({"inference": {"shared": given}})
    assert (settings.inference.shared, problems) == (shared, [])


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (
            {"inference": {"shared": 1}},
            'inference.shared must be a text, not 1; "auto" is used.',
        ),
        (
            {"inference": {"shared": "sometimes"}},
            'inference.shared must be one of auto, always, never, not "sometimes"; "auto" is used.',
        ),
        (
            {"completion": {"findBy": True}},
            'completion.findBy must be a text, not true; "both" is used.',
        ),
        (
            {"completion": {"timeBudgetMs": "fast"}},
            'completion.timeBudgetMs must be a whole number, not "fast"; 1500 is used.',
        ),
        (
            {"completion": {"iterations": 99}},
            "completion.iterations must be from 0 to 8, not 99; 2 is used.",
        ),
        (
            {"completion": {"snap": 1}},
            "completion.snap must be true or false, not 1; false is used.",
        ),
        (
            {"completion": {"iterations": True}},
            "completion.iterations must be a whole number, not true; 2 is used.",
        ),
        (
            {"completion": {"maxNewTokens": 2.5}},
            "completion.maxNewTokens must be a whole number, not 2.5; 64 is used.",
        ),
        (
            {"completion": {"maxNewTokens": float("nan")}},
            "completion.maxNewTokens must be a whole number, not NaN; 64 is used.",
        ),
        (
            {"completion": {"snippetShare": 10**400}},
            "completion.snippetShare must be a number, not 1" + "0" * 56 + "...; 0.5 is used.",
        ),
        (
            {"index": {"exclude": ["a", 1]}},
            'index.exclude must be a list of texts, not ["a", 1]; [] is used.',
        ),
        (
            {"completion": 7},
            "completion must be an object of settings, not 7; it is ignored.",
        ),
        (
            {"bowerbird": "on"},
            'bowerbird must be an object of settings, not "on"; it is ignored.',
        ),
        (
            {"completion": {"time_budget_ms": 100}},
            "completion.time_budget_ms is not a setting of Bowerbird; did you mean completion.timeBudgetMs?",
        ),
        (
            {"completion": {"iteratons": 3}},
            "completion.iteratons is not a setting of Bowerbird; did you mean completion.iterations?",
        ),
        (
            {"timeBudgetMs": 3},
            "timeBudgetMs is not a setting of Bowerbird; did you mean completion.timeBudgetMs?",
        ),
        (
            {"inference": {"serverUrl": "http://localhost:8080"}},
            "inference.serverUrl is not a setting of Bowerbird; did you mean inference.llamaServer?",
        ),
        ({"colour": "blue"}, "colour is not a setting of Bowerbird; it is ignored."),
        (
            {"completion": {"windowLines": 20, "slideLines": 30}},
            "completion.slideLines (30) is more than completion.windowLines (20), so lines would be skipped; "
            "20 is used.",
        ),
    ],
)
def test_each_mistake_has_its_sentence(raw: Any, sentence: str) -> None:
    """A wrong type, a number out of range and an unknown key are told, each with what is used instead."""
    _, problems = read(raw)
    assert problems == [sentence]


def test_a_mistake_spoils_its_own_field_only() -> None:
    """The fields beside a wrong one keep what the user set."""
    settings, problems = read({"completion": {"iterations": "many", "timeBudgetMs": 700}, "index": 3})
    assert (settings.completion.iterations, settings.completion.time_budget_ms) == (2, 700)
    assert len(problems) == 2


def test_later_sources_win_field_by_field() -> None:
    """A null says nothing and leaves what an earlier source said."""
    start = {"completion": {"iterations": 3, "timeBudgetMs": 700}}
    later = {"completion": {"iterations": 1, "timeBudgetMs": None}}
    assert overlay(start, later) == {"completion": {"iterations": 1, "timeBudgetMs": 700}}


@pytest.mark.parametrize(
    ("options", "trusted"),
    [
        (None, True),
        ({}, True),
        ({"trusted": True}, True),
        ({"trusted": False}, False),
        ({"bowerbird": {"trusted": False}}, False),
        ({"trusted": False, "bowerbird": {"trusted": True}}, False),
        ({"trusted": "yes"}, False),
        ({"trusted": 1}, False),
        ({"trusted": None}, False),
    ],
)
def test_trust_fails_closed(options: Any, trusted: bool) -> None:
    """Any no is a no, and what is neither true nor false is a no that is told."""
    answer, problems = is_trusted(options)
    assert answer is trusted
    assert bool(problems) is (not trusted and "False" not in str(options))


def test_limits_name_real_settings_and_admit_their_defaults() -> None:
    """Every row of the table is a setting of ours whose default lies inside."""
    defaults = {
        f"{section.name}.{camel(item.name)}": getattr(getattr(Settings(), section.name), item.name)
        for section in fields(Settings)
        for item in fields(getattr(Settings(), section.name))
    }
    for name, (low, high) in LIMITS.items():
        assert low <= defaults[name] <= high
    numbers = {name for name, default in defaults.items() if type(default) in (int, float)}
    assert numbers == set(LIMITS)


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["bowerbird", "completion", "index", "iterations", "exclude", "snap", "a.b", "", "trusted"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json)
def test_any_json_gives_settings(raw: Any) -> None:
    """Whatever is sent, there are settings, and what is wrong is told in sentences."""
    settings, problems = read(raw)
    assert isinstance(settings, Settings)
    assert all(problem.endswith((".", "?")) for problem in problems)
    is_trusted(raw)
