"""Bowerbird's plugin in a real Neovim, with the real server and model."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from bowerbird.lsp.code_action import NOTHING_ASKED
from e2e.neovim import Neovim
from e2e.neovim_plugin import (
    CLIENT,
    DRAWN_BY_NEOVIM,
    DRAWN_BY_THE_PLUGIN,
    SCRIPTED,
    attached,
    ghost,
    init_of,
    notes,
    status,
)
from parts import require_part

Open = Callable[[str, str], Neovim]


@pytest.fixture
def start(shop: Path, tmp_path: Path, environment: dict[str, str]) -> Iterator[Open]:
    """`start(file, lua)`: Neovim with `file` of the shop, configured by the plugin and `lua`."""
    executable = require_part("nvim")
    editors: list[Neovim] = []

    def open_neovim(file: str, lua: str) -> Neovim:
        init = tmp_path / "init.lua"
        init.write_text(init_of(lua))
        editors.append(Neovim(executable, init, shop, file, environment))
        return editors[-1]

    yield open_neovim
    for editor in editors:
        with editor:
            pass


@pytest.fixture(params=[DRAWN_BY_NEOVIM, DRAWN_BY_THE_PLUGIN], ids=["native", "own"])
def neovim(request: pytest.FixtureRequest, start: Open) -> Neovim:
    """Neovim in ``shop/price.py``; its ghost text drawn by itself, then by the plugin."""
    return attached(start("shop/price.py", request.param))


@pytest.fixture
def plain(start: Open) -> Neovim:
    """The same, where it does not matter who draws."""
    return attached(start("shop/price.py", DRAWN_BY_THE_PLUGIN))


def text(editor: Neovim) -> str:
    return "\n".join(editor.lines())


def test_tab_takes_all_that_is_shown(neovim: Neovim) -> None:
    """What stands behind the cursor in grey stands there in the buffer after Tab; the server counts it."""
    neovim.send("Goself.cur")
    shown = ghost(neovim)
    before = text(neovim)

    neovim.send("<Tab>")

    neovim.wait_for(lambda: text(neovim) != before)
    assert text(neovim) == before + shown
    neovim.wait_for(lambda: status(neovim)["accepted"] == 1)


def test_words_and_lines_are_taken_piece_by_piece(neovim: Neovim) -> None:
    """A word is the shown text's beginning, a line goes to its end; what is left stays on show."""
    neovim.send("Goself.cur")
    shown = ghost(neovim)
    before = text(neovim)
    first_word = re.match(r"\s*(\w+|[^\w\s]+)", shown)
    assert first_word is not None

    neovim.send("<M-Right>")
    neovim.wait_for(lambda: text(neovim) != before)
    assert text(neovim) == before + first_word[0]

    rest = ghost(neovim)
    before = text(neovim)
    neovim.send("<M-Down>")
    neovim.wait_for(lambda: text(neovim) != before)
    assert text(neovim) == before + rest.partition("\n")[0]


@pytest.mark.parametrize("drawn", [DRAWN_BY_NEOVIM, DRAWN_BY_THE_PLUGIN], ids=["native", "own"])
def test_other_candidates_are_shown_one_after_the_other(start: Open, drawn: str) -> None:
    """The first key for another candidate asks for more; they go round both ways, and Tab takes one."""
    editor = start("shop/price.py", SCRIPTED + drawn)
    editor.wait_for(lambda: editor.lua("#vim.lsp.get_clients({ bufnr = 0 })"))
    editor.send("Goself.")
    assert ghost(editor) == "one"

    for keys, shown in (("<M-]>", "two (2/3)"), ("<M-[><M-[>", "three (3/3)"), ("<M-]>", "one (1/3)")):
        editor.send(keys)
        editor.wait_for(lambda shown=shown: ghost(editor) == shown)

    editor.send("<M-]><Tab>")
    editor.wait_for(lambda: editor.lines()[-1].strip() == "self.two")


@pytest.mark.parametrize("drawn", [DRAWN_BY_NEOVIM, DRAWN_BY_THE_PLUGIN], ids=["native", "own"])
def test_what_is_typed_on_and_what_stands_behind_are_replaced(start: Open, drawn: str) -> None:
    """A bracket behind the cursor is not doubled, and what was typed after the answer is not left behind."""
    editor = start("shop/price.py", SCRIPTED + drawn)
    editor.wait_for(lambda: editor.lua("#vim.lsp.get_clients({ bufnr = 0 })"))
    editor.send("Goprint()<Left>")
    assert ghost(editor).startswith("one")

    editor.send("o<Tab>")

    editor.wait_for(lambda: editor.lines()[-1].strip() == "print(one)")


