"""The session: handshake, settings, folders, files, and what makes no sense."""

import asyncio
import json
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from bowerbird.lsp.convert import Encoding, uri_of
from lsp_pair import Pair, TestEditor, Wire, capabilities


def watching(supported: bool) -> types.DidChangeWatchedFilesClientCapabilities:
    return types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=supported)


class TestHandshake:
    """`initialize` and `initialized`."""

    @pytest.mark.parametrize(
        ("offered", "chosen"),
        [
            (None, "utf-16"),
            ([], "utf-16"),
            (["utf-8", "utf-16"], "utf-8"),
            (["utf-32", "utf-8"], "utf-32"),
            (["utf-7", "utf-8"], "utf-8"),
            (["utf-7"], "utf-16"),
        ],
    )
    async def test_the_encoding_that_the_editor_likes_best(
        self, connect: Any, offered: Any, chosen: str
    ) -> None:
        """The first of the editor's that we know, else UTF-16."""
        announced = capabilities()
        announced.general = types.GeneralClientCapabilities(position_encodings=offered)
        async with connect(TestEditor(announced)) as pair:
            assert pair.editor.server.capabilities.position_encoding == chosen
            assert pair.server.encoding is Encoding(chosen)

    async def test_documents_are_synchronised_by_their_changes(self, connect: Any) -> None:
        """Only what changed is sent, and saving is told."""
        async with connect() as pair:
            sync = pair.editor.server.capabilities.text_document_sync
            assert (sync.open_close, sync.change, sync.save) == (
                True,
                types.TextDocumentSyncKind.Incremental,
                True,
            )

    async def test_nothing_is_read_before_the_editor_is_ready(self, connect: Any) -> None:
        """`initialize` starts no scan; `initialized` starts one, and the status tells of it."""
        async with connect(begin=False) as pair:
            await pair.editor.initialize_async(types.InitializeParams(capabilities=capabilities()))
            await asyncio.sleep(0.02)
            assert (pair.repository.scans, pair.editor.statuses) == (0, [])
            pair.editor.initialized(types.InitializedParams())
            await pair.editor.indexed()
            assert pair.repository.scans == 1
            assert [status["state"] for status in pair.editor.statuses] == ["indexing", "ready"]

    async def test_progress_is_shown_where_the_editor_has_it(self, connect: Any) -> None:
        """The scan has a bar with a beginning and an end."""
        announced = capabilities()
        announced.window = types.WindowClientCapabilities(work_done_progress=True)
        async with connect(TestEditor(announced)) as pair:
            await pair.editor.until(lambda: len(pair.editor.progress_values) == 2)
            assert [value["kind"] for value in pair.editor.progress_values] == ["begin", "end"]

    async def test_no_progress_is_shown_where_the_editor_has_none(self, connect: Any) -> None:
        """An editor that did not announce it is not asked to make a bar."""
        async with connect() as pair:
            assert pair.editor.progress_values == []


