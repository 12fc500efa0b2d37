"""Ghost text: what is asked of the engine, what the editor is given, and why there may be nothing."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from bowerbird.completion.request import Mode
from bowerbird.trace import Reason
from lsp_pair import Pair

REQUEST_CANCELLED = -32800


@pytest.fixture
async def pair(connect: Any) -> Any:
    async with connect() as pair:
        yield pair


def at(line: int, start: int, end: int) -> types.Range:
    return types.Range(types.Position(line, start), types.Position(line, end))


@pytest.mark.parametrize(
    ("text", "completion", "inserted", "range_"),
    [
        ("retu|", "rn 1", "return 1", at(0, 0, 4)),
        ("def f():\n    |", "pass", "    pass", at(1, 0, 4)),
        ("def f():\n\t|\n", "pass", "\tpass", at(1, 0, 1)),
        ("x = |", "1", "1", at(0, 4, 4)),
        ("|", "import os", "import os", at(0, 0, 0)),
        ("f(na|)", "me", "me", at(0, 4, 4)),
        ("f(na|  ", "me", "name", at(0, 2, 4)),
        ("größe_2|", " = 3", "größe_2 = 3", at(0, 0, 7)),
        ("b = '🐦'; na|", "me", "name", at(0, 10, 12)),
        ("if a:|", "\n    b", "\n    b", at(0, 5, 5)),
    ],
)
async def test_an_item_replaces_from_the_word_or_the_indentation(
    pair: Pair, text: str, completion: str, inserted: str, range_: types.Range
) -> None:
    """The range always stands, on one line, up to the cursor; the text begins with what stands in it."""
    pair.engine.text = completion
    item = await pair.ghost("a.py", text)
    assert (item.insert_text, item.filter_text, item.range) == (inserted, inserted, range_)


async def test_the_engine_is_asked_about_the_document(pair: Pair) -> None:
    """It gets the text with plain line ends, the file's name in the workspace, and the settings' limits."""
    await pair.ghost("shop/cart.py", "a\r\nb|c\r\nd")
    unfinished, request = pair.engine.asked[0]
    assert (unfinished.prefix, unfinished.suffix) == ("a\nb", "c\nd")
    assert (unfinished.name, unfinished.repository) == ("shop/cart.py", pair.folder.name)
    assert unfinished.path == pair.folder / "shop/cart.py"
    assert unfinished.language == "python"
    assert (request.mode, request.iterations, request.time_budget_ms) == (Mode.REPOCODER, 2, 1500)


async def test_who_asks_by_a_key_waits_longer(pair: Pair) -> None:
    """An invoked request may take twice the time of one that typing started."""
    await pair.ghost("a.py", "|", invoked=True)
    assert pair.engine.asked[0][1].time_budget_ms == 3000


@pytest.mark.parametrize(("iterations", "mode"), [(0, Mode.IN_FILE), (1, Mode.RAG), (3, Mode.REPOCODER)])
async def test_iterations_choose_the_mode(connect: Any, iterations: int, mode: Mode) -> None:
    """None is the file alone, one is plain retrieval, more is RepoCoder."""
    async with connect(options={"completion": {"iterations": iterations}}) as pair:
        await pair.ghost("a.py", "|")
        assert pair.engine.asked[0][1].mode is mode


async def test_positions_out_of_range_are_clamped(pair: Pair) -> None:
    """A cursor beyond the text is at its end."""
    uri, _ = pair.type_in("a.py", "ab\ncd|")
    (item,) = await pair.editor.ghosts(uri, types.Position(700, 700))
    assert item.range == at(1, 0, 2)
    assert pair.engine.asked[0][0].prefix == "ab\ncd"


async def test_a_lone_surrogate_does_not_break_the_way(pair: Pair) -> None:
    """Half a character, which JSON can carry, reaches the engine as a replacement character."""
    await pair.ghost("a.py", "x = '\ud83d' |")
    assert pair.engine.asked[0][0].prefix == "x = '\ufffd' "


class TestSelectedItem:
    """While the editor's list of completions is open."""

    async def test_items_extend_it_and_use_its_range(self, pair: Pair) -> None:
        """The engine goes on from the selected text, and the item replaces what the list's item would."""
        pair.engine.text = "(1)"
        selected = types.SelectedCompletionInfo(at(0, 3, 5), "filter")
        item = await pair.ghost("a.py", "my.fi|", selected=selected)
        assert pair.engine.asked[0][0].prefix == "my.filter"
        assert (item.insert_text, item.range) == ("filter(1)", at(0, 3, 5))

    @pytest.mark.parametrize(
        "range_", [at(1, 0, 2), at(0, 0, 1), types.Range(types.Position(0, 0), types.Position(1, 0))]
    )
    async def test_one_that_is_elsewhere_gets_nothing(self, pair: Pair, range_: types.Range) -> None:
        """A range that does not hold the cursor, or more lines than one, cannot be extended."""
        uri, place = pair.type_in("a.py", "my.fi|\nab")
        selected = types.SelectedCompletionInfo(range_, "x")
        assert not await pair.editor.ghosts(uri, place, selected=selected)
        assert pair.editor.statuses[-1]["reason"] == Reason.EMPTY


