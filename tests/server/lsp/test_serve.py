"""The real server in a process of its own, with the real built-in model."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from bowerbird.lsp.convert import Encoding, column_to_client
from bowerbird.lsp.serve import over_tcp
from bowerbird.lsp.server import create_server
from bowerbird.lsp.session import COMMAND, Editor, LspSession
from bowerbird.text import Position
from lsp_pair import TestEditor, capabilities

SHOP = Path(__file__).parents[2] / "workspaces" / "shop"
LIVENESS_S = 60
CANCELLED = types.LSPErrorCodes.RequestCancelled
PATIENT = {"completion": {"timeBudgetMs": 60_000}}
"""The machine of a test may be slow; what is shown must not hang on it."""

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A workspace of our own."""
    return Path(shutil.copytree(SHOP, tmp_path / "shop"))


def unfinished(folder: Path) -> tuple[Path, str, Position]:
    """A file whose last line wants to be written as another file has it."""
    path = folder / "shop" / "wishlist.py"
    text = path.read_text() + "        self."
    line = text.split("\n")[-1]
    return path, text, Position(text.count("\n"), len(line))


def model_processes(session: LspSession) -> list[psutil.Process]:
    return [
        each for each in psutil.Process(session.process.pid).children(recursive=True) if each.is_running()
    ]


async def until(arrived: Callable[[], Any]) -> Any:
    """What `arrived` gives, once it gives something."""
    async with asyncio.timeout(LIVENESS_S):
        while not (value := arrived()):  # noqa: ASYNC110 - other processes tell us nothing
            await asyncio.sleep(0.02)
        return value


async def has_begun(session: LspSession, told: int) -> None:
    """Wait until a completion has begun, after the first `told` statuses; it may have ended, too."""
    statuses = session.editor.statuses
    await session.editor.until(lambda: "generating" in {status["state"] for status in statuses[told:]})


def busy(process: psutil.Process, seconds: float = 0.3) -> float:
    """Share of the time that the process computes."""
    before = sum(process.cpu_times()[:2])
    time.sleep(seconds)
    return (sum(process.cpu_times()[:2]) - before) / seconds


async def test_a_completion_comes_from_another_file(shop: Path) -> None:
    """What is written stands in another file of the workspace, and the trace leads there."""
    path, text, position = unfinished(shop)
    async with LspSession(shop, PATIENT) as session:
        await session.indexed()
        await session.open(path, text, "python")
        item, *_ = await session.inline_completion(path, position)
        assert str(item.insert_text).startswith("currency = currency")
        trace = await session.explain()
        assert trace is not None
        assert trace["reason"] == "ok"
        names = {hit["name"] for hit in trace["iterations"][0]["hits"] if hit["fate"] == "prompt"}
        assert "shop/cart.py" in names
        assert not any("vendor" in name for name in names)
        status = session.editor.statuses[-1]
        assert (status["state"], status["shown"], status["files"]) == ("ready", 1, 4)
        assert status["model"]


@pytest.mark.parametrize("encoding", Encoding)
async def test_edits_behind_emoji_reach_the_model(shop: Path, encoding: Encoding) -> None:
    """In whatever units the editor counts, the prompt has the text as the editor shows it."""
    kind = types.PositionEncodingKind(encoding.value)
    editor = TestEditor(capabilities())
    editor.capabilities.general = types.GeneralClientCapabilities(position_encodings=[kind])
    uri = (shop / "birds.py").as_uri()
    text = "bird = '🐦e\u0301汉'; x"
    async with LspSession(shop, PATIENT, editor=editor) as session:
        editor.show(uri, "", "python")
        for number, character in enumerate(text):
            place = types.Position(0, column_to_client(text, number, encoding))
            editor.edit(uri, types.TextDocumentContentChangePartial(types.Range(place, place), character))
        cursor = types.Position(0, column_to_client(text, len(text), encoding))
        await editor.ghosts(uri, cursor, invoked=True)
        trace = await session.explain()
        assert trace is not None
        assert text in trace["iterations"][0]["prompt"]
        assert (trace["line"], trace["column"]) == (1, len(text) + 1)


