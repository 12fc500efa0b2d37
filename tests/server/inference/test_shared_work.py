"""Work that several callers wait for."""

from __future__ import annotations

import asyncio

import pytest

from bowerbird.inference.shared_work import SharedWork


class Counted:
    """Work that says how often it began, and ends when it is told to."""

    def __init__(self) -> None:
        self.began = 0
        self.running = asyncio.Event()
        self.go_on = asyncio.Event()

    async def work(self) -> int:
        self.began += 1
        self.running.set()
        await self.go_on.wait()
        if self.began == 2:
            raise LookupError("the second time fails")
        return self.began


async def test_callers_share_what_is_under_way() -> None:
    """It runs once for all who ask meanwhile, and for whoever stays when others leave; later it runs anew."""
    counted = Counted()
    shared = SharedWork(counted.work)
    callers = [asyncio.create_task(shared.result()) for _ in range(3)]
    await counted.running.wait()
    callers[0].cancel()
    await asyncio.wait([callers[0]])
    counted.go_on.set()
    assert await asyncio.gather(*callers[1:]) == [1, 1]
    assert callers[0].cancelled()
    with pytest.raises(LookupError):
        await shared.result()
    assert await shared.result() == 3


async def test_work_can_be_stopped() -> None:
    """Stopping cancels it for all, and does nothing when there is nothing to stop."""
    counted = Counted()
    shared = SharedWork(counted.work)
    await shared.stop()
    caller = asyncio.create_task(shared.result())
    await counted.running.wait()
    await shared.stop()
    with pytest.raises(asyncio.CancelledError):
        await caller
    counted.go_on.set()
    with pytest.raises(LookupError):
        await shared.result()
