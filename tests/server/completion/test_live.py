"""Completing while somebody types, with a scripted engine behind the seam."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from bowerbird.completion import live as live_module
from bowerbird.completion.live import LiveCompletion
from bowerbird.completion.pacing import LONGEST_MS
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Completion, Request
from bowerbird.trace import Reason
from scripted_engine import ScriptedEngine, place, until

PLAIN = Request()
AHEAD = Request(speculate=True)


@dataclass
class House:
    """A live completion whose typist pauses long enough: no debounce, unless the test says so."""

    engine: ScriptedEngine = field(default_factory=ScriptedEngine)
    on_battery: bool = False
    now_s: float = 0.0
    refined: list[UnfinishedCode] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.live = LiveCompletion(
            self.engine,  # type: ignore[arg-type]
            refined=self.refined.append,
            on_battery=lambda: self.on_battery,
            clock=lambda: self.now_s,
        )

    def ask(self, at: UnfinishedCode, request: Request = PLAIN) -> asyncio.Task[Completion]:
        return asyncio.create_task(self.live.suggest(at, request))

    async def asked(self, at: UnfinishedCode, request: Request = PLAIN) -> asyncio.Task[Completion]:
        """A request whose decode has begun."""
        before = len(self.engine.asked)
        task = self.ask(at, request)
        await until(lambda: len(self.engine.asked) > before and self.engine.running)
        return task

    async def withdraw(self, task: asyncio.Task[Completion]) -> None:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    def key(self, at: UnfinishedCode | None) -> None:
        """A key was pressed after a while."""
        self.now_s += 1
        self.live.edited(at)

    def text(self, completion: Completion) -> tuple[str, str]:
        return completion.text, completion.trace.carried


@asynccontextmanager
async def house(**parts: object) -> AsyncIterator[House]:
    """Nothing may be left behind."""
    one = House(**parts)  # type: ignore[arg-type]
    yield one
    one.engine.writes.set()
    one.engine.may_refine.set()
    await one.live.rest()
    await one.live.stop()
    assert one.engine.running == 0
    assert one.engine.most_running <= 1
    assert asyncio.all_tasks() == {asyncio.current_task()}


class TestCarried:
    """Answers that the model need not be asked for."""

    async def test_text_typed_along(self) -> None:
        """What is left of the last answer, key by key; then the model again."""
        async with house() as one:
            assert one.text(await one.live.suggest(place("x = "), PLAIN)) == ("abc = 1", "")
            for typed in ("a", "ab", "abc "):
                one.key(place("x = " + typed))
                answer = await one.live.suggest(place("x = " + typed), PLAIN)
                assert one.text(answer) == ("abc = 1"[len(typed) :], "cache")
                assert answer.trace.column == len("x = " + typed) + 1
            assert one.engine.demanded == ["x = "]
            one.key(place("x = b"))
            assert one.text(await one.live.suggest(place("x = b"), PLAIN)) == ("abc = 1", "")

    async def test_the_rest_is_checked_again(self) -> None:
        """The bracket that the editor closed meanwhile is not closed twice."""
        async with house() as one:
            one.engine.says = lambda _: "print(a)"
            await one.live.suggest(place("x = "), PLAIN)
            answer = await one.live.suggest(place("x = print(", ")\n"), PLAIN)
            assert (answer.text, answer.replaces_behind) in {("a", 0), ("a)", 1)}
            assert len(one.engine.asked) == 1

    async def test_nothing_is_remembered_too(self) -> None:
        """Where the model had nothing to say, it is not asked again; where time was short, it is."""
        async with house() as one:
            one.engine.says, one.engine.reason = lambda _: "", Reason.EMPTY
            for _ in range(2):
                assert (await one.live.suggest(place("x = "), PLAIN)).reason is Reason.EMPTY
            assert len(one.engine.asked) == 1
            one.engine.reason = Reason.TIME
            for _ in range(2):
                await one.live.suggest(place("y = "), PLAIN)
            assert len(one.engine.asked) == 3

    async def test_who_asks_by_hand_is_answered_by_the_model(self) -> None:
        """What is remembered or on its way is no answer for those."""
        async with house() as one:
            await one.live.suggest(place("x = "), PLAIN)
            answer = await one.live.suggest(place("x = "), replace(PLAIN, invoked=True))
            assert (answer.trace.carried, len(one.engine.asked)) == ("", 2)

    async def test_other_settings_forget(self) -> None:
        """After `drop` nothing is carried, and nothing is begun."""
        async with house() as one:
            await one.live.suggest(place("x = "), PLAIN)
            one.live.drop()
            answer = await one.live.suggest(place("x = "), AHEAD)
            assert (answer.text, answer.reason, len(one.engine.asked)) == ("", Reason.CHANGED, 1)


class TestJoined:
    """A decode goes on while somebody types what it writes."""

    async def test_the_next_key_takes_over(self) -> None:
        """The request before is withdrawn, the next gets the rest of its answer; one decode serves both."""
        async with house() as one:
            one.engine.writes.clear()
            first = await one.asked(place("x = "))
            one.engine.write(2)
            one.key(place("x = a"))
            await one.withdraw(first)
            second = one.ask(place("x = a"))
            await asyncio.sleep(0)
            one.key(place("x = ab"))
            await one.withdraw(second)
            third = one.ask(place("x = ab"))
            one.engine.writes.set()
            assert one.text(await third) == ("c = 1", "running")
            assert one.live.decodes == 1

    async def test_between_two_keys_it_may_end(self) -> None:
        """Nobody waits when the answer comes; the next key has it."""
        async with house() as one:
            one.engine.writes.clear()
            first = await one.asked(place("x = "))
            one.key(place("x = a"))
            await one.withdraw(first)
            one.engine.writes.set()
            await until(lambda: not one.live.flying)
            assert one.text(await one.live.suggest(place("x = a"), PLAIN)) == ("bc = 1", "cache")

    async def test_what_does_not_fit_begins_anew(self) -> None:
        """The key is not what the model writes: it is stopped at once, and asked again."""
        async with house() as one:
            one.engine.writes.clear()
            first = await one.asked(place("x = "))
            one.engine.write(1)
            await until(lambda: one.live._flight is not None and one.live._flight._written)
            one.key(place("x = b"))
            await until(lambda: one.engine.cancelled)
            assert (await first).reason is Reason.CHANGED
            one.engine.writes.set()
            assert one.text(await one.live.suggest(place("x = b"), PLAIN)) == ("abc = 1", "")
            assert one.engine.demanded == ["x = ", "x = b"]

    async def test_who_was_ahead_and_is_off_begins_anew(self) -> None:
        """The key came before the model wrote something else."""
        async with house() as one:
            one.engine.writes.clear()
            first = await one.asked(place("x = "))
            one.key(place("x = z"))
            await one.withdraw(first)
            second = one.ask(place("x = z"))
            await asyncio.sleep(0)
            one.engine.write(1)
            await until(lambda: len(one.engine.asked) == 2)
            one.engine.writes.set()
            assert one.text(await second) == ("abc = 1", "")

    async def test_an_edit_that_nobody_can_place_stops_it(self) -> None:
        """The editor replaced the whole document."""
        async with house() as one:
            one.engine.writes.clear()
            first = await one.asked(place("x = "))
            one.key(None)
            assert (await first).reason is Reason.CHANGED
            await until(lambda: not one.live.flying)

    async def test_a_fault_is_told_to_who_waits_and_the_next_is_served(self) -> None:
        """Nothing of it is remembered."""
        async with house() as one:
            one.engine.fault = ZeroDivisionError("oops")
            with pytest.raises(ZeroDivisionError):
                await one.live.suggest(place("x = "), AHEAD)
            one.engine.fault = None
            assert (await one.live.suggest(place("x = "), PLAIN)).text == "abc = 1"

    async def test_a_fault_ahead_is_nobodys(self) -> None:
        """The speculative decode fails; what is shown stays."""
        async with house() as one:
            one.engine.writes.clear()
            first = await one.asked(place("x = "), AHEAD)
            one.engine.writes.set()
            assert (await first).text == "abc = 1"
            one.engine.fault = ZeroDivisionError("oops")
            await one.live.rest()
            assert one.text(await one.live.suggest(place("x = "), PLAIN)) == ("abc = 1", "cache")


class TestWithdrawn:
    """A decode that nobody wants does not run on."""

    async def test_it_stops_soon(self) -> None:
        """The cursor went away; no key was pressed."""
        async with house() as one:
            one.engine.writes.clear()
            first = await one.asked(place("x = "))
            await one.withdraw(first)
            assert one.live.flying
            await until(lambda: not one.live.flying)
            assert (one.engine.running, one.engine.cancelled) == (0, 1)

    async def test_while_a_key_fits_it_runs_on(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The request for that key is about to come; if none comes, it stops."""
        monkeypatch.setattr(live_module, "TYPED_ALONG_S", 0.1)
        monkeypatch.setattr(live_module, "WITHDRAWN_S", 0.0)
        async with house() as one:
            one.engine.writes.clear()
            first = await one.asked(place("x = "))
            one.key(place("x = a"))
            await one.withdraw(first)
            await asyncio.sleep(0.02)
            assert one.live.flying
            await until(lambda: not one.live.flying)

    async def test_in_its_pause_it_begins_no_decode(self) -> None:
        """A request that is withdrawn before the typist has paused costs nothing."""
        async with house() as one:
            one.key(place("x = "))
            one.live._cost_ms = 1e9
            first = one.ask(place("x = "))
            await asyncio.sleep(0.001)
            await one.withdraw(first)
            await asyncio.sleep(LONGEST_MS / 1000)
            assert one.engine.asked == []

    async def test_a_jump_to_something_remembered_stops_it(self) -> None:
        """The cursor goes where an answer is at hand; its own follow-up and the old decode never meet."""
        async with house() as one:
            await one.live.suggest(place("y = "), PLAIN)
            one.engine.writes.clear()
            first = await one.asked(place("x = "))
            await one.withdraw(first)
            assert one.text(await one.live.suggest(place("y = "), AHEAD)) == ("abc = 1", "cache")
            await until(lambda: one.engine.foreseen)
            await asyncio.sleep(2 * live_module.WITHDRAWN_S)
            assert one.engine.foreseen == ["y = abc = 1"]
            assert (one.engine.most_running, one.engine.running, one.engine.cancelled) == (1, 1, 1)

    async def test_a_gust_of_requests_has_one_decode(self) -> None:
        """Each withdraws the one before, wherever that is; only the last is decoded to its end."""
        async with house() as one:
            one.engine.writes.clear()
            tasks = []
            for number in range(50):
                tasks.append(one.ask(place(f"x{number} = ")))
                for _ in range(number % 7):
                    await asyncio.sleep(0)
                tasks[-2:-1] and tasks[-2].cancel()
            await until(lambda: one.engine.demanded[-1:] == ["x49 = "])
            one.engine.writes.set()
            assert (await tasks[-1]).text == "abc = 1"
            assert all(task.cancelled() for task in tasks[:-1])
            assert one.engine.most_running == 1


