"""Settings on their way: from the start options, by asking the editor, and from what it says by itself."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from bowerbird.lsp.host import BowerbirdServer
from bowerbird.lsp.options import SECTION, is_trusted, overlay, read_settings, settings_object
from bowerbird.settings import Settings

ANSWER_TIMEOUT_S = 5.0  # an editor that never answers must not keep the index waiting

logger = logging.getLogger(__name__)


def start_options(server: BowerbirdServer, raw: object) -> Settings:
    """Settings and trust from `initializationOptions`."""
    server.options["start"] = settings_object({SECTION: raw}) or {}
    server.trusted, problems = is_trusted(raw)
    return _settings(server, problems)


async def ask(server: BowerbirdServer, said: object = None) -> None:
    """Ask the editor for its settings, if it answers such questions; else take what it `said`."""
    answer = await _answer(server) if server.client.configuration else None
    told = settings_object(said) if answer is None else answer
    if told is None:
        return
    server.options["editor"] = told
    settings = _settings(server)
    if server.assembly is not None and settings != server.assembly.settings:
        server.assemble(settings, server.folders)


async def did_change_configuration(
    server: BowerbirdServer, params: types.DidChangeConfigurationParams
) -> None:
    """The user has changed settings."""
    await ask(server, params.settings)


async def _answer(server: BowerbirdServer) -> dict[str, Any] | None:
    question = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
    try:
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            answers = await server.workspace_configuration_async(question)
    except (TimeoutError, JsonRpcException) as error:
        logger.warning("The editor did not tell its settings: %s", error or "no answer")
        return None
    return settings_object({SECTION: answers[0]}) if answers else None


def _settings(server: BowerbirdServer, problems: list[str] | None = None) -> Settings:
    """The settings of all sources together; what is wrong is told to the user once until it changes."""
    merged: dict[str, Any] = {}
    for layer in server.options.values():
        merged = overlay(merged, layer)
    settings, wrong = read_settings(merged)
    wrong = (problems or []) + wrong
    if wrong and wrong != server.problems:
        server.warn(" ".join(wrong))
    server.problems = wrong
    return settings