class TestReadingBesideTheRequests:
    """The scan is long, and the editor does not wait for it."""

    async def test_completions_are_served_meanwhile(self, connect: Any) -> None:
        """A request is answered from what is indexed so far, and then the status speaks of indexing again."""
        async with connect() as pair:
            pair.repository.may_finish.clear()
            await run(pair, "bowerbird.reindex")
            await pair.wait_for(lambda: pair.repository.scans == 2)
            await pair.ghost("a.py", "x|")
            assert pair.editor.statuses[-1]["state"] == "indexing"
            pair.repository.may_finish.set()
            assert (await pair.editor.indexed())["state"] == "ready"

    async def test_a_new_reading_ends_the_one_before(self, connect: Any) -> None:
        """The older stops, then the newer begins; the status speaks of indexing until the newer ends."""
        async with connect() as pair:
            pair.repository.may_finish.clear()
            for _ in range(3):
                await run(pair, "bowerbird.reindex")
            await pair.wait_for(lambda: pair.repository.scans >= 2)
            await asyncio.sleep(0.05)
            assert pair.editor.statuses[-1]["state"] == "indexing"
            pair.repository.may_finish.set()
            assert (await pair.editor.indexed())["state"] == "ready"

    async def test_the_end_does_not_wait_for_it(self, connect: Any) -> None:
        """The editor leaves in the middle of a scan."""
        async with connect() as pair:
            pair.repository.may_finish.clear()
            await run(pair, "bowerbird.reindex")
            await pair.editor.finish()

    async def test_the_user_can_stop_it(self, connect: Any) -> None:
        """The button of the progress bar ends the scan; what is indexed serves."""
        announced = capabilities()
        announced.window = types.WindowClientCapabilities(work_done_progress=True)
        async with connect(TestEditor(announced)) as pair:
            pair.repository.may_finish.clear()
            await run(pair, "bowerbird.reindex")
            await pair.wait_for(lambda: pair.repository.scans == 2)
            tokens = pair.server.work_done_progress.tokens
            pair.editor.window_work_done_progress_cancel(
                types.WorkDoneProgressCancelParams(next(iter(tokens)))
            )
            assert (await pair.editor.indexed())["state"] == "ready"

    async def test_a_fault_in_it_leaves_the_server_at_work(
        self, connect: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        """It is logged, and completions are served."""
        async with connect() as pair:
            pair.repository.scan = None
            await run(pair, "bowerbird.reindex")
            assert (await pair.editor.indexed())["state"] == "ready"
            await pair.ghost("a.py", "x|")
            assert "beside the requests" in caplog.text


async def run(pair: Pair, command: str) -> None:
    await pair.editor.workspace_execute_command_async(types.ExecuteCommandParams(command))


class TestFolders:
    """What the editor works on."""

    @pytest.mark.parametrize(
        ("params", "folders"),
        [
            ({"workspace_folders": [("file:///a", "a"), ("file:///b%20c", "b")]}, ["/a", "/b c"]),
            ({"workspace_folders": [("file:///a", "a")], "root_uri": "file:///r"}, ["/a"]),
            ({"workspace_folders": [("vscode-vfs://github/x", "x"), ("file:///a", "a")]}, ["/a"]),
            ({"workspace_folders": [], "root_uri": "file:///r"}, ["/r"]),
            ({"root_uri": "file:///r"}, ["/r"]),
            ({"root_path": "/p"}, ["/p"]),
            ({}, []),
        ],
    )
    async def test_the_folders_at_the_start(self, connect: Any, params: Any, folders: list[str]) -> None:
        """Workspace folders, else the single root of older editors, else none; only those on this machine."""
        named = params.pop("workspace_folders", None)
        if named is not None:
            params["workspace_folders"] = [types.WorkspaceFolder(*each) for each in named]
        async with connect(begin=False) as pair:
            await pair.editor.initialize_async(
                types.InitializeParams(capabilities=types.ClientCapabilities(), **params)
            )
            assert pair.server.folders == tuple(map(Path, folders))

    async def test_folders_come_and_go(self, connect: Any, tmp_path: Path) -> None:
        """A changed set of folders is indexed, upon what is indexed already."""
        async with connect() as pair:
            other = types.WorkspaceFolder("file:///other", "other")
            gone = types.WorkspaceFolder(uri_of(tmp_path), "gone")
            event = types.WorkspaceFoldersChangeEvent(added=[other], removed=[gone])
            pair.editor.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
            await pair.wait_for(lambda: pair.server.folders == (Path("/other"),))
            await pair.wait_for(lambda: pair.repository.scans == 2)
            assert pair.repository.folders == pair.server.assembly.folders == (Path("/other"),)
            assert len(pair.assemblies) == 1


class TestSettings:
    """From every source, and what a change touches."""

    async def test_mistakes_are_told_once(self, connect: Any) -> None:
        """One warning at the start with a sentence for each mistake; another only when they change."""
        options = {"completion": {"iterations": "many", "colour": 1}}
        editor = TestEditor(capabilities(configuration=True), settings=None)
        async with connect(editor, options) as pair:
            assert len(editor.messages) == 1
            assert "completion.iterations must be a whole number" in editor.messages[0]
            assert "completion.colour is not a setting" in editor.messages[0]
            assert pair.assemblies[-1].settings.completion.iterations == 2
            editor.settings = {"completion": {"iterations": 99, "colour": None}}
            editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
            await editor.until(lambda: len(editor.messages) == 2)
            assert "completion.iterations must be from 0 to 8" in editor.messages[1]
            editor.settings = {"completion": {"iterations": 99, "timeBudgetMs": 700}}
            editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
            await pair.wait_for(lambda: pair.assemblies[-1].settings.completion.time_budget_ms == 700)
            assert len(editor.messages) == 2

    async def test_they_are_asked_for(self, connect: Any) -> None:
        """Where the editor answers, its settings win over the start options, now and at each change."""
        editor = TestEditor(
            capabilities(configuration=True), settings={"completion": {"iterations": 3, "snap": None}}
        )
        async with connect(editor, {"completion": {"iterations": 1, "timeBudgetMs": 700}}) as pair:
            completion = pair.assemblies[-1].settings.completion
            assert (completion.iterations, completion.time_budget_ms) == (3, 700)
            editor.settings = {"completion": {"iterations": 4}}
            editor.workspace_did_change_configuration(types.DidChangeConfigurationParams({"ignored": 1}))
            await pair.wait_for(lambda: pair.assemblies[-1].settings.completion.iterations == 4)
            assert pair.repository.scans == 1

    @pytest.mark.parametrize(
        "settings", [{"completion": {"iterations": 4}}, {"bowerbird": {"completion.iterations": 4}}]
    )
    async def test_they_are_said(self, connect: Any, settings: Any) -> None:
        """An editor that answers no questions may say them by itself, bare or under our name."""
        async with connect() as pair:
            pair.editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
            await pair.wait_for(lambda: pair.assemblies[-1].settings.completion.iterations == 4)

    async def test_an_editor_that_answers_nonsense(self, connect: Any) -> None:
        """What is no object of settings is told, and the defaults serve."""
        async with connect(TestEditor(capabilities(configuration=True), settings="loud")) as pair:
            assert "bowerbird must be an object of settings" in pair.editor.messages[0]
            await pair.ghost("a.py", "x|")

    async def test_a_change_touches_only_what_it_must(self, connect: Any) -> None:
        """A completion setting reindexes nothing, a model's restarts it, and one of the index reindexes."""
        async with connect() as pair:
            pair.type_in("a.py", "x|")
            await pair.wait_for(lambda: pair.repository.opened)
            index, model = pair.repository, pair.assemblies[-1].model
            for settings, same_index, same_model in (
                ({"completion": {"timeBudgetMs": 700}}, True, True),
                ({"completion": {"model": "other"}}, True, False),
                ({"completion": {"model": "other"}, "index": {"exclude": ["x"]}}, False, False),
            ):
                count = len(pair.assemblies)
                pair.editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
                await pair.wait_for(lambda count=count: len(pair.assemblies) > count)
                assert (pair.repository is index) is same_index
                assert (pair.assemblies[-1].model is model) is same_model
            await pair.wait_for(lambda: pair.repository.scans and pair.repository.opened)
            assert (index.scans, model.closes, pair.repository.opened) == (1, 1, {pair.folder / "a.py": "x"})

    async def test_completion_is_switched_off_and_on(self, connect: Any) -> None:
        """The status says at once that it is paused."""
        async with connect() as pair:
            for enabled, state in ((False, "paused"), (True, "ready")):
                settings = {"completion": {"enabled": enabled}}
                pair.editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
                await pair.editor.until(lambda state=state: pair.editor.statuses[-1]["state"] == state)

    async def test_a_workspace_cannot_grant_itself_trust(self, connect: Any) -> None:
        """Trust comes with the start options alone, not with settings, which a workspace may bring."""
        editor = TestEditor(capabilities(configuration=True), settings={"trusted": True})
        async with connect(editor, {"trusted": False}) as pair:
            uri, place = pair.type_in("a.py", "x|")
            assert not await editor.ghosts(uri, place)
            assert editor.statuses[-1]["reason"] == "untrusted"


class TestFiles:
    """What happens on disk and in the editor."""

    async def test_the_editor_watches_where_it_can(self, connect: Any) -> None:
        """It is asked to report all changes, they reach the index, and we do not look ourselves."""
        async with connect(TestEditor(capabilities(did_change_watched_files=watching(True)))) as pair:
            await pair.editor.until(lambda: pair.editor.registered)
            (registered,) = pair.editor.registered
            assert registered.method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            assert registered.register_options == {"watchers": [{"globPattern": "**/*"}]}
            assert pair.repository.watching == 0
            changes = [
                types.FileEvent(pair.uri(name), kind)
                for name, kind in zip(("a.py", "b.py", "c.py"), types.FileChangeType, strict=True)
            ]
            changes.append(types.FileEvent("vscode-vfs://x/d.py", types.FileChangeType.Changed))
            pair.editor.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes))
            await pair.wait_for(lambda: len(pair.repository.refreshed) == 3)
            assert pair.repository.refreshed == [pair.folder / name for name in ("a.py", "b.py", "c.py")]

    async def test_an_editor_that_refuses_to_watch(self, connect: Any) -> None:
        """Then we look ourselves."""
        editor = TestEditor(capabilities(did_change_watched_files=watching(True)))
        editor.refuses = True
        async with connect(editor) as pair:
            await pair.wait_for(lambda: pair.repository.watching == 1)

    @pytest.mark.parametrize(("wanted", "watchers"), [(True, 1), (False, 0)])
    async def test_we_watch_where_the_editor_does_not(
        self, connect: Any, wanted: bool, watchers: int
    ) -> None:
        """The setting can forbid it; a reading anew does not add a second watcher."""
        async with connect(options={"index": {"watch": wanted}}) as pair:
            for _ in range(2):
                await run(pair, "bowerbird.reindex")
            await pair.editor.indexed()
            await asyncio.sleep(0.02)
            assert pair.repository.watching == watchers
            assert pair.repository.scans == 3

    async def test_saves_and_the_editors_own_file_operations(self, connect: Any) -> None:
        """Saved, created, deleted and renamed files are looked at again, a renamed one under both names."""
        operations = types.FileOperationClientCapabilities(did_create=True, did_rename=True, did_delete=True)
        async with connect(TestEditor(capabilities(file_operations=operations))) as pair:
            provided = pair.editor.server.capabilities.workspace.file_operations
            assert None not in (provided.did_create, provided.did_rename, provided.did_delete)
            pair.editor.text_document_did_save(
                types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(pair.uri("a")))
            )
            pair.editor.workspace_did_create_files(types.CreateFilesParams([types.FileCreate(pair.uri("b"))]))
            pair.editor.workspace_did_delete_files(types.DeleteFilesParams([types.FileDelete(pair.uri("c"))]))
            pair.editor.workspace_did_rename_files(
                types.RenameFilesParams([types.FileRename(pair.uri("d"), pair.uri("e"))])
            )
            await pair.wait_for(lambda: len(pair.repository.refreshed) == 5)
            assert {path.name for path in pair.repository.refreshed} == set("abcde")

    async def test_open_documents_count_as_they_are(self, connect: Any) -> None:
        """What is typed reaches the index; a closed document leaves it to the disk."""
        async with connect() as pair:
            uri, _ = pair.type_in("a.py", "one|\r\n")
            await pair.wait_for(lambda: pair.repository.opened == {pair.folder / "a.py": "one\n"})
            pair.editor.edit(uri, types.TextDocumentContentChangeWholeDocument("two"))
            await pair.wait_for(lambda: pair.repository.opened == {pair.folder / "a.py": "two"})
            pair.editor.text_document_did_close(
                types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
            )
            await pair.wait_for(lambda: pair.repository.opened == {})

    async def test_a_request_sees_what_was_just_typed_elsewhere(self, connect: Any) -> None:
        """Other documents' newest texts are in the index before a completion is made."""
        async with connect() as pair:
            pair.type_in("other.py", "fresh|")
            await pair.ghost("a.py", "x|")
            assert pair.repository.opened == {pair.folder / "other.py": "fresh"}


