"""The sandboxes that work here, and what is installed."""

from __future__ import annotations

import asyncio
import shutil

import pytest

import parts
from bowerbird.execution.powerquery import why_missing
from bowerbird.execution.sandbox import Sandbox, why_not
from bowerbird.execution.visible import PREFIXES

REASONS = {method: asyncio.run(why_not(Sandbox(method))) for method in PREFIXES}
WORKING = [method for method, reason in REASONS.items() if not reason]
POWERQUERY = parts.PARTS / "powerquery"


@pytest.fixture(params=WORKING or ["none"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each sandbox that works here in turn; without any the test is skipped."""
    if not WORKING:
        pytest.skip(f"no sandbox works here: {REASONS}")
    return Sandbox(request.param)


@pytest.fixture
def powerquery_folder() -> object:
    """Microsoft's packages for Power Query M; without them the test is skipped."""
    missing = why_missing(POWERQUERY)
    if missing:
        pytest.skip(f"needs Microsoft's packages in {POWERQUERY}: {missing}")
    if shutil.which("node") is None:
        pytest.skip("needs node")
    return POWERQUERY
