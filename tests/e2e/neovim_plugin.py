"""Neovim with Bowerbird's own plugin: how it is configured, and what tests ask of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from e2e.neovim import Neovim

CLIENT = Path(__file__).parents[2] / "clients" / "neovim"

DRAWN_BY_NEOVIM = 'vim.lsp.config("bowerbird", PATIENCE)\nvim.lsp.enable("bowerbird")\n'
DRAWN_BY_THE_PLUGIN = (
    'vim.g.bowerbird = { ghost = "plugin", debounce_ms = 20 }\nrequire("bowerbird").enable(PATIENCE)\n'
)
"""The way of Neovim 0.10 and 0.11, which 0.12 can go too."""

SCRIPTED = """
PATIENCE.cmd = function()
  local closing, id = false, 0
  return {
    request = function(method, params, answer)
      local result = vim.NIL
      if method == "initialize" then
        result = { capabilities = { inlineCompletionProvider = true, positionEncoding = "utf-16" } }
      elseif method == "textDocument/inlineCompletion" then
        local range = { start = params.position, ["end"] = params.position }
        local line, column = vim.api.nvim_get_current_line(), params.position.character
        local behind = line:sub(column + 1) -- which is replaced
        range["end"] = { line = params.position.line, character = #line }
        local texts = params.context.triggerKind == 1 and { "one", "two", "three" } or { "one" }
        result = { items = {} }
        for _, text in ipairs(texts) do
          table.insert(result.items, { insertText = text .. behind, range = range })
        end
      end
      id = id + 1
      vim.schedule(function() answer(nil, result) end)
      return true, id
    end,
    notify = function() return true end,
    is_closing = function() return closing end,
    terminate = function() closing = true end,
  }
end
"""
"""Lua: a server within Neovim that has one candidate for who merely types, and three for who asks.

It repeats what stands behind the cursor, and replaces that."""


def init_of(start: str) -> str:
    """An ``init.lua`` that starts Bowerbird by the Lua `start`."""
    return f"""
vim.opt.runtimepath:prepend({json.dumps(str(CLIENT))})
vim.opt.runtimepath:append(vim.fn.stdpath("data") .. "/site") -- which --clean leaves out
vim.opt.statusline = "%{{v:lua.require'bowerbird'.statusline()}}"
NOTES = {{}}
vim.notify = function(sentence) table.insert(NOTES, sentence) end
local PATIENCE = {{ settings = {{ bowerbird = {{ completion = {{ timeBudgetMs = 60000 }} }} }} }}
{start}"""


def attached(editor: Neovim) -> Neovim:
    """The same editor, once the server serves its buffer and is done with reading."""
    editor.wait_for(lambda: status(editor).get("state") == "ready")
    return editor


def status(editor: Neovim) -> dict[str, Any]:
    """What the server last said of itself."""
    return editor.lua("require('bowerbird.status').current()") or {}


def ghost(editor: Neovim) -> str:
    """The ghost text in the cursor's line, once it stands at the cursor."""

    def at_cursor() -> str | None:
        row, column = editor.lua("vim.api.nvim_win_get_cursor(0)")
        there = [g["text"] for g in editor.ghosts() if (g["line"], g["column"]) == (row - 1, column)]
        return next(filter(None, there), None)

    found: str = editor.wait_for(at_cursor)
    return found


def notes(editor: Neovim) -> str:
    """All that the plugin told the user."""
    return "\n".join(editor.lua("NOTES"))
