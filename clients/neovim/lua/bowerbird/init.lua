--- What users call and keys do; `:help bowerbird`.
local options = require("bowerbird.options")
local question = require("bowerbird.question")
local speak = require("bowerbird.client")

local M = {}

--- Who draws the ghost text in this Neovim.
function M.artist()
  local wanted = options.get().ghost
  local has_own = vim.lsp.inline_completion ~= nil
  return require((wanted == "plugin" or not has_own) and "bowerbird.ghost" or "bowerbird.native")
end

--- Start Bowerbird in every buffer from now on, in any Neovim from 0.10; `config` as for `vim.lsp.config`.
---
--- From 0.11 on it is the same as `vim.lsp.config("bowerbird", config)` and `vim.lsp.enable("bowerbird")`.
function M.enable(config)
  if vim.lsp.enable then
    vim.lsp.config(speak.NAME, config or {})
    vim.lsp.enable(speak.NAME)
    return
  end
  M._config = config
  vim.api.nvim_create_autocmd("FileType", {
    group = vim.api.nvim_create_augroup("bowerbird.enable", {}),
    callback = function(event)
      M.start(event.buf)
    end,
  })
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].filetype ~= "" then
      M.start(bufnr)
    end
  end
end

--- The client's configuration: ours, and over it the user's.
function M.config()
  if vim.lsp.enable then
    return vim.deepcopy(vim.lsp.config[speak.NAME])
  end
  local path = vim.api.nvim_get_runtime_file("lsp/bowerbird.lua", false)[1]
  return vim.tbl_deep_extend("force", dofile(path), M._config or {})
end

--- Start or join the server for one buffer.
function M.start(bufnr)
  if vim.bo[bufnr].buftype ~= "" then
    return
  end
  local config = M.config()
  config.name = speak.NAME
  if type(config.root_dir) ~= "string" then
    config.root_dir = vim.fs.root(bufnr, config.root_markers or {})
  end
  config.capabilities =
    vim.tbl_deep_extend("force", vim.lsp.protocol.make_client_capabilities(), config.capabilities or {})
  return vim.lsp.start(config, { bufnr = bufnr })
end

function M.attach(client, bufnr)
  if options.get().inline then
    M.artist().attach(client, bufnr)
    require("bowerbird.keys").map(bufnr)
  end
end

function M.detach(client, bufnr)
  M.artist().detach(client, bufnr)
end

--- Is there something to accept?
function M.is_shown()
  return question.of[vim.api.nvim_get_current_buf()] ~= nil and M.artist().is_shown(vim.api.nvim_get_current_buf())
end

--- Put a part of what is shown into the buffer: "all", "word" or "line".
function M.take(part)
  if M.is_shown() then
    M.artist().accept(vim.api.nvim_get_current_buf(), part)
  end
end

--- The same as soon as it may be done, for in an `<expr>` mapping no text may change; false where nothing is shown.
local function take_soon(part)
  local shown = M.is_shown()
  if shown then
    vim.schedule(function()
      M.take(part)
    end)
  end
  return shown
end

--- Accept all of what is shown.
function M.accept()
  return take_soon("all")
end

--- Accept the next word of it.
function M.accept_word()
  return take_soon("word")
end

--- Accept the next line of it.
function M.accept_line()
  return take_soon("line")
end

--- Show the next candidate. Where there is but one, more are asked for.
function M.next()
  M.artist().cycle(vim.api.nvim_get_current_buf(), 1)
end

--- Show the previous candidate.
function M.previous()
  M.artist().cycle(vim.api.nvim_get_current_buf(), -1)
end

--- Ask by hand: the server takes its time, looks into comments and strings too, and gives several candidates.
function M.ask()
  local client = vim.lsp.get_clients({ name = speak.NAME, bufnr = 0 })[1]
  if client then
    M.artist().ask(client, vim.api.nvim_get_current_buf())
  end
end

--- Show nothing until the next key.
function M.dismiss()
  M.artist().dismiss(vim.api.nvim_get_current_buf())
end

--- The server has found something better for what is on show: ask again, if the cursor has not moved on.
function M.refined(client_id, where)
  local bufnr = vim.api.nvim_get_current_buf()
  local asked, client = question.of[bufnr], vim.lsp.get_client_by_id(client_id)
  local same = where.uri == vim.uri_from_bufnr(bufnr) and where.line == vim.api.nvim_win_get_cursor(0)[1] - 1
  if client and asked and same and not asked.chosen and not asked.id and question.stands(bufnr) then
    M.artist().ask(client, bufnr, question.AUTOMATIC)
  end
end

--- A few words for the status line: `%{v:lua.require'bowerbird'.statusline()}`.
function M.statusline()
  return require("bowerbird.status").statusline()
end

return M
