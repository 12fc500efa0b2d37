"""A flight can be joined as long as somebody types what it writes."""

from __future__ import annotations

import asyncio

import pytest

from bowerbird.completion.flight import Course, Flight
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Completion, Request
from scripted_engine import ScriptedEngine, place, until


class Air:
    """An engine that waits for the test, and a flight of it."""

    def __init__(self, text: str = "abc = 1", refined: str = "", at: UnfinishedCode | None = None) -> None:
        self.engine = ScriptedEngine(lambda _: text, lambda _: refined)
        self.engine.writes.clear()
        self.refinements: list[Completion] = []
        self.flight = Flight(self.engine, at or place("x = "), Request(), self.refinements.append)  # type: ignore[arg-type]

    async def write(self, letters: int) -> None:
        """Let the model write so much of its text."""
        self.engine.write(letters)
        await until(lambda: len(self.flight._written) == letters)


@pytest.mark.parametrize(
    ("later", "course"),
    [
        (place("x = "), Course.ALONG),
        (place("x = ab"), Course.ALONG),
        (place("x = abc ="), Course.AHEAD),
        (place("x = b"), Course.OFF),
        (place("x = abd"), Course.OFF),
        (place("x ="), Course.OFF),
        (place("y = a"), Course.OFF),
        (place("x = a", "\n", "other.py"), Course.OFF),
        (place("x = a", " # why\n"), Course.OFF),
    ],
    ids=["same", "along", "ahead", "other", "behind what is written", "shorter", "before", "file", "below"],
)
async def test_the_course_while_it_writes(later: UnfinishedCode, course: Course) -> None:
    """Three characters are written: what was typed fits them, is ahead of them, or lies off."""
    air = Air()
    await air.write(3)
    assert air.flight.course_of(later) is course
    await air.flight.stop()


async def test_a_closed_bracket_is_on_the_way() -> None:
    """The editor closes what the typist opens as the model wrote it."""
    air = Air("f(1)")
    await air.write(2)
    assert air.flight.course_of(place("x = f(", ")\n")) is Course.ALONG
    assert air.flight.course_of(place("x = f(", "]\n")) is Course.OFF
    await air.flight.stop()


async def test_a_speculative_flight_begins_further_on() -> None:
    """Who still types towards its beginning is on the way; who goes back behind what was shown is not."""
    engine = ScriptedEngine()
    engine.writes.clear()
    flight = Flight(
        engine,
        place("x = abc"),
        Request(speculative=True),
        lambda _: None,
        shown_at=len("x = "),  # type: ignore[arg-type]
    )
    courses = {text: flight.course_of(place(text)) for text in ("x =", "x = ", "x = ab", "x = b", "x = abc")}
    assert courses == {
        "x =": Course.OFF,
        "x = ": Course.SHORT,
        "x = ab": Course.SHORT,
        "x = b": Course.OFF,
        "x = abc": Course.ALONG,
    }
    await flight.stop()


async def test_who_joins_gets_the_answer() -> None:
    """It comes when the model is done, and later at once."""
    air = Air()
    await air.write(1)
    joined = asyncio.create_task(air.flight.answer(place("x = a")))
    ahead = asyncio.create_task(air.flight.answer(place("x = abc")))
    await asyncio.sleep(0)
    assert not joined.done()
    air.engine.writes.set()
    assert [(await one).text for one in (joined, ahead)] == ["abc = 1", "abc = 1"]  # type: ignore[union-attr]
    assert (await air.flight.answer(place("x = abc"))).text == "abc = 1"  # type: ignore[union-attr]


async def test_who_was_ahead_may_turn_out_to_be_off() -> None:
    """None comes as soon as the model has written something else, not when it has ended."""
    air = Air()
    ahead = asyncio.create_task(air.flight.answer(place("x = ax")))
    await air.write(1)
    assert not ahead.done()
    await air.write(2)
    assert await ahead is None
    assert not air.flight.landed
    await air.flight.stop()


async def test_a_later_iteration_is_told_when_it_says_something_else() -> None:
    """The first answer is there before; the same words again are no news."""
    for says, told in (("xyz", ["xyz"]), ("abc = 1", [])):
        air = Air(refined=says)
        air.engine.may_refine.clear()
        air.engine.writes.set()
        assert (await air.flight.first).text == "abc = 1"
        assert not air.flight.landed
        air.engine.may_refine.set()
        await air.flight.landing()
        assert [completion.text for completion in air.refinements] == told


async def test_stopping_waits_for_the_model() -> None:
    """Nothing runs when `stop` returns, even if its caller is cancelled; who had joined gets nothing."""
    air = Air()
    joined = asyncio.create_task(air.flight.answer(place("x = a")))
    await until(lambda: air.engine.running)
    stopping = asyncio.create_task(air.flight.stop())
    await asyncio.sleep(0)
    stopping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopping
    assert (air.engine.running, air.engine.cancelled, air.flight.landed) == (0, 1, True)
    assert await joined is None
    await air.flight.stop()


async def test_an_abandoned_flight_takes_nobody_on() -> None:
    """It is off at once, though the model may still be stopping."""
    air = Air()
    await air.write(3)
    air.flight.abandon()
    assert not air.flight.landed
    assert air.flight.course_of(place("x = a")) is Course.OFF
    await until(lambda: air.flight.landed)


async def test_a_fault_reaches_who_waits() -> None:
    """Everybody who joined hears of it; nobody need have joined."""
    air = Air()
    air.engine.fault = ZeroDivisionError("oops")
    with pytest.raises(ZeroDivisionError):
        await air.flight.answer(place("x = a"))
    assert air.flight.landed