class TestNonsense:
    """Messages that no editor should send."""

    @pytest.mark.parametrize(
        "params",
        [
            {},
            None,
            [],
            {"textDocument": {"uri": "file:///a"}, "context": {"triggerKind": 1}},
            {
                "textDocument": {"uri": "file:///a"},
                "position": {"line": -1, "character": 0},
                "context": {"triggerKind": 1},
            },
            {
                "textDocument": {"uri": "file:///a"},
                "position": {"line": 0, "character": 0},
                "context": {"triggerKind": 9},
            },
        ],
    )
    async def test_a_request_that_cannot_be_read_has_an_answer(self, connect: Any, params: Any) -> None:
        """It is answered with an error, no message box opens, and the next request is served."""
        async with connect() as pair:
            answer: Future[Any] = Future()
            pair.editor.protocol._request_futures["broken"] = answer
            body = {
                "jsonrpc": "2.0",
                "id": "broken",
                "method": types.TEXT_DOCUMENT_INLINE_COMPLETION,
                "params": params,
            }
            send(pair, body)
            with pytest.raises(JsonRpcException) as error:
                await asyncio.wrap_future(answer)
            assert error.value.code == types.ErrorCodes.InvalidParams
            await pair.ghost("a.py", "x|")
            assert pair.editor.messages == []

    @pytest.mark.parametrize(
        "body",
        [
            b"{not json",
            b"[]",
            b"null",
            b'{"jsonrpc": "2.0"}',
            b'{"jsonrpc": "1.0", "method": "x"}',
            b'{"jsonrpc": "2.0", "id": 77, "result": null}',
            b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"contentChanges": 5}}',
            b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": '
            b'{"uri": "file:///unopened", "version": 2}, "contentChanges": [{"text": "x"}]}}',
            b'{"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": '
            b'{"uri": "file:///unopened"}}}',
            b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 12345}}',
            b'{"jsonrpc": "2.0", "method": "workspace/didChangeConfiguration", "params": {"settings": 5}}',
            '{"jsonrpc": "2.0", "method": "é🐦"}'.encode(),
        ],
    )
    async def test_anything_else_is_passed_over(self, connect: Any, body: bytes) -> None:
        """The server goes on, quietly."""
        async with connect() as pair:
            pair.editor.protocol.writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            await pair.ghost("a.py", "x|")
            assert pair.editor.messages == []

    async def test_a_request_before_initialize(self, connect: Any) -> None:
        """There is no document yet, and so no completion."""
        async with connect(begin=False) as pair:
            assert not await pair.editor.ghosts("file:///a.py", types.Position(0, 0))


def send(pair: Pair, message: Any) -> None:
    body = json.dumps(message).encode()
    wire = pair.editor.protocol.writer
    assert isinstance(wire, Wire)
    wire.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
