"""What is shown of a prediction."""

import pytest

from bowerbird.completion.finish import FILTERS, Draft, finish


@pytest.mark.parametrize(
    ("prediction", "prefix", "suffix", "stopped", "expected"),
    [
        ("a = 1\nb = 2\n", "", "", "end", "a = 1\nb = 2"),
        ("a = 1\nb = 2\nc = (", "", "", "length", "a = 1\nb = 2"),
        ("a = call(one, tw", "", "", "length", "a = call(one, tw"),
        ("a = 1\nb =", "", "", "time", "a = 1"),
        ("a = 1", "", "", "time", ""),
        ("   \n\n", "", "", "end", ""),
        ("value)", "f(", ")\n", "end", "value"),
        ("value)\nmore", "f(", ")\n", "end", "value"),
        ("a\nb\nreturn a\n", "", "\nreturn a\n", "end", "a\nb"),
        ("a\nb\n}\n", "", "\n}\n", "end", "a\nb\n}"),
        ("x = 1\n    self.x = 1\n    y", "    self.", "", "end", "x = 1"),
        ("a\n    b()\n    b()\n    b()\n", "", "", "end", "a\n    b()"),
        ("a {\n    }\n}\n", "", "", "end", "a {\n    }\n}"),
        ("", "", "", "end", ""),
    ],
)
def test_finish(prediction: str, prefix: str, suffix: str, stopped: str, expected: str) -> None:
    """Cut-off lines go where whole ones stand before them, and what follows the cursor is not repeated."""
    assert expected == finish(prediction, Draft(prefix, suffix, stopped))[0]


def test_finish_says_what_it_took() -> None:
    """Each filter that shortened the text is named with what it took."""
    text, trimmed = finish("a = 1\nb = ", Draft("", "", "length"))

    assert text == "a = 1"
    assert trimmed == (r"whole-lines: '\nb = '",)


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("text", ["", "\n", "a", "a\n b\n", "\n\n a", ")", "  )\n}"])
@pytest.mark.parametrize("stopped", ["end", "length", "time"])
def test_filters_only_shorten(name: str, text: str, stopped: str) -> None:
    """No filter invents text: each gives back a beginning of what it got."""
    assert text.startswith(FILTERS[name](text, Draft("f(", ")\n}\n", stopped)))