async def test_crlf_documents(shop: Path) -> None:
    """The prompt has plain line ends; the item has the document's."""
    path, text, position = unfinished(shop)
    async with LspSession(shop, PATIENT) as session:
        await session.indexed()
        await session.open(path, text.replace("\n", "\r\n"), "python")
        item, *_ = await session.inline_completion(path, position)
        inserted = str(item.insert_text)
        assert "\n" not in inserted.replace("\r\n", "")
        trace = await session.explain()
        assert trace is not None
        assert "\r" not in json.dumps(trace)
        assert trace["text"].replace("\n", "\r\n") in inserted


async def test_several_folders(shop: Path, tmp_path: Path) -> None:
    """Files of all folders serve, named by their folder."""
    other = tmp_path / "other"
    other.mkdir()
    path, text, position = unfinished(shop)
    (shop / "shop" / "wishlist.py").rename(other / "wishlist.py")
    editor = Editor()
    session = LspSession(shop, PATIENT, editor=editor)
    editor.begin = partial_begin(editor, [shop, other])  # type: ignore[method-assign]
    async with session:
        await session.indexed()
        await session.open(other / path.name, text, "python")
        await session.inline_completion(other / path.name, position)
        trace = await session.explain()
        assert trace is not None
        assert trace["name"] == "other/wishlist.py"
        assert "shop/shop/cart.py" in {hit["name"] for hit in trace["iterations"][0]["hits"]}


async def test_without_a_folder(shop: Path) -> None:
    """A single file, and one that was never saved, are completed from themselves."""
    path, text, position = unfinished(shop)
    editor = Editor()
    session = LspSession(shop, PATIENT, editor=editor)
    editor.begin = partial_begin(editor, [])  # type: ignore[method-assign]
    async with session:
        for uri in (path.as_uri(), "untitled:Untitled-1"):
            editor.show(uri, text, "python")
            await editor.ghosts(uri, types.Position(position.line, position.column), invoked=True)
            trace = await session.explain()
            assert trace is not None
            assert trace["iterations"][0]["prediction"]


def partial_begin(editor: Editor, folders: list[Path]) -> Any:
    """The handshake for other folders than the session's."""

    async def begin(_: Any, options: Any) -> types.InitializeResult:
        return await Editor.begin(editor, folders, options)

    return begin


async def test_a_missing_model_is_told(shop: Path) -> None:
    """The user reads once which file is not there; every request has its reason; the index works."""
    path, text, position = unfinished(shop)
    options = {"completion": {**PATIENT["completion"], "model": str(shop / "no.gguf")}}
    async with LspSession(shop, options) as session:
        assert (await session.indexed())["files"] == 4
        await session.open(path, text, "python")
        for _ in range(2):
            assert not await session.inline_completion(path, position)
        assert session.editor.statuses[-1]["reason"] == "model-missing"
        assert session.editor.statuses[-1]["state"] == "error"
        assert len(session.editor.messages) == 1
        assert "no.gguf" in session.editor.messages[0]


async def test_an_untrusted_folder_starts_no_model(shop: Path) -> None:
    """It is indexed and no more."""
    path, text, position = unfinished(shop)
    async with LspSession(shop, {"trusted": False}) as session:
        await session.indexed()
        await session.open(path, text, "python")
        assert not await session.inline_completion(path, position)
        assert session.editor.statuses[-1]["files"] == 4
        assert model_processes(session) == []


async def test_a_secret_file_gets_no_completion(shop: Path) -> None:
    """What the policy keeps out of the index is not completed either."""
    async with LspSession(shop, PATIENT) as session:
        await session.open(shop / ".env", "PASSWORD=", "dotenv")
        assert not await session.inline_completion(shop / ".env", Position(0, 9))
        trace = await session.explain()
        assert trace is not None
        assert trace["reason"] == "excluded"