class TestWhileTheModelWrites:
    """The document goes on living."""

    @pytest.fixture
    async def typing(self, pair: Pair) -> Any:
        """Ask behind ``x = na``, change the document, then let the model answer ``me = 1\\n# z``."""
        pair.engine.text = "me = 1\n# z"
        pair.engine.may_answer.clear()

        async def typed(*changes: tuple[str, int, int], text: str = "x = na|\ny") -> Any:
            uri, place = pair.type_in("a.py", text)
            asking = asyncio.create_task(pair.editor.ghosts(uri, place))
            await pair.wait_for(lambda: pair.engine.running)
            for new, start, end in changes:
                pair.editor.edit(uri, types.TextDocumentContentChangePartial(at(place.line, start, end), new))
            await pair.wait_for(lambda: pair.server.documents.get(uri).version == 1 + len(changes))
            pair.engine.may_answer.set()
            return await asking

        return typed

    async def test_what_was_typed_along_the_completion_stays_in_it(self, typing: Any) -> None:
        """Two keys that the completion begins with move the range's end, not the text."""
        (item,) = await typing(("m", 6, 6), ("e", 7, 7))
        assert (item.insert_text, item.range) == ("name = 1\n# z", at(0, 4, 8))

    async def test_a_new_line_typed_along_it_moves_the_range_there(self, typing: Any) -> None:
        """A range has one line, so it begins on the new line, with what is left."""
        (item,) = await typing(("me = 1\n#", 6, 6))
        assert (item.insert_text, item.range) == ("# z", at(1, 0, 1))

    @pytest.mark.parametrize(
        "change",
        [("n", 6, 6), ("", 5, 6), ("m", 0, 0), ("me = 1\n# z", 6, 6), ("me = 1\n# z and more", 6, 6)],
    )
    async def test_anything_else_drops_it(
        self, pair: Pair, typing: Any, change: tuple[str, int, int]
    ) -> None:
        """Other keys, deletions and edits elsewhere give an empty list, and the reason is told."""
        assert not await typing(change)
        assert pair.editor.statuses[-1]["reason"] == Reason.CHANGED
        assert pair.server.records.traces[-1].reason is Reason.CHANGED

    async def test_a_closed_document_gets_nothing(self, pair: Pair) -> None:
        """There is nothing left to complete."""
        pair.engine.may_answer.clear()
        uri, place = pair.type_in("a.py", "x|")
        asking = asyncio.create_task(pair.editor.ghosts(uri, place))
        await pair.wait_for(lambda: pair.engine.running)
        pair.editor.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        )
        await pair.wait_for(lambda: not list(pair.server.documents))
        pair.engine.may_answer.set()
        assert not await asking
        assert pair.editor.statuses[-1]["reason"] == Reason.NO_DOCUMENT