def test_tab_stays_tab_while_paused(neovim: Neovim) -> None:
    """Paused, nothing is shown, the status line says so, and Tab indents; resumed, ghost text comes again."""
    neovim.send(":Bowerbird pause<CR>")
    neovim.wait_for(lambda: status(neovim)["state"] == "paused")
    drawn = "vim.api.nvim_eval_statusline(vim.o.statusline, {}).str"
    neovim.wait_for(lambda: neovim.lua(drawn) == "bowerbird: paused")

    neovim.send("Goself.cur<Tab>x")
    neovim.wait_for(lambda: neovim.lines()[-1].endswith("x"))
    assert re.fullmatch(r"\s*self\.cur\s+x", neovim.lines()[-1])
    assert neovim.ghosts() == []

    neovim.send("<Esc>:Bowerbird resume<CR>")
    neovim.wait_for(lambda: status(neovim)["state"] != "paused")
    neovim.send("oself.cur")
    assert ghost(neovim)


def test_tab_does_what_it_did_before(start: Open) -> None:
    """A mapping that was there is obeyed while nothing is shown, whatever kind it is."""
    mapped = """
vim.keymap.set("i", "<Tab>", function() return "by-call" end, { expr = true })
vim.keymap.set("i", "<M-Right>", function() vim.api.nvim_put({ "by-function" }, "c", false, true) end)
vim.keymap.set("i", "<M-Down>", "by-keys")
vim.keymap.set("i", "<Plug>(other)", "by-plug")
vim.keymap.set("i", "<C-]>", "<Plug>(other)", { remap = true })
"""
    editor = attached(start("shop/price.py", mapped + DRAWN_BY_THE_PLUGIN))
    editor.send(":Bowerbird pause<CR>")
    editor.wait_for(lambda: status(editor)["state"] == "paused")

    editor.send("GO<Tab> <M-Right> <M-Down> <C-]> end")

    editor.wait_for(lambda: "end" in text(editor))
    (line,) = (line for line in editor.lines() if "end" in line)
    assert line.split() == ["by-call", "by-function", "by-keys", "by-plug", "end"]


def test_a_refined_answer_is_asked_for(neovim: Neovim) -> None:
    """When the server has better words for what is on show, they are fetched; not for another line."""
    neovim.send("Goself.cur")
    ghost(neovim)
    neovim.wait_for(lambda: status(neovim)["state"] == "ready")
    asked = "(function() ASKED = 0; local q = require('bowerbird.question'); local ask = q.ask; "
    asked += "q.ask = function(...) ASKED = ASKED + 1; return ask(...) end; return true end)()"
    neovim.lua(asked)
    told = "vim.lsp.get_clients({name='bowerbird'})[1].handlers['bowerbird/refined'](nil, "
    told += "{uri = vim.uri_from_bufnr(0), line = vim.fn.line('.') - %d}, "
    told += "{client_id = vim.lsp.get_clients({name='bowerbird'})[1].id})"

    neovim.lua(told % 3)
    assert neovim.lua("ASKED") == 0
    neovim.lua(told % 1)

    assert neovim.lua("ASKED") == 1
    assert ghost(neovim)


def test_explain_says_why(plain: Neovim) -> None:
    """`:Bowerbird explain` shows in a buffer what was retrieved, predicted and shown."""
    plain.send("Goself.cur")
    shown = ghost(plain)

    plain.send("<Esc>:Bowerbird explain<CR>")

    plain.wait_for(lambda: plain.lua("vim.api.nvim_buf_get_name(0)") == "bowerbird://explain")
    told = text(plain)
    assert told.startswith("A completion was shown. [ok]\nshop/price.py:7:17")
    assert "shop/money.py:" in told
    assert shown.splitlines()[0] in told


def test_health_names_what_is_there(plain: Neovim) -> None:
    """`:checkhealth bowerbird` finds the server that runs, and nothing to complain of."""
    plain.send(":checkhealth bowerbird<CR>")

    plain.wait_for(lambda: "Bowerbird: Pony, Ring and Power Query M" in text(plain))
    told = text(plain)
    assert "ERROR" not in told
    assert "WARNING" not in told
    assert re.search(r"OK bowerbird \d+\.\d+\.\d+, on the PATH", told)
    assert re.search(r"OK It runs for .*workspace; buffers: 1\.", told)
    assert re.search(r"index: \d+ lines, \d+\.\d MB of memory, \d+\.\d MB on disk", told)