async def test_a_withdrawn_request_frees_the_model(shop: Path) -> None:
    """After `$/cancelRequest` the model's process computes no more, and the next request is served."""
    path, text, position = unfinished(shop)
    options = {"completion": {"timeBudgetMs": 600_000, "maxNewTokens": 4000, "promptTokens": 600}}
    async with LspSession(shop, options) as session:
        await session.indexed()
        await session.open(path, text, "python")
        assert await session.inline_completion(path, position)
        (model,) = model_processes(session)
        for number in range(10):
            told = len(session.editor.statuses)
            context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Invoked)
            place = types.Position(position.line, position.column)
            params = types.InlineCompletionParams(context, types.TextDocumentIdentifier(path.as_uri()), place)
            asking = session.editor.protocol.send_request_async(
                types.TEXT_DOCUMENT_INLINE_COMPLETION, params, msg_id=f"mine-{number}"
            )
            await has_begun(session, told)
            await asyncio.sleep(0.003 * number)
            session.editor.cancel_request(types.CancelParams(f"mine-{number}"))
            (answer,) = await asyncio.gather(asking, return_exceptions=True)
            assert getattr(answer, "code", CANCELLED) == CANCELLED
        assert busy(model) < 0.2
        assert await session.inline_completion(path, position)


async def test_a_hundred_fast_keys(shop: Path) -> None:
    """Each key asks at once: the newest is served, the others are cancelled, and then nothing runs."""
    path, text, position = unfinished(shop)
    text, keys = text.removesuffix("self."), "self.currency = currency\n        " * 4
    async with LspSession(shop, PATIENT) as session:
        await session.indexed()
        await session.open(path, text, "python")
        asking = []
        line, column = position.line, position.column - len("self.")
        for key in keys[:100]:
            place = types.Position(line, column)
            edit = types.TextDocumentContentChangePartial(types.Range(place, place), key)
            session.editor.edit(path.as_uri(), edit)
            line, column = (line + 1, 0) if key == "\n" else (line, column + 1)
            request = session.inline_completion(path, Position(line, column), invoked=False)
            asking.append(asyncio.create_task(request))
            await asyncio.sleep(0)
        answers = await asyncio.gather(*asking, return_exceptions=True)
        cancelled = [answer for answer in answers if isinstance(answer, JsonRpcException)]
        assert {error.code for error in cancelled} == {CANCELLED}
        assert not isinstance(answers[-1], BaseException)
        (model,) = model_processes(session)
        assert busy(model) < 0.2
        trace = await session.explain()
        assert trace is not None
        assert (trace["line"], trace["column"]) == (line + 1, column + 1)


async def test_a_model_killed_in_the_middle_is_started_again(shop: Path) -> None:
    """The request that it was working on gets an empty list with the reason; the next one is served."""
    path, text, position = unfinished(shop)
    options = {"completion": {**PATIENT["completion"], "speculate": False}}
    async with LspSession(shop, options) as session:
        await session.indexed()
        await session.open(path, text, "python")
        assert await session.inline_completion(path, position)
        (model,) = model_processes(session)
        model.suspend()
        told = len(session.editor.statuses)
        asking = asyncio.create_task(session.inline_completion(path, position))
        await has_begun(session, told)
        await asyncio.sleep(0.1)
        model.kill()
        assert not await asking
        assert session.editor.statuses[-1]["reason"] == "model-crashed"
        assert await session.inline_completion(path, position)
        assert session.editor.statuses[-1]["state"] == "ready"


async def test_restart_by_command_ends_the_old_process(shop: Path) -> None:
    """`bowerbird.restartModel` gives a new process with the next completion."""
    path, text, position = unfinished(shop)
    async with LspSession(shop, PATIENT) as session:
        await session.open(path, text, "python")
        await session.inline_completion(path, position)
        (old,) = model_processes(session)
        await session.editor.workspace_execute_command_async(
            types.ExecuteCommandParams("bowerbird.restartModel")
        )
        await until(lambda: not old.is_running())
        await session.inline_completion(path, position)
        (new,) = model_processes(session)
        assert new.pid != old.pid


