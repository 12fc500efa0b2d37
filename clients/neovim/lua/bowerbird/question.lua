--- The question that a buffer asks, and its answer: the newest one counts, and only while nothing moves on.
local accept = require("bowerbird.accept")
local speak = require("bowerbird.client")

local M = {}

M.INVOKED, M.AUTOMATIC = 1, 2

---@class bowerbird.Question
---@field client vim.lsp.Client
---@field handler function who shows the answer
---@field kind integer asked by hand or automatically
---@field id? integer the request, while it is under way
---@field place string where it was asked, see `here`
---@field column integer the cursor's, in bytes
---@field items table[] what was answered, see `bowerbird.accept`
---@field index integer which of them is shown
---@field chosen? boolean the user has looked at other candidates
---@field own? function Neovim's handler, in a question that is ours
---@type table<integer, bowerbird.Question?>
M.of = {}

--- The text and the cursor's place, as something that can be compared.
local function here(bufnr)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  return ("%d:%d:%d"):format(vim.api.nvim_buf_get_changedtick(bufnr), row, column)
end

--- Is the cursor still where the question was asked?
function M.stands(bufnr)
  local question = M.of[bufnr]
  return question ~= nil
    and vim.api.nvim_get_current_buf() == bufnr
    and vim.api.nvim_get_mode().mode:sub(1, 1) == "i"
    and question.place == here(bufnr)
end

local function items_of(client, result, line, column)
  local items = {}
  for _, item in ipairs(result and (result.items or result) or {}) do
    local text, range = item.insertText, item.range
    if type(text) == "string" then
      table.insert(items, {
        text = text,
        start_column = range and speak.byte_column(client, line, range.start.character) or column,
        end_column = range and speak.byte_column(client, line, range["end"].character) or column,
        asked_column = column,
        command = item.command,
      })
    end
  end
  return items
end

--- Send a question from the current buffer; `handler` gets the answer unless it comes too late.
---
--- `send` is the client's own request function where that was replaced by one that leads here.
function M.ask(client, bufnr, kind, handler, send)
  M.withdraw(bufnr)
  local line, column = vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2]
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params.context = { triggerKind = kind }
  local old = M.of[bufnr]
  local question = {
    client = client,
    handler = handler,
    kind = kind,
    place = here(bufnr),
    column = column,
    items = old and old.items or {}, -- they are on show until the answer comes
    index = old and old.index or 1,
  }
  M.of[bufnr] = question
  local is_answered = false -- a server within Neovim does so at once
  local function answered(problem, result, context)
    is_answered, question.id = true, nil
    if M.of[bufnr] ~= question or not M.stands(bufnr) then
      return -- what was typed meanwhile asks again
    end
    question.items, question.index = items_of(client, result, line, column), 1
    handler(problem, result, context)
  end
  local ok, id
  if send then
    ok, id = send(client, speak.INLINE, params, answered, bufnr)
  else
    ok, id = speak.request(client, speak.INLINE, params, answered, bufnr)
  end
  question.id = ok and not is_answered and id or nil
  return ok, id
end

--- Withdraw the request that is under way.
function M.withdraw(bufnr)
  local question = M.of[bufnr]
  if question and question.id then
    speak.cancel(question.client, question.id)
    question.id = nil
  end
end

function M.forget(bufnr)
  M.withdraw(bufnr)
  M.of[bufnr] = nil
end

--- The item on show and what it would still change; nil where it does not fit what was typed.
function M.edit(bufnr)
  local question = M.of[bufnr]
  local item = question and question.items[question.index]
  if not item then
    return nil
  end
  local edit = accept.rest(item, vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2])
  if edit then
    return edit, item
  end
end

return M
