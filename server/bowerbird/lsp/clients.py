"""What is known of particular editors: a row for each that needs something."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lsprotocol import types


@dataclass(frozen=True, slots=True)
class Habits:
    """How one editor differs from what the protocol says."""

    status: bool = True
    """May be sent `bowerbird/status` without having asked for it."""
    line_end: str | None = None
    """The line end that inline completions must have; None takes the document's."""
    runs_commands: bool = False
    """Runs a completion's command without having announced that it runs any."""


# Neovim's buffers hold no line ends, and it puts an inline completion's `\r` into them as a character.
# lsp-mode warns the user of each notification that it does not know, and its buffers are like Neovim's.
HABITS = {
    "Neovim": Habits(line_end="\n", runs_commands=True),
    "emacs": Habits(status=False, line_end="\n"),
}


@dataclass(frozen=True, slots=True)
class Client:
    """The editor at the other end: what it announced, asked once and kept."""

    habits: Habits = Habits()
    inline_completion: bool = False
    configuration: bool = False
    """It answers `workspace/configuration`."""
    watches_files: bool = False
    """It can be asked to report changes on disk."""
    progress: bool = False
    """It shows progress that the server begins."""
    runs_commands: bool = False
    """It can run a completion's command after insertion."""
    plain_indent: bool = False
    """It can be told not to re-indent completion items."""
    markdown: bool = False
    """It renders Markdown beside completion items."""
    refines: bool = False
    """It wants to hear of a completion that a later iteration has changed (``bowerbird/refined``)."""


def describe_client(params: types.InitializeParams) -> Client:
    """What `initialize` says about the editor."""
    capabilities = params.capabilities
    workspace, documents = capabilities.workspace, capabilities.text_document
    watching = workspace.did_change_watched_files if workspace else None
    completion = documents.completion if documents else None
    item = completion.completion_item if completion else None
    indent_modes = item.insert_text_mode_support.value_set if item and item.insert_text_mode_support else ()
    formats: Iterable[types.MarkupKind] = (item.documentation_format if item else None) or ()
    habits = HABITS.get(params.client_info.name if params.client_info else "", Habits())
    return Client(
        habits=habits,
        inline_completion=documents is not None and documents.inline_completion is not None,
        configuration=bool(workspace and workspace.configuration),
        watches_files=bool(watching and watching.dynamic_registration),
        progress=bool(capabilities.window and capabilities.window.work_done_progress),
        runs_commands=habits.runs_commands or bool(workspace and workspace.execute_command),
        plain_indent=types.InsertTextMode.AsIs in indent_modes,
        markdown=types.MarkupKind.Markdown in formats,
        refines=_experimental(capabilities, "refined"),
    )


def _experimental(capabilities: types.ClientCapabilities, name: str) -> bool:
    """Does the client announce ``experimental.bowerbird.NAME``?"""
    own = capabilities.experimental.get("bowerbird") if isinstance(capabilities.experimental, dict) else None
    return isinstance(own, dict) and own.get(name) is True
