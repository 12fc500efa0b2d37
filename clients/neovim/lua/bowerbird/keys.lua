--- Keys of insert mode that do what they always did while no completion is shown.
local options = require("bowerbird.options")

local M = {}

--- What each action's key runs.
local CALLS = {
  accept = "take('all')",
  accept_word = "take('word')",
  accept_line = "take('line')",
  next = "next()",
  previous = "previous()",
  dismiss = "dismiss()",
  ask = "ask()",
}

local earlier = {} ---@type table<integer, table<string, table?>> mappings of a buffer that ours took the place of

--- The mapping that holds in all buffers. One key has several codes, so names are compared.
local function global_mapping(raw)
  local name = vim.fn.keytrans(raw)
  for _, mapping in ipairs(vim.api.nvim_get_keymap("i")) do
    if vim.fn.keytrans(mapping.lhsraw) == name then
      return mapping
    end
  end
end

--- What `lhs` did before it was ours, as the result of an `<expr>` mapping.
local function fall_through(bufnr, lhs)
  local raw = vim.api.nvim_replace_termcodes(lhs, true, true, true)
  local mapping = (earlier[bufnr] or {})[lhs] or global_mapping(raw)
  if not mapping then
    return raw
  end
  local keys = mapping.rhs or ""
  if mapping.expr == 1 then
    keys = mapping.callback and mapping.callback() or not mapping.callback and vim.api.nvim_eval(mapping.rhs)
    keys = type(keys) == "string" and keys or ""
    if mapping.replace_keycodes ~= 1 then
      return keys
    end
  elseif mapping.callback then
    M._callback = mapping.callback
    keys = "<Cmd>lua require('bowerbird.keys')._callback()<CR>"
  end
  keys = vim.api.nvim_replace_termcodes(keys, true, true, true)
  if mapping.noremap == 0 and not mapping.callback then
    vim.api.nvim_feedkeys(keys, "im", false)
    return ""
  end
  return keys
end

--- Map the keys of the options in a buffer.
function M.map(bufnr)
  for action, lhs in pairs(options.get().keys) do
    if lhs then
      M._map(bufnr, action, lhs)
    end
  end
end

function M._map(bufnr, action, lhs)
  local old = vim.api.nvim_buf_call(bufnr, function()
    return vim.fn.maparg(lhs, "i", false, true)
  end)
  if old.desc and vim.startswith(old.desc, "Bowerbird: ") then
    return -- a second server, or the same one started again
  end
  earlier[bufnr] = earlier[bufnr] or {}
  earlier[bufnr][lhs] = old.buffer == 1 and old or nil -- what holds in all buffers is looked up when it is due
  local call = ("<Cmd>lua require('bowerbird').%s<CR>"):format(CALLS[action])
  call = vim.api.nvim_replace_termcodes(call, true, true, true)
  vim.keymap.set("i", lhs, function()
    local acts = action == "ask" or require("bowerbird").is_shown() -- all but asking is about what is shown
    return acts and call or fall_through(bufnr, lhs)
  end, { buffer = bufnr, expr = true, replace_keycodes = false, desc = "Bowerbird: " .. action:gsub("_", " ") })
end

return M