class TestNothing:
    """An empty list is an answer, and every one has its reason in the status and in the trace."""

    async def expect(self, pair: Pair, reason: Reason, name: str = "a.py", text: str = "x|") -> None:
        uri, place = pair.type_in(name, text)
        params = types.InlineCompletionParams(
            types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic),
            types.TextDocumentIdentifier(uri),
            place,
        )
        answer = await pair.editor.text_document_inline_completion_async(params)
        assert answer == types.InlineCompletionList(())
        explained = await pair.editor.protocol.send_request_async("bowerbird/explain", None)
        assert explained["trace"]["reason"] == reason
        assert explained["sentence"]
        last = pair.editor.statuses[-1]
        assert (last["reason"], bool(last["message"])) == (reason, True)

    async def test_unopened_document(self, pair: Pair) -> None:
        """A document that the editor has not opened."""
        assert not await pair.editor.ghosts(pair.uri("never.py"), types.Position(0, 0))
        assert pair.editor.statuses[-1]["reason"] == Reason.NO_DOCUMENT

    async def test_untrusted(self, connect: Any) -> None:
        """An untrusted folder is indexed, and no engine runs."""
        async with connect(options={"trusted": False}) as pair:
            await self.expect(pair, Reason.UNTRUSTED)
            assert (pair.repository.scans, pair.engine.asked) == (1, [])
            assert pair.editor.statuses[-1]["state"] == "paused"

    async def test_disabled(self, connect: Any) -> None:
        """Switched off, the engine is not asked."""
        async with connect(options={"completion": {"enabled": False}}) as pair:
            await self.expect(pair, Reason.DISABLED)
            assert pair.engine.asked == []

    @pytest.mark.parametrize("uri", ["git:/w/a.py?ref", "output:log", "vscode-notebook-cell:/a.ipynb#1"])
    async def test_views(self, pair: Pair, uri: str) -> None:
        """What shows a commit or a log is not written in."""
        await self.expect(pair, Reason.EXCLUDED, uri)
        assert pair.engine.asked == []

    @pytest.mark.parametrize("reason", [Reason.EMPTY, Reason.EXCLUDED, Reason.MODEL_LOADING])
    async def test_the_engines_own_reasons(self, pair: Pair, reason: Reason) -> None:
        """What the engine says is passed on."""
        pair.engine.text, pair.engine.reason = "", reason
        await self.expect(pair, reason)

    async def test_a_fault_of_ours(self, pair: Pair) -> None:
        """A mistake in the engine gives an empty list, and the next request is served."""
        pair.engine.fault = ZeroDivisionError("oops")
        await self.expect(pair, Reason.INTERNAL)
        assert pair.editor.statuses[-1]["state"] == "error"
        pair.engine.fault = None
        await pair.ghost("b.py", "x|")
        assert pair.editor.statuses[-1]["state"] == "ready"
        assert pair.editor.messages == []