class TestBehindAnAnswer:
    """What runs once something is shown: refinement, one look ahead, one prefill."""

    async def test_a_refined_answer_takes_the_place_of_the_first(self) -> None:
        """It comes later, is told, and is what the next request gets."""
        async with house() as one:
            one.engine.refines = lambda _: "abc = 2"
            one.engine.may_refine.clear()
            assert (await one.live.suggest(place("x = "), PLAIN)).text == "abc = 1"
            assert one.live.flying
            one.engine.may_refine.set()
            await one.live.rest()
            assert one.refined == [place("x = ")]
            assert one.text(await one.live.suggest(place("x = ab"), PLAIN)) == ("c = 2", "cache")

    async def test_the_same_or_nothing_is_no_refinement(self) -> None:
        """Nobody is told, and the first answer stays."""
        for says in ("abc = 1", ""):
            async with house() as one:
                one.engine.refines = lambda _, says=says: says  # type: ignore[misc]
                await one.live.suggest(place("x = "), PLAIN)
                await one.live.rest()
                assert one.refined == []
                assert (await one.live.suggest(place("x = "), PLAIN)).text == "abc = 1"

    async def test_a_key_that_does_not_fit_ends_the_refinement(self) -> None:
        """The model is free for what is typed now."""
        async with house() as one:
            one.engine.refines = lambda _: "abc = 2"
            one.engine.may_refine.clear()
            await one.live.suggest(place("x = "), PLAIN)
            one.key(place("x = b"))
            await until(lambda: not one.live.flying)
            assert (one.engine.cancelled, one.refined) == (1, [])

    async def test_one_look_ahead_then_rest(self) -> None:
        """As if accepted, once, with one iteration; then the prompt of the next key; then nothing."""
        async with house() as one:
            await one.live.suggest(place("x = ", "\ny"), AHEAD)
            await one.live.rest()
            assert one.engine.foreseen == ["x = abc = 1"]
            unfinished, request = one.engine.asked[-1]
            assert (unfinished.suffix, request.rounds) == ("\ny", 1)
            assert one.engine.prefilled == [place("x = ", "\ny")]
            await asyncio.sleep(0.02)
            assert (len(one.engine.asked), one.engine.running) == (2, 0)
            one.key(place("x = a"))
            await one.live.suggest(place("x = a", "\ny"), AHEAD)
            await one.live.rest()
            assert len(one.engine.asked) == 2

    async def test_after_acceptance_the_next_is_there(self) -> None:
        """It is shown without the model, which may then look ahead once more."""
        async with house() as one:
            one.engine.says = lambda at: "abc = 1" if at.prefix == "x = " else "\nmore"
            await one.live.suggest(place("x = "), AHEAD)
            await one.live.rest()
            one.key(place("x = abc = 1"))
            answer = await one.live.suggest(place("x = abc = 1"), AHEAD)
            assert one.text(answer) == ("\nmore", "speculative")
            await one.live.rest()
            assert one.engine.foreseen == ["x = abc = 1", "x = abc = 1\nmore"]

    async def test_the_look_ahead_can_be_joined(self) -> None:
        """Accepted before it was done, it goes on, and is the answer."""
        async with house() as one:
            await one.live.suggest(place("x = "), AHEAD)
            one.engine.writes.clear()
            await until(lambda: one.engine.foreseen)
            one.key(place("x = abc = 1"))
            second = one.ask(place("x = abc = 1"))
            await asyncio.sleep(0)
            one.engine.writes.set()
            assert one.text(await second) == ("abc = 1", "running")
            assert one.engine.demanded == ["x = "]

    @pytest.mark.parametrize(("typed", "stopped"), [("x = a", 0), ("x = b", 1), ("x =", 1)])
    async def test_a_key_decides_on_the_look_ahead(self, typed: str, stopped: int) -> None:
        """Typing along it runs on; any other key, backspace too, ends it."""
        async with house() as one:
            await one.live.suggest(place("x = "), AHEAD)
            one.engine.writes.clear()
            await until(lambda: one.engine.foreseen and one.engine.running)
            one.key(place(typed))
            for _ in range(9):
                await asyncio.sleep(0)
            assert (one.engine.cancelled, one.engine.running) == (stopped, 1 - stopped)

    @pytest.mark.parametrize("why", ["battery", "setting", "nothing shown"])
    async def test_no_look_ahead(self, why: str) -> None:
        """On battery, where the settings say so, and where there is nothing to accept."""
        async with house(on_battery=why == "battery") as one:
            if why == "nothing shown":
                one.engine.says = lambda _: ""
            await one.live.suggest(place("x = "), PLAIN if why == "setting" else AHEAD)
            await one.live.rest()
            assert (len(one.engine.asked), one.engine.prefilled) == (1, [])

    async def test_replaced_text_is_accepted_as_such(self) -> None:
        """What the completion takes the place of is gone in the look ahead."""
        async with house() as one:
            complete = one.engine.complete

            async def replacing(at: UnfinishedCode, request: Request, _watch: object = None) -> Completion:
                made = await complete(at, request)
                return made if request.speculative else replace(made, replaces_before=2, replaces_behind=1)

            one.engine.complete = replacing  # type: ignore[method-assign, assignment]
            await one.live.suggest(place("f(\n  ", ")\n"), AHEAD)
            await one.live.rest()
            assert one.engine.asked[-1][0].prefix == "f(\nabc = 1"
            assert one.engine.asked[-1][0].suffix == "\n"