async def test_a_changed_setting_touches_only_what_it_must(shop: Path) -> None:
    """A time budget restarts nothing, a number of threads the model alone, an exclusion the index alone."""
    path, text, position = unfinished(shop)
    async with LspSession(shop) as session:
        editor = session.editor

        async def change(settings: Any) -> tuple[int, list[str], int]:
            """The model's process afterwards, the states on the way, and how many files are indexed."""
            told = len(editor.statuses)
            editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
            assert await session.inline_completion(path, position)
            await session.indexed()
            pids = {each.pid for each in model_processes(session)} - ended
            (pid,) = pids
            return pid, [status["state"] for status in editor.statuses[told:]], editor.statuses[-1]["files"]

        ended: set[int] = set()
        await session.indexed()
        await session.open(path, text, "python")
        settings: dict[str, Any] = {"completion": {"timeBudgetMs": 50_000}}
        first, states, files = await change(settings)
        assert ("indexing" in states, files) == (False, 4)
        settings["completion"]["timeBudgetMs"] = 60_000
        assert (await change(settings))[0] == first
        ended.add(first)
        second, states, files = await change({**settings, "inference": {"threads": 2}})
        assert ("indexing" in states, files) == (False, 4)
        await until(lambda: not psutil.pid_exists(first))
        pid, states, files = await change(
            {**settings, "inference": {"threads": 2}, "index": {"exclude": ["money.py"]}}
        )
        assert (pid, "indexing" in states, files) == (second, True, 3)


async def test_changes_on_disk_are_followed(shop: Path) -> None:
    """An editor that reports nothing: new and vanished files reach the index all the same."""
    async with LspSession(shop) as session:
        await session.indexed()
        (shop / "shop" / "new.py").write_text("def entirely_new():\n    return 1\n")
        (shop / "shop" / "money.py").unlink()
        path = shop / "shop" / "other.py"
        await session.open(path, "def entirely_new():\n    ", "python")

        async def names() -> set[str]:
            await session.inline_completion(path, Position(1, 4))
            trace = await session.explain()
            assert trace is not None
            return {hit["name"] for iteration in trace["iterations"] for hit in iteration["hits"]}

        async with asyncio.timeout(LIVENESS_S):
            while "shop/new.py" not in (found := await names()) or "shop/money.py" in found:  # noqa: ASYNC110
                await asyncio.sleep(0.1)


class TestEnds:
    """How the process ends."""

    @pytest.fixture
    async def begun(self, shop: Path) -> Any:
        """A server whose model's process runs, and that process."""
        path, text, position = unfinished(shop)
        session = LspSession(shop, PATIENT)
        await session.__aenter__()
        await session.open(path, text, "python")
        await session.inline_completion(path, position)
        (model,) = model_processes(session)
        yield session, model
        if session.process.returncode is None:
            session.process.kill()

    async def gone(self, session: LspSession, model: psutil.Process) -> int:
        async with asyncio.timeout(LIVENESS_S):
            code = await session.process.wait()
        await until(lambda: not model.is_running() or model.status() == psutil.STATUS_ZOMBIE)
        return code

    async def test_politely(self, begun: Any) -> None:
        """`shutdown` and `exit`: 0."""
        session, model = begun
        await session.editor.finish()
        assert await self.gone(session, model) == 0

    async def test_exit_without_shutdown(self, begun: Any) -> None:
        """`exit` alone: 1, as the protocol wants it."""
        session, model = begun
        session.editor.exit(None)
        assert await self.gone(session, model) == 1

    async def test_stdin_closed(self, begun: Any) -> None:
        """The editor is gone: the server and the model go too."""
        session, model = begun
        session.process.stdin.close()
        assert await self.gone(session, model) == 1

    async def test_killed(self, begun: Any) -> None:
        """Even a server that is killed leaves no model behind."""
        session, model = begun
        session.process.kill()
        await self.gone(session, model)

    async def test_in_the_middle_of_a_completion(self, begun: Any, shop: Path) -> None:
        """A completion under way, here with a model that hangs, does not hold the end up."""
        session, model = begun
        model.suspend()
        path, _, position = unfinished(shop)
        told = len(session.editor.statuses)
        asking = asyncio.create_task(session.inline_completion(path, position))
        await has_begun(session, told)
        session.process.stdin.close()
        assert await self.gone(session, model) == 1
        with pytest.raises(Exception, match=r"ended|canceled"):
            await asking


