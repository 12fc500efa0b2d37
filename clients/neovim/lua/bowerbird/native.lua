--- Ghost text by Neovim's own `vim.lsp.inline_completion` (0.12), which draws and asks.
---
--- Neovim asks automatically only, lets older questions run on and shows answers that come late. So its
--- requests pass through `bowerbird.question`, and its own handler is lent for the questions that it never asks.
local accept = require("bowerbird.accept")
local question = require("bowerbird.question")
local speak = require("bowerbird.client")

local M = {}

local space = vim.api.nvim_create_namespace("nvim.lsp.inline_completion")

local function lead_through_here(client)
  if client.bowerbird_request then
    return
  end
  local request = client.request
  client.bowerbird_request = request
  client.request = function(self, method, params, handler, bufnr)
    local asks = self == client and method == speak.INLINE and handler
    if not asks or bufnr ~= vim.api.nvim_get_current_buf() then
      return request(self, method, params, handler, bufnr)
    end
    return question.ask(client, bufnr, params.context.triggerKind, handler, request)
  end
end

function M.attach(client, bufnr)
  lead_through_here(client)
  vim.lsp.inline_completion.enable(true, { bufnr = bufnr })
end

function M.detach(_, bufnr)
  question.forget(bufnr)
end

local function drawn(bufnr)
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, space, 0, -1, { details = true })) do
    local details = mark[4]
    if #(details.virt_lines or {}) > 0 or vim.iter(details.virt_text or {}):any(function(chunk)
      return chunk[1] ~= ""
    end) then
      return true
    end
  end
  return false
end

--- Does another server complete here too? Neovim shows all of them, and only it knows which one.
local function has_company(bufnr)
  return vim.iter(vim.lsp.get_clients({ bufnr = bufnr, method = speak.INLINE })):any(function(client)
    return client.name ~= speak.NAME
  end)
end

local function fits(bufnr)
  local asked = question.of[bufnr]
  local line, column = vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2]
  return vim.iter(asked and asked.items or {}):any(function(item)
    return accept.rest(item, line, column) ~= nil
  end)
end

function M.is_shown(bufnr)
  return drawn(bufnr) and (fits(bufnr) or has_company(bufnr))
end

--- Neovim's item as ours; nil where it is a snippet, which only Neovim can expand.
local function ours(item, bufnr)
  local asked = question.of[bufnr]
  if type(item.insert_text) ~= "string" or not (item.range and asked) then
    return nil
  end
  local _, start_column, _, end_column = item.range:to_extmark()
  return {
    text = item.insert_text,
    start_column = start_column,
    end_column = end_column,
    asked_column = asked.column,
    command = item.command,
  }
end

--- Put `part` of what is shown into the buffer. Neovim would leave behind what was typed after the answer.
function M.accept(bufnr, part)
  vim.lsp.inline_completion.get({
    bufnr = bufnr,
    on_accept = function(shown)
      local item = ours(shown, bufnr)
      if not item then
        return shown
      end
      local edit =
        accept.rest(item, vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2])
      if not edit then
        return nil
      end
      local taken, whole = accept.part_of(edit, part)
      accept.write(taken)
      local client = vim.lsp.get_client_by_id(shown.client_id)
      if whole and item.command and client then
        client:exec_cmd(item.command, { bufnr = bufnr })
      elseif client and client.name == speak.NAME then
        M.ask(client, bufnr, question.AUTOMATIC) -- the server has the rest at hand
      end
    end,
  })
end

local function ask(client, bufnr, kind, shown)
  local asked = question.of[bufnr]
  if not asked then
    return -- Neovim has not asked yet, and will within 200 ms
  end
  local own = asked.own or asked.handler
  question.ask(client, bufnr, kind, function(...)
    own(...)
    if shown then
      shown()
    end
  end, client.bowerbird_request)
  question.of[bufnr].own = own
end

--- Show another candidate; where there is but one, ask for more first.
function M.cycle(bufnr, steps)
  local asked = question.of[bufnr]
  if asked and #asked.items < 2 and asked.kind == question.AUTOMATIC and not has_company(bufnr) then
    return ask(asked.client, bufnr, question.INVOKED, function()
      M.cycle(bufnr, steps)
    end)
  end
  if asked then
    asked.chosen = true
  end
  vim.lsp.inline_completion.select({ bufnr = bufnr, count = steps })
end

--- Ask now; by hand unless said otherwise.
function M.ask(client, bufnr, kind)
  ask(client, bufnr, kind or question.INVOKED)
end

--- Show nothing until the next key.
function M.dismiss(bufnr)
  question.withdraw(bufnr)
  vim.lsp.inline_completion.get({
    bufnr = bufnr,
    on_accept = function()
      return nil
    end,
  })
end

return M