class TestStopping:
    """`stop` and `drop` leave nothing running."""

    @pytest.mark.parametrize("while_", ["writing", "refining", "looking ahead"])
    async def test_stop(self, while_: str) -> None:
        """Whatever was going on has ended when it returns; twice is as good as once."""
        async with house() as one:
            one.engine.refines = (lambda _: "abc = 2") if while_ == "refining" else (lambda _: "")
            one.engine.may_refine.clear()
            if while_ == "writing":
                one.engine.writes.clear()
            first = one.ask(place("x = "), AHEAD)
            if while_ == "looking ahead":
                await first
                one.engine.writes.clear()
            await until(lambda: len(one.engine.asked) == 1 + (while_ == "looking ahead"))
            await one.live.stop()
            assert one.engine.running == 0
            await one.live.stop()
            await first

    async def test_drop(self) -> None:
        """It waits for nothing, and soon nothing runs; who waited is told that all has changed."""
        async with house() as one:
            one.engine.writes.clear()
            first = await one.asked(place("x = "))
            one.live.drop()
            assert (await first).reason is Reason.CHANGED
            await until(lambda: not one.engine.running)

    async def test_what_must_be_prepared_is_awaited(self) -> None:
        """The index knows what was typed elsewhere before the model is asked; a carried answer needs none."""
        prepared = []
        engine = ScriptedEngine()

        async def prepare(unfinished: UnfinishedCode, request: Request) -> None:
            del request
            assert engine.asked == []
            prepared.append(unfinished)

        live = LiveCompletion(engine, prepare)  # type: ignore[arg-type]
        for _ in range(2):
            await live.suggest(place("x = "), PLAIN)
        assert prepared == [place("x = ")]