def test_search_fills_the_quickfix_list(plain: Neovim) -> None:
    """What the documentation says on some words can be gone through; the page opens."""
    plain.send(":setfiletype x | set filetype=pony<CR>:Bowerbird search read a file line by line<CR>")

    plain.wait_for(lambda: plain.lua("vim.fn.getqflist({ size = 0 }).size") or notes(plain))
    assert notes(plain) == ""
    names = plain.lua("vim.tbl_map(function(e) return e.text end, vim.fn.getqflist())")
    assert any("FileLines" in name for name in names)
    plain.send(":cfirst<CR>")
    plain.wait_for(lambda: plain.lua("vim.bo.filetype") == "markdown")


def test_generate_asks_the_server(plain: Neovim) -> None:
    """It is asked about the cursor's line, and what it says reaches the user."""
    plain.send(":Bowerbird generate<CR>")

    plain.wait_for(lambda: NOTHING_ASKED in notes(plain))


def test_what_an_older_server_lacks_is_told(plain: Neovim) -> None:
    """A command or request that the server does not know is named, and nothing breaks."""
    older = "(function() local c = vim.lsp.get_clients()[1]; "
    plain.lua(older + "c.server_capabilities.executeCommandProvider.commands = {} return 1 end)()")

    plain.send(":Bowerbird generate<CR>")
    plain.wait_for(lambda: "older than the plugin and does not know bowerbird.generate" in notes(plain))

    plain.lua("(function() require('bowerbird.client').ask('bowerbird/unheard', {}, print) return 1 end)()")
    plain.wait_for(lambda: "does not know bowerbird/unheard" in notes(plain))


def test_restart_brings_another_server(plain: Neovim) -> None:
    """The buffer has a server again, which is not the old one, and it completes."""
    pid = "vim.lsp.get_clients({ name = 'bowerbird', bufnr = 0 })[1].id"
    old = plain.lua(pid)

    plain.send(":Bowerbird restart<CR>")

    plain.wait_for(lambda: plain.lua(f"#vim.lsp.get_clients({{ bufnr = 0 }}) == 1 and {pid} ~= {old}"))
    plain.send("Goself.cur")
    assert ghost(plain)


def test_commands_complete(plain: Neovim) -> None:
    """Names of subcommands, and what may follow them."""
    assert plain.lua("vim.fn.getcompletion('Bowerbird re', 'cmdline')") == ["reindex", "restart", "resume"]
    assert plain.lua("vim.fn.getcompletion('Bowerbird explain ', 'cmdline')") == ["html"]


PLANTED = """
{"bowerbird": {"completion": {"model": "/tmp/planted.gguf"}, "generation": {"model": "http://localhost:1/planted"}},
 "bowerbird.completion.model": "http://localhost:1/planted", "completion": {"model": "planted"}}
"""
PLANTED_LUA = 'vim.lsp.config("bowerbird", { cmd = { "planted" } })'


def test_a_file_of_the_workspace_sets_nothing(start: Open, shop: Path) -> None:
    """What lies in the workspace changes neither the command, nor the settings, nor the model."""
    for name in (
        ".bowerbird.json",
        "bowerbird.json",
        ".neoconf.json",
        ".vscode/settings.json",
        ".helix/x.json",
    ):
        (shop / name).parent.mkdir(exist_ok=True)
        (shop / name).write_text(PLANTED)
    for name in (".nvim.lua", ".nvimrc", ".exrc", "lsp/bowerbird.lua", "lua/bowerbird/server.lua"):
        (shop / name).parent.mkdir(exist_ok=True, parents=True)
        (shop / name).write_text(PLANTED_LUA if name.endswith(".lua") else f"lua {PLANTED_LUA}")
    (shop / "bowerbird").mkdir()
    (shop / "bowerbird" / "__init__.py").write_text("raise SystemExit('planted')")

    editor = attached(start("shop/price.py", DRAWN_BY_NEOVIM))
    editor.send("Goself.cur")

    assert ghost(editor)
    assert status(editor)["model"].startswith("nestling")
    assert "planted" not in str(editor.lua("vim.lsp.get_clients()[1].settings"))


