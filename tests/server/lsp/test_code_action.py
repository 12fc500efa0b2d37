"""Code from comments in the editor: offered at once, worked on when chosen, never over a changed document."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import pytest
from lsprotocol import types

from bowerbird.lsp.code_action import EXPLAIN, GENERATE, TITLE, code_action
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.synthesis.mode import Mode
from bowerbird.synthesis.options import Options
from bowerbird.synthesis.outcome import End, Outcome, Source, Stage, Tell
from bowerbird.synthesis.request import Request
from lsp_pair import Connect, Pair, TestEditor
from scripted import checked

ASKING = "def f():\n    # sum of the 😀 list|\n"


@dataclass
class FakeSynthesis:
    """Enters by the engine's door; writes what the test says, when the test says."""

    outcome: Outcome
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[tuple[Request, Options, PurePosixPath]] = field(default_factory=list)
    cancelled: int = 0

    def __post_init__(self) -> None:
        self.may_answer.set()

    async def generate(self, request: Request, options: Options, tell: Tell, path: PurePosixPath) -> Outcome:
        self.asked.append((request, options, path))
        tell(Stage.WRITE, 1)
        try:
            await self.may_answer.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return self.outcome


def outcome(code: str = "x = 1\ny = 2", **more: Any) -> Outcome:
    return Outcome(code=code, **{"feedback": checked(), "end": End.PASSED, "model": "fake", **more})


def editor(resolves: bool = True, versions: bool = True, progress: bool = False) -> TestEditor:
    """One that has code actions."""
    support = types.ClientCodeActionResolveOptions(properties=["edit"] if resolves else [])
    edits = types.WorkspaceEditClientCapabilities(document_changes=versions)
    one = TestEditor(
        types.ClientCapabilities(
            workspace=types.WorkspaceClientCapabilities(workspace_edit=edits),
            text_document=types.TextDocumentClientCapabilities(
                inline_completion=types.InlineCompletionClientCapabilities(),
                code_action=types.CodeActionClientCapabilities(resolve_support=support),
            ),
            window=types.WindowClientCapabilities(work_done_progress=progress),
        )
    )
    one.applied = []  # type: ignore[attr-defined]
    one.choice = None  # type: ignore[attr-defined]
    one.questions = []  # type: ignore[attr-defined]

    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        one.applied.append(params.edit)  # type: ignore[attr-defined]
        return types.ApplyWorkspaceEditResult(applied=True)

    one.feature(types.WORKSPACE_APPLY_EDIT)(apply)
    one.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)(partial(_choose, one))
    return one


def _choose(one: Any, params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
    one.questions.append(params)
    return params.actions[0] if one.choice and params.actions else None


def set_up(pair: Pair, result: Outcome) -> FakeSynthesis:
    fake = FakeSynthesis(result)
    for assembly in pair.assemblies:
        assembly.synthesis = fake  # type: ignore[attr-defined]
        assembly.policy.excluded = lambda path: "ignored" if path.name == "secret.py" else None
    return fake


async def actions(pair: Pair, uri: str, place: types.Position, only: list[str] | None = None) -> list[Any]:
    context = types.CodeActionContext([], only=only)
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), types.Range(place, place), context)
    return list(await pair.editor.text_document_code_action_async(params) or ())


async def run(pair: Pair, *arguments: Any, command: str = GENERATE) -> Any:
    return await pair.editor.workspace_execute_command_async(
        types.ExecuteCommandParams(command, arguments=list(arguments))
    )


async def test_offered_at_once_and_resolved_lazily(connect: Connect) -> None:
    """Offering asks no model; choosing gives one edit of the very version, indented like the comment."""
    async with connect(editor()) as pair:
        fake = set_up(pair, outcome())
        uri, place = pair.type_in("a.py", ASKING)
        (action,) = await actions(pair, uri, place)
        assert (action.title, action.edit, fake.asked) == (TITLE, None, [])
        resolved = await pair.editor.code_action_resolve_async(action)
        (change,) = resolved.edit.document_changes
        assert (change.text_document.uri, change.text_document.version) == (uri, 1)
        (edit,) = change.edits
        assert edit.new_text == "    x = 1\n    y = 2\n"
        assert edit.range == types.Range(types.Position(2, 0), types.Position(2, 0))
        ((request, options, path),) = fake.asked
        assert request.requirement == "sum of the 😀 list"
        assert (options.mode, options.rounds, str(path)) == (Mode.EVOR, 4, "a.py")
        await pair.wait_for(lambda: any("checked and not run" in one for one in pair.editor.messages))