KINDS = ["along", "other", "back", "jump", "ask", "ask", "cancel", "accept", "time", "pause"]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["along", "other", "back", "jump", "ask", "ask", "cancel", "accept", "time", "pause"]
        ),
        st.integers(0, 6),
    ),
    max_size=30,
)
TEXTS = ["abc = 1", "f(a)\n    return f", "", "x"]


@given(STEPS, st.integers(0, 3))
@hypothesis_settings(max_examples=60)
def test_whatever_is_typed(steps: list[tuple[str, int]], seed: int) -> None:
    """Random typing, erasing, jumping, asking, accepting, cancelling: one decode at a time and none left
    behind, and no answer but what the engine says at or before the place, as far as it is not typed yet."""
    asyncio.run(_type(steps, random.Random(seed)))


async def _type(steps: list[tuple[str, int]], chance: random.Random) -> None:
    async with house() as one:
        one.engine.says = lambda at: TEXTS[len(at.prefix) % len(TEXTS)]
        one.engine.refines = lambda at: TEXTS[len(at.prefix) % 3]
        text = other = "x = "
        tasks: list[tuple[str, asyncio.Task[Completion]]] = []
        for step, number in steps:
            shown = TEXTS[len(text) % len(TEXTS)]
            if step == "jump":
                text, other = other, text
            elif step == "ask":
                if tasks:
                    tasks[-1][1].cancel()  # as the server does
                one.engine.writes.set() if number % 2 else one.engine.writes.clear()
                tasks.append((text, one.ask(place(text), AHEAD if number > 2 else PLAIN)))
            elif step == "cancel" and tasks:
                tasks[-1][1].cancel()
            elif step == "time":
                one.engine.write(number)
            elif step == "pause":
                await asyncio.sleep(0.001 * number)
            else:
                keys = {"along": shown[:number], "accept": shown, "other": "z", "back": ""}.get(step, "")
                text = text[: max(4, len(text) - number)] if step == "back" else text + keys
                one.key(place(text))
            for _ in range(chance.randrange(5)):
                await asyncio.sleep(0)
        one.engine.writes.set()
        answers = await asyncio.gather(*(task for _, task in tasks), return_exceptions=True)
        for (prefix, _), answer in zip(tasks, answers, strict=True):
            assert isinstance(answer, Completion | asyncio.CancelledError), answer
            if isinstance(answer, Completion) and answer.text:
                assert prefix + answer.text in _possible(prefix)


def _possible(prefix: str) -> set[str]:
    """The texts that completions of this place or of one before it on its line would make."""
    made = set()
    for end in range(4, len(prefix) + 1):
        for text in (TEXTS[end % len(TEXTS)], TEXTS[end % 3]):
            if (prefix[:end] + text).startswith(prefix):
                made.add(prefix[:end] + text)
    return made
