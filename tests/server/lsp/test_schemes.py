"""Where it speaks: documents of every scheme, and git's messages."""

from typing import Any

import pytest
from lsprotocol import types

from bowerbird.lsp.schemes import SCHEMES, Use, use_of
from bowerbird.trace import Reason
from lsp_pair import Pair


@pytest.fixture
async def pair(connect: Any) -> Any:
    async with connect() as pair:
        yield pair


def last(pair: Pair) -> tuple[str, str]:
    status = pair.editor.statuses[-1]
    return status["reason"], status["message"]


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("vscode-vfs://github/o/r/src/a%20b.go?ref#L1", "a b.go"),
        ("vscode-remote://ssh-remote%2Bhost/src/a.go", "a.go"),
        ("some-extension:a.go", "a.go"),
        ("untitled:Untitled-1", "Untitled-1"),
    ],
)
async def test_virtual_documents_count_as_new_files(pair: Pair, uri: str, name: str) -> None:
    """Completed from the workspace and themselves, in the language that the editor says; never indexed."""
    pair.editor.show(uri, "x", "go")
    await pair.editor.ghosts(uri, types.Position(0, 1))
    unfinished = pair.engine.asked[0][0]
    assert (unfinished.path, unfinished.language) == (pair.folder / name, "go")
    assert pair.repository.opened == {}


@pytest.mark.parametrize("use", [Use.VIEW, Use.BOX])
async def test_views_and_boxes_get_none(pair: Pair, use: Use) -> None:
    """The sentence says which it is."""
    for scheme in (scheme for scheme, its in SCHEMES.items() if its is use):
        assert not await pair.editor.ghosts(*pair.type_in(f"{scheme}:/a.py", "x|"), invoked=True)
        assert last(pair) == (Reason.EXCLUDED, use.value)
    assert pair.engine.asked == []


def test_each_scheme_is_written_as_it_is_looked_up() -> None:
    """In lower case, for schemes have no cases."""
    assert all(scheme == scheme.lower() and use_of(scheme) is SCHEMES[scheme] for scheme in SCHEMES)


async def test_a_log_that_grows_is_no_typing(pair: Pair) -> None:
    """What a program writes into its output stops no model and changes no rhythm."""
    pair.type_in("output:log", "|", "log")
    uri, _ = pair.type_in("a.py", "|")
    await pair.wait_for(lambda: pair.server.documents.get(uri))
    for document in (uri, "output:log"):
        before = pair.server.live.rhythm.since_key_ms(1e9)
        pair.editor.edit(document, types.TextDocumentContentChangeWholeDocument("x"))
        await pair.wait_for(lambda document=document: pair.server.documents.get(document).version == 2)
        typed = pair.server.live.rhythm.since_key_ms(1e9) != before
        assert typed is (document == uri)


@pytest.mark.parametrize(("text", "word"), [("x" * 200 + "|", "larger"), ("a\0b|", "no text")])
async def test_what_nobody_can_complete(connect: Any, text: str, word: str) -> None:
    """Too large or binary: the engine is not asked, and the sentence says why."""
    async with connect(options={"index": {"maxFileBytes": 100}}) as pair:
        assert not await pair.editor.ghosts(*pair.type_in("untitled:a", text), invoked=True)
        reason, message = last(pair)
        assert (reason, word in message, pair.engine.asked) == (Reason.EXCLUDED, True, [])


MESSAGES = [
    (".git/COMMIT_EDITMSG", "gitcommit"),
    (".git/worktrees/x/MERGE_MSG", "git-commit"),
    (".git/rebase-merge/git-rebase-todo", "git-rebase"),
    (".git/TAG_EDITMSG", ""),
    ("vscode-scm:git/scm0/input?rootUri%3Dfile:///w", "scminput"),
]


@pytest.mark.parametrize(("name", "language"), MESSAGES)
async def test_it_is_silent_in_commit_messages(pair: Pair, name: str, language: str) -> None:
    """Also when asked by hand."""
    assert not await pair.editor.ghosts(*pair.type_in(name, "Fix |", language), invoked=True)
    assert last(pair)[0] == Reason.SWITCHED_OFF
    assert pair.engine.asked == []


@pytest.mark.parametrize(("name", "language"), MESSAGES)
async def test_it_speaks_there_when_told_to(connect: Any, name: str, language: str) -> None:
    """The message then counts as a new file of the workspace: what lies in `.git` would be kept out."""
    async with connect(options={"completion": {"inCommitMessages": True}}) as pair:
        await pair.editor.ghosts(*pair.type_in(name, "Fix |", language), invoked=True)
        path = pair.engine.asked[0][0].path
        assert path.parent == pair.folder or not language
