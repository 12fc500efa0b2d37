"""One request at a time, the newest."""

import asyncio

import pytest

from bowerbird.lsp.superseding import Turns, run_to_its_end


async def test_a_gust_of_requests_runs_only_the_last() -> None:
    """Of many requests that arrive together, only the newest does any work; the others end as cancelled."""
    turns, worked = Turns(), []

    async def request(number: int) -> int:
        async with turns.take():
            worked.append(number)
            await asyncio.sleep(0.01)
            return number

    tasks = [asyncio.create_task(request(number)) for number in range(100)]
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert worked == [99]
    assert results[-1] == 99
    assert all(isinstance(result, asyncio.CancelledError) for result in results[:-1])


async def test_the_next_begins_when_the_one_before_has_stopped() -> None:
    """Two requests never work at once, however slowly the first lets go and however often it is cancelled."""
    turns, working, most = Turns(), 0, 0

    async def work() -> None:
        nonlocal working, most
        working += 1
        most = max(most, working)
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.03)  # as a model does that stops between two batches
            working -= 1

    async def request() -> None:
        async with turns.take():
            await run_to_its_end(work())

    tasks = []
    for _ in range(5):
        tasks.append(asyncio.create_task(request()))
        await asyncio.sleep(0.01)
        tasks[0].cancel()  # the editor withdraws what was superseded already
    tasks[-1].cancel()
    await asyncio.wait(tasks)
    assert (most, working) == (1, 0)


async def test_who_was_superseded_can_tell() -> None:
    """A cancelled request knows whether a newer one came or the editor withdrew it."""
    turns, told = Turns(), []

    async def request() -> None:
        try:
            async with turns.take():
                await asyncio.sleep(60)
        except asyncio.CancelledError:
            told.append(turns.superseded)
            raise

    first = asyncio.create_task(request())
    await asyncio.sleep(0.01)
    second = asyncio.create_task(request())
    await asyncio.wait([first])
    second.cancel()
    await asyncio.wait([second])
    assert told == [True, False]


async def test_a_failure_of_the_work_comes_through() -> None:
    """What goes wrong inside is raised as it is."""

    async def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await run_to_its_end(fail())