def wheel_of(folder: Path) -> Path:
    """A package with a console script ``bowerbird`` and no more, which pip installs without a network."""
    info = "bowerbird-9.9.9.dist-info"
    files = {
        "bowerbird_stub.py": "def main():\n    print('bowerbird 9.9.9')\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: bowerbird\nVersion: 9.9.9\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\nbowerbird = bowerbird_stub:main\n",
    }
    path = folder / "bowerbird-9.9.9-py3-none-any.whl"
    with ZipFile(path, "w") as wheel:
        for name, content in {**files, f"{info}/RECORD": "".join(f"{name},,\n" for name in files)}.items():
            wheel.writestr(name, content)
    return path


def test_an_installation_serves_only_when_it_is_whole(start: Open, tmp_path: Path) -> None:
    """What pip cannot install is told in its own words and not trusted; then a whole one is found."""
    offline = f'vim.env.PIP_NO_INDEX = "1"\nvim.g.bowerbird = {{ python = "{sys.executable}" }}\n'
    editor = start("shop/price.py", offline)
    found = "require('bowerbird.install').executable()"

    editor.send(f":Bowerbird install {tmp_path}/nothing<CR>")
    editor.wait_for(lambda: "not installed." in notes(editor))
    assert "nothing" in notes(editor).rpartition("not installed.")[2]
    assert editor.lua(found) is None

    editor.send(f":Bowerbird install {wheel_of(tmp_path)}<CR>")
    editor.wait_for(lambda: "`:Bowerbird restart` starts it here." in notes(editor))
    assert editor.lua(found).startswith(str(tmp_path))
    editor.lua("(function() vim.env.PATH = '/nowhere' return 1 end)()")
    assert editor.lua("require('bowerbird.server').command()") == [editor.lua(found), "serve"]


def test_filetypes_of_our_languages(start: Open, shop: Path) -> None:
    """Each has its file type, its comments and its colours."""
    files = {"x.pony": ("pony", "// %s"), "x.ring": ("ring", "# %s"), "x.pqm": ("pq", "// %s")}
    editor = start("shop/price.py", "")
    for name, (filetype, comment) in files.items():
        (shop / name).write_text("if x\n")
        editor.send(f":edit {name}<CR>")
        editor.wait_for(lambda name=name: editor.lua("vim.fn.bufname()") == name)
        assert editor.lua("{ vim.bo.filetype, vim.bo.commentstring }") == [filetype, comment]
        assert editor.lua("vim.fn.synIDattr(vim.fn.synID(1, 1, 1), 'name')"), f"{name} has no colours"


def test_our_parsers_are_compiled_and_used(start: Open, shop: Path) -> None:
    """`:Bowerbird parsers` compiles both, and a file that is opened then is coloured by one."""
    (shop / "x.ring").write_text('SEE "x" # said\n')
    editor = start("shop/price.py", "")

    editor.send(":Bowerbird parsers<CR>")
    editor.wait_for(lambda: notes(editor).count("compiled ") == 2)
    editor.send(":edit x.ring<CR>")
    editor.wait_for(lambda: editor.lua("vim.treesitter.highlighter.active[vim.fn.bufnr('x.ring')] ~= nil"))

    captures = "vim.tbl_map(function(c) return c.capture end, vim.treesitter.get_captures_at_pos(0, 0, %d))"
    assert editor.lua(captures % 0) == ["keyword"]
    assert "string" in editor.lua(captures % 4)
    assert "comment" in editor.lua(captures % 10)
    assert editor.lua("#vim.treesitter.query.get('powerquery', 'highlights').captures") > 10


def test_the_help_names_everything(plain: Neovim) -> None:
    """Every option, subcommand, key, function of the plugin has its place in `:help bowerbird`."""
    told = (CLIENT / "doc" / "bowerbird.txt").read_text()
    subcommands = plain.lua("vim.tbl_keys(require('bowerbird.commands').COMMANDS)")
    options = plain.lua("vim.tbl_keys(require('bowerbird.options').DEFAULTS)")
    actions = plain.lua("vim.tbl_keys(require('bowerbird.options').DEFAULTS.keys)")

    missing = [f":Bowerbird {name}" for name in subcommands if f"*:Bowerbird-{name}*" not in told]
    missing += [name for name in options if f"*g:bowerbird.{name}*" not in told]
    missing += [name for name in actions if f"*<Plug>(bowerbird-{name.replace('_', '-')})*" not in told]
    missing += [name for name in actions if f"*bowerbird.{name}()*" not in told]
    assert missing == []
    over_long = [line for line in told.splitlines() if len(line) > 79]
    assert over_long == []
