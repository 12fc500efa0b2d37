--- Ghost text of the plugin's own, for a Neovim without `vim.lsp.inline_completion` (before 0.12).
local accept = require("bowerbird.accept")
local options = require("bowerbird.options")
local question = require("bowerbird.question")
local speak = require("bowerbird.client")

local M = {}

local space = vim.api.nvim_create_namespace("bowerbird.ghost")
local timers = {} ---@type table<integer, uv.uv_timer_t?>

local function clear(bufnr)
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, space, 0, -1)
  end
end

local function stop_timer(bufnr)
  if timers[bufnr] then
    timers[bufnr]:stop()
    timers[bufnr]:close()
    timers[bufnr] = nil
  end
end

--- What of `edit` is drawn, and how. Where it ends with what it replaces, that stays visible where it is.
local function drawing(edit, line, column)
  local behind = line:sub(column + 1, edit.to)
  if edit.from == column and vim.endswith(edit.text, behind) and not edit.text:find("\n") then
    return edit.text:sub(1, #edit.text - #behind), "inline"
  end
  return edit.text, edit.to > edit.from and "overlay" or "inline"
end

--- Draw what the current item would still change, or nothing.
local function draw(bufnr)
  clear(bufnr)
  local edit = question.edit(bufnr)
  if not edit then
    return false
  end
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local text, position = drawing(edit, vim.api.nvim_get_current_line(), column)
  local lines = {}
  for part in vim.gsplit(text, "\n", { plain = true }) do
    table.insert(lines, { { part, "BowerbirdGhost" } })
  end
  local asked = question.of[bufnr]
  if asked.chosen then
    table.insert(lines[#lines], { (" (%d/%d)"):format(asked.index, #asked.items), "BowerbirdHint" })
  end
  vim.api.nvim_buf_set_extmark(bufnr, space, row - 1, edit.from, {
    virt_text = lines[1],
    virt_lines = vim.list_slice(lines, 2),
    virt_text_pos = position,
    hl_mode = "combine",
  })
  return true
end

local function ask(client, bufnr, kind, shown)
  question.ask(client, bufnr, kind, function()
    draw(bufnr)
    if shown then
      shown()
    end
  end)
end

--- A key was typed: show what still fits, and ask once no other key comes.
local function typed(client, bufnr)
  draw(bufnr)
  stop_timer(bufnr)
  if not vim.bo[bufnr].modifiable then
    return
  end
  timers[bufnr] = vim.defer_fn(function()
    timers[bufnr] = nil
    if vim.api.nvim_get_current_buf() == bufnr and vim.api.nvim_get_mode().mode:sub(1, 1) == "i" then
      ask(client, bufnr, question.AUTOMATIC)
    end
  end, options.get().debounce_ms)
end

local function define_colours()
  local known = vim.fn.hlexists("ComplHint") == 1 -- since 0.12
  vim.api.nvim_set_hl(0, "BowerbirdGhost", { default = true, link = known and "ComplHint" or "NonText" })
  vim.api.nvim_set_hl(0, "BowerbirdHint", { default = true, link = known and "ComplHintMore" or "MoreMsg" })
end

function M.attach(client, bufnr)
  define_colours()
  local group = vim.api.nvim_create_augroup("bowerbird.ghost." .. bufnr, {})
  vim.api.nvim_create_autocmd({ "InsertEnter", "CursorMovedI", "TextChangedI", "TextChangedP" }, {
    group = group,
    buffer = bufnr,
    callback = function()
      typed(client, bufnr)
    end,
  })
  vim.api.nvim_create_autocmd("InsertLeave", {
    group = group,
    buffer = bufnr,
    callback = function()
      M.dismiss(bufnr)
    end,
  })
end

function M.detach(_, bufnr)
  pcall(vim.api.nvim_del_augroup_by_name, "bowerbird.ghost." .. bufnr)
  M.dismiss(bufnr)
end

function M.is_shown(bufnr)
  return #vim.api.nvim_buf_get_extmarks(bufnr, space, 0, -1, { limit = 1 }) > 0 and question.edit(bufnr) ~= nil
end

--- Put `part` of what is shown into the buffer.
function M.accept(bufnr, part)
  local edit, item = question.edit(bufnr)
  if not edit then
    return
  end
  local taken, whole = accept.part_of(edit, part)
  local client = question.of[bufnr].client
  if whole then
    M.dismiss(bufnr)
    accept.write(taken)
    if item.command then
      speak.request(client, "workspace/executeCommand", item.command, function() end, bufnr)
    end
    return
  end
  local behind = edit.to - vim.api.nvim_win_get_cursor(0)[2]
  accept.write(taken)
  local column = vim.api.nvim_win_get_cursor(0)[2]
  item.text = edit.text:sub(#taken.text + 1)
  item.start_column, item.asked_column, item.end_column = column, column, column + math.max(0, behind)
  draw(bufnr)
end

--- Show another candidate; where there is but one, ask for more first.
function M.cycle(bufnr, steps)
  local asked = question.of[bufnr]
  if not asked then
    return
  end
  if #asked.items < 2 and asked.kind == question.AUTOMATIC then
    return ask(asked.client, bufnr, question.INVOKED, function()
      M.cycle(bufnr, steps)
    end)
  end
  if #asked.items > 0 then
    asked.index = (asked.index - 1 + steps) % #asked.items + 1
    asked.chosen = true
    draw(bufnr)
  end
end

--- Ask now; by hand unless said otherwise.
function M.ask(client, bufnr, kind)
  stop_timer(bufnr)
  ask(client, bufnr, kind or question.INVOKED)
end

function M.dismiss(bufnr)
  stop_timer(bufnr)
  question.forget(bufnr)
  clear(bufnr)
end

return M