FRAME = re.compile(rb"Content-Length: (\d+)\r\n(?:[^\r\n]+\r\n)*\r\n")

NOISY = """
import ctypes, os, subprocess, sys
from bowerbird import assembly
from bowerbird.lsp.server import create_server

def noisy(*arguments):
    print("a library prints")
    os.write(1, b"and so does C\\n")
    subprocess.run([sys.executable, "-c", "print('and a child process')"])
    subprocess.run([sys.executable, "-c", "import sys; sys.stdin.read()"])  # would wait for ever on our stdin
    return assembly.assemble(*arguments)

create_server(noisy).start_io()
"""


def test_nothing_but_the_protocol_reaches_stdout(shop: Path) -> None:
    """Whoever prints inside the server, and whatever children write or read, the protocol stays clean."""
    messages = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}, "rootUri": shop.as_uri()}},
        {"method": "initialized", "params": {}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    sent = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)
    ended = subprocess.run([sys.executable, "-c", NOISY], input=sent, capture_output=True, timeout=LIVENESS_S)
    rest, answers = ended.stdout, []
    while frame := FRAME.match(rest):
        end = frame.end() + int(frame[1])
        answers.append(json.loads(rest[frame.end() : end]))
        rest = rest[end:]
    assert rest == b""
    assert [answer["id"] for answer in answers if "id" in answer] == [1, 2]
    assert b"a library prints" in ended.stderr
    assert b"and so does C" in ended.stderr
    assert b"and a child process" in ended.stderr


def test_what_is_no_protocol_at_all_ends_it() -> None:
    """Somebody pipes a file in: the server reads it, finds nothing, and ends."""
    ended = subprocess.run(COMMAND, input=b"hello\n" * 100_000, capture_output=True, timeout=LIVENESS_S)
    assert (ended.returncode, ended.stdout) == (1, b"")


def test_a_reader_that_is_gone_ends_it() -> None:
    """The editor closes our stdout and keeps stdin open: the server ends instead of serving nobody."""
    read, write = os.pipe()
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=write, stderr=subprocess.DEVNULL)
    os.close(write)
    os.close(read)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}})
    assert process.stdin is not None
    process.stdin.write(f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
    process.stdin.flush()
    assert process.wait(LIVENESS_S) == 1
    process.stdin.close()


class TestTcp:
    """`bowerbird serve --tcp`."""

    async def test_one_editor_over_the_loopback(self, shop: Path) -> None:
        """The first connection is served, and the process ends with it."""
        process = await asyncio.create_subprocess_exec(*COMMAND, "--tcp", "0", stderr=asyncio.subprocess.PIPE)
        assert process.stderr is not None
        line = (await process.stderr.readline()).decode()
        port = int(line.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        editor = Editor()
        listening = editor.listen(reader, writer)
        await editor.begin([shop], {"trusted": False})
        assert (await editor.indexed())["files"] == 4
        await editor.finish()
        async with asyncio.timeout(LIVENESS_S):
            await listening
            assert await process.wait() == 0

    @pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
    async def test_no_other_machine_can_reach_it(self, host: str) -> None:
        """An address that is not this machine's loopback is refused."""
        with pytest.raises(ValueError, match="other machines"):
            await over_tcp(create_server(), host, 0)