async def test_the_files_own_line_ends(connect: Connect) -> None:
    """CRLF in, CRLF out; columns count as the editor counts."""
    async with connect(editor()) as pair:
        set_up(pair, outcome())
        uri, place = pair.type_in("a.py", "# sum of the 😀 list|", "python")
        (action,) = await actions(pair, uri, place)
        (change,) = (await pair.editor.code_action_resolve_async(action)).edit.document_changes
        end = types.Position(0, len("# sum of the 😀 list".encode("utf-16-le")) // 2)
        assert change.edits[0].range in (
            types.Range(end, end),
            types.Range(types.Position(0, 19), types.Position(0, 19)),  # the editor counts code points
        )
        uri, place = pair.type_in("b.py", "# sum of a list|\r\n\r\n")
        (action,) = await actions(pair, uri, place)
        (change,) = (await pair.editor.code_action_resolve_async(action)).edit.document_changes
        assert change.edits[0].new_text == "x = 1\r\ny = 2\r\n"


BRACKETS = {
    **dict.fromkeys(("html", "xml", "markdown"), ("<!-- ", " -->")),
    "css": ("/* ", " */"),
    "ocaml": ("(* ", " *)"),
    "restructuredtext": (".. ", ""),
}
LEAD = {"php": "<?php"}
"""What must stand above, or nothing is code."""
COMMENTED = [one for one in LANGUAGES if one != "json"]  # which has no comments


@pytest.mark.parametrize("language", COMMENTED)
async def test_in_every_language(connect: Connect, language: str) -> None:
    """A run of comment lines asks; the code lands below, with the file's indentation and line ends.

    It is one edit of that very version, so one step to undo.
    """
    row = LANGUAGES[language]
    begin, end = BRACKETS.get(language, (f"{row.comment} ", ""))
    lines = [f"  {begin}{said}{end}" for said in ("sum of all numbers", "in the list 😀")]
    above = [LEAD[language]] if language in LEAD else []
    async with connect(editor()) as pair:
        fake = set_up(pair, outcome())
        for number, line_end in enumerate(("\n", "\r\n")):
            text = line_end.join([*above, *lines, "|", ""])
            name = f"a{number}{row.extensions[0]}" if row.extensions else row.file_names[0]
            uri, _ = pair.type_in(name, text, row.lsp_ids[0])
            for asked, line in enumerate((len(above), len(above) + 1), start=1):
                (action,) = await actions(pair, uri, types.Position(line, 3))
                (change,) = (await pair.editor.code_action_resolve_async(action)).edit.document_changes
                assert (change.text_document.version, len(change.edits)) == (1, 1)
                (edit,) = change.edits
                below = types.Position(len(above) + 2, 0)
                assert edit.range == types.Range(below, below)
                assert edit.new_text == f"  x = 1{line_end}  y = 2{line_end}"
                request = fake.asked[2 * number + asked - 1][0]
                assert (request.requirement, request.language) == (
                    "sum of all numbers\nin the list 😀",
                    language,
                )


async def test_nothing_is_offered_where_nothing_is_asked(connect: Connect) -> None:
    """Code, excluded files, other kinds of actions, unopened documents."""
    async with connect(editor()) as pair:
        set_up(pair, outcome())
        assert await actions(pair, *pair.type_in("a.py", "x = 1|\n")) == []
        assert await actions(pair, *pair.type_in("secret.py", ASKING)) == []
        assert await actions(pair, pair.uri("b.py"), types.Position(0, 0)) == []
        uri, place = pair.type_in("c.py", ASKING)
        assert await actions(pair, uri, place, ["quickfix"]) == []
        assert len(await actions(pair, uri, place, ["refactor"])) == 1


@pytest.mark.parametrize(
    "options", [{"generation": {"enabled": False}}, {"trusted": False}], ids=["disabled", "untrusted"]
)
async def test_settings_and_trust(connect: Connect, options: dict[str, Any]) -> None:
    """Switched off, and in a folder that is not trusted, nothing is offered, and the command refuses."""
    async with connect(editor(), options=options) as pair:
        fake = set_up(pair, outcome())
        uri, place = pair.type_in("a.py", ASKING)
        assert await actions(pair, uri, place) == []
        await run(pair, uri, place.line)
        assert fake.asked == []


async def test_a_changed_document_is_never_overwritten(connect: Connect) -> None:
    """Neither one that changed before the action was chosen, nor one that changes meanwhile."""
    async with connect(editor()) as pair:
        fake = set_up(pair, outcome())
        uri, place = pair.type_in("a.py", ASKING)
        (action,) = await actions(pair, uri, place)
        changed = "def f():\n    # sum of another list\n"
        pair.editor.edit(uri, types.TextDocumentContentChangeWholeDocument(changed))
        assert (await pair.editor.code_action_resolve_async(action)).edit is None
        assert fake.asked == []
        (action,) = await actions(pair, uri, place)
        fake.may_answer.clear()
        waiting = asyncio.ensure_future(pair.editor.code_action_resolve_async(action))
        await pair.wait_for(lambda: fake.asked)
        pair.editor.edit(uri, types.TextDocumentContentChangeWholeDocument("# sum of a list!\n"))
        await pair.wait_for(lambda: pair.server.documents.get(uri).version == 3)  # type: ignore[union-attr]
        fake.may_answer.set()
        assert (await waiting).edit is None
        await pair.wait_for(lambda: any("changed while" in one for one in pair.editor.messages))


async def test_the_command_has_the_same_effect(connect: Connect) -> None:
    """It sends the edit; editors that cannot resolve actions are given the command."""
    one = editor(resolves=False, versions=False)
    async with connect(one) as pair:
        set_up(pair, outcome())
        uri, place = pair.type_in("a.py", ASKING)
        context = types.CodeActionContext([])
        await pair.wait_for(lambda: pair.server.documents.get(uri))
        wanted = types.CodeActionParams(types.TextDocumentIdentifier(uri), types.Range(place, place), context)
        (action,) = code_action(pair.server, wanted)  # lsprotocol's client takes it for a command
        assert action.command is not None
        assert (action.command.command, action.command.arguments) == (GENERATE, [uri, 1])
        told = await run(pair, uri, 1)
        assert "nothing was found wrong" in told
        (edit,) = one.applied  # type: ignore[attr-defined]
        assert edit.changes[uri][0].new_text == "    x = 1\n    y = 2\n"
        assert (await run(pair, command=EXPLAIN))["code"] == "x = 1\ny = 2"


@pytest.mark.parametrize("arguments", [[], [None], ["file:///nowhere.py", 0], [{}], [3, "x"], [{"uri": 1}]])
async def test_odd_arguments(connect: Connect, arguments: list[Any]) -> None:
    """Are refused with a sentence."""
    async with connect(editor()) as pair:
        fake = set_up(pair, outcome())
        assert "document" in await run(pair, *arguments)
        assert fake.asked == []


async def test_withdrawing_stops_it(connect: Connect) -> None:
    """The editor may cancel at any moment, and a newer request takes the older one's place."""
    async with connect(editor()) as pair:
        fake = set_up(pair, outcome())
        fake.may_answer.clear()
        uri, place = pair.type_in("a.py", ASKING)
        (action,) = await actions(pair, uri, place)
        first = asyncio.ensure_future(pair.editor.code_action_resolve_async(action))
        await pair.wait_for(lambda: len(fake.asked) == 1)
        second = asyncio.ensure_future(pair.editor.code_action_resolve_async(action))
        await pair.wait_for(lambda: fake.cancelled == 1)
        fake.may_answer.set()
        assert (await second).edit is not None
        with pytest.raises(Exception, match="ancel"):
            await first


async def test_the_bars_button_stops_it(connect: Connect) -> None:
    """Progress tells stage and round, and its button cancels."""
    async with connect(editor(progress=True)) as pair:
        fake = set_up(pair, outcome())
        fake.may_answer.clear()
        uri, place = pair.type_in("a.py", ASKING)
        (action,) = await actions(pair, uri, place)
        waiting = asyncio.ensure_future(pair.editor.code_action_resolve_async(action))
        wanted = "round 1 of 4: writing"
        await pair.wait_for(lambda: any(_message(one) == wanted for one in pair.editor.progress_values))
        tokens = list(pair.server.work_done_progress.tokens)
        for token in tokens:
            pair.editor.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
        assert (await waiting).edit is None
        assert fake.cancelled == 1


def _message(value: Any) -> str:
    return (
        value["message"] if isinstance(value, dict) and "message" in value else getattr(value, "message", "")
    )


@pytest.mark.parametrize("chosen", [True, False])
@pytest.mark.parametrize(
    ("more", "title", "told"),
    [
        ({"example": Source("docs/test/a.md:1", "example", "pack")}, "Insert example", "nearest example"),
        ({"feedback": checked("no such name"), "end": End.ROUNDS}, "Insert anyway", "no such name"),
    ],
    ids=["example", "failed"],
)
async def test_what_is_not_as_asked_is_only_inserted_if_the_user_says_so(
    connect: Connect, chosen: bool, more: dict[str, Any], title: str, told: str
) -> None:
    """An example, and code that did not pass, are offered with the reason; nobody is told twice."""
    one = editor()
    one.choice = chosen  # type: ignore[attr-defined]
    async with connect(one) as pair:
        set_up(pair, outcome(**more))
        uri, place = pair.type_in("a.py", ASKING)
        (action,) = await actions(pair, uri, place)
        assert ((await pair.editor.code_action_resolve_async(action)).edit is not None) is chosen
        (asked,) = one.questions  # type: ignore[attr-defined]
        assert told in asked.message
        assert [action.title for action in asked.actions] == [title]
        assert one.messages == []
        answer = await run(pair, uri, place.line)
        assert (told in answer) is chosen
        assert bool(one.applied) is chosen  # type: ignore[attr-defined]


async def test_in_the_cell_of_a_notebook(connect: Connect) -> None:
    """The edit lands in the cell; where the notebook's file is excluded, nothing is offered."""
    async with connect(editor()) as pair:
        set_up(pair, outcome())
        for name, offered in (("a.ipynb", 1), ("secret.py", 0)):
            cell = f"vscode-notebook-cell:{pair.uri(name).removeprefix('file:')}#a"
            cells = [types.NotebookCell(types.NotebookCellKind.Code, cell)]
            book = types.NotebookDocument(pair.uri(name), "jupyter-notebook", 1, cells)
            text = types.TextDocumentItem(cell, "python", 1, "# sum of a list")
            pair.editor.notebook_document_did_open(types.DidOpenNotebookDocumentParams(book, [text]))
            found = await actions(pair, cell, types.Position(0, 2))
            assert len(found) == offered
            if found:
                (change,) = (await pair.editor.code_action_resolve_async(found[0])).edit.document_changes
                assert change.text_document.uri == cell
                assert change.edits[0].new_text == "\nx = 1\ny = 2"


async def test_in_an_unsaved_document(connect: Connect) -> None:
    """It has no file, and needs none."""
    async with connect(editor()) as pair:
        fake = set_up(pair, outcome())
        uri, place = pair.type_in("untitled:Untitled-1", "# sum of a list|\n")
        (action,) = await actions(pair, uri, place)
        assert (await pair.editor.code_action_resolve_async(action)).edit is not None
        assert fake.asked[0][2] == PurePosixPath()


async def test_citation(connect: Connect) -> None:
    """By a setting a comment names what was used."""
    async with connect(editor(), options={"generation": {"cite": True}}) as pair:
        set_up(pair, outcome(example=None))
        uri, place = pair.type_in("a.py", ASKING)
        (action,) = await actions(pair, uri, place)
        (change,) = (await pair.editor.code_action_resolve_async(action)).edit.document_changes
        assert change.edits[0].new_text.startswith("    # Generated by fake from nothing.\n    x = 1")


async def test_no_code_no_edit(connect: Connect) -> None:
    """Then the user is told why."""
    async with connect(editor()) as pair:
        set_up(pair, outcome("", end=End.MODEL, problem="The model file was not found.", feedback=None))
        uri, place = pair.type_in("a.py", ASKING)
        (action,) = await actions(pair, uri, place)
        assert (await pair.editor.code_action_resolve_async(action)).edit is None
        await pair.wait_for(lambda: any("model file" in one for one in pair.editor.messages))