class TestOneAtATime:
    """The newest request wins."""

    async def test_a_newer_request_cancels_the_older(self, pair: Pair) -> None:
        """The older is answered as cancelled, which editors swallow, and the newer is served."""
        pair.engine.may_answer.clear()
        uri, place = pair.type_in("a.py", "x|")
        older = asyncio.create_task(pair.editor.ghosts(uri, place))
        await pair.wait_for(lambda: pair.engine.running)
        newer = asyncio.create_task(pair.editor.ghosts(uri, types.Position(0, 0), invoked=True))
        with pytest.raises(JsonRpcException) as error:
            await older
        assert error.value.code == REQUEST_CANCELLED
        await pair.wait_for(lambda: pair.engine.cancelled and pair.engine.running)
        pair.engine.may_answer.set()
        assert await newer
        assert (pair.engine.most_running, pair.engine.cancelled) == (1, 1)

    async def test_a_newer_request_for_the_same_place_joins_the_older(self, pair: Pair) -> None:
        """The engine goes on; only the newer request hears its answer."""
        pair.engine.may_answer.clear()
        uri, place = pair.type_in("a.py", "x|")
        older = asyncio.create_task(pair.editor.ghosts(uri, place))
        await pair.wait_for(lambda: pair.engine.running)
        newer = asyncio.create_task(pair.editor.ghosts(uri, place))
        with pytest.raises(JsonRpcException):
            await older
        pair.engine.may_answer.set()
        assert await newer
        assert pair.engine.cancelled == 0
        assert len([request for _, request in pair.engine.asked if not request.speculative]) == 1

    async def test_a_hundred_keys(self, pair: Pair) -> None:
        """A hundred keys typed at once ask the engine no more than once at a time, and all are answered."""
        uri, _ = pair.type_in("a.py", "|")
        asking = []
        for number in range(100):
            pair.editor.edit(uri, types.TextDocumentContentChangePartial(at(0, number, number), "x"))
            asking.append(asyncio.create_task(pair.editor.ghosts(uri, types.Position(0, number + 1))))
            if number % 10 == 0:
                await asyncio.sleep(0)
        answers = await asyncio.gather(*asking, return_exceptions=True)
        assert len(answers[-1]) == 1
        assert {error.code for error in answers if isinstance(error, JsonRpcException)} == {REQUEST_CANCELLED}
        assert (pair.engine.most_running, pair.engine.running) == (1, 0)

    async def test_the_editor_withdraws_a_request(self, pair: Pair) -> None:
        """`$/cancelRequest` ends the engine's work, and the status says so."""
        pair.engine.may_answer.clear()
        uri, place = pair.type_in("a.py", "x|")
        context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic)
        params = types.InlineCompletionParams(context, types.TextDocumentIdentifier(uri), place)
        asking = pair.editor.protocol.send_request_async(
            types.TEXT_DOCUMENT_INLINE_COMPLETION, params, msg_id="mine"
        )
        await pair.wait_for(lambda: pair.engine.running)
        pair.editor.cancel_request(types.CancelParams("mine"))
        with pytest.raises(JsonRpcException) as error:
            await asking
        assert error.value.code == REQUEST_CANCELLED
        await pair.wait_for(lambda: (pair.engine.running, pair.engine.cancelled) == (0, 1))
        await pair.editor.until(lambda: pair.editor.statuses[-1]["reason"] == Reason.CANCELLED)
        assert pair.editor.statuses[-1]["state"] == "ready"


class TestUnsavedDocuments:
    """A document that has no file yet."""

    @pytest.mark.parametrize(
        ("uri", "name"),
        [
            ("untitled:Untitled-1", "Untitled-1"),
            ("untitled:/somewhere/new%20one.py", "new one.py"),
            ("untitled:", "untitled"),
        ],
    )
    async def test_it_is_completed_from_the_workspace(self, pair: Pair, uri: str, name: str) -> None:
        """It counts as a file in the first folder, in the language that the editor says."""
        await pair.ghost(uri, "x|")
        unfinished = pair.engine.asked[0][0]
        assert (unfinished.path, unfinished.name) == (pair.folder / name, name)
        assert (unfinished.repository, unfinished.language) == (pair.folder.name, "python")
        assert pair.repository.opened == {}

    async def test_without_any_folder(self, connect: Any) -> None:
        """No folder is open, and there are completions all the same."""
        async with connect(folders=[]) as pair:
            await pair.ghost("untitled:Untitled-1", "x|")
            await pair.ghost("file:///elsewhere/a.py", "x|")
            asked = [unfinished for unfinished, request in pair.engine.asked if not request.speculative]
            assert [unfinished.name for unfinished in asked] == ["Untitled-1", "a.py"]
            assert asked[1].path == Path("/elsewhere/a.py")


async def test_what_is_wrong_with_the_model_is_told_beside_an_answer(pair: Pair) -> None:
    """A server that is down while the built-in model stands in: ghost text all the same, and one message."""
    sentence = "The server at http://127.0.0.1:9 does not answer."
    pair.assemblies[-1].model.problem = sentence
    for line in range(2):
        assert await pair.ghost("a.py", "\n" * line + "retu|")
    await pair.wait_for(lambda: pair.editor.statuses[-1]["message"] == sentence)
    assert pair.editor.statuses[-1]["state"] == "ready"
    assert [one for one in pair.editor.messages if sentence in one] == [f"Bowerbird: {sentence}"]
