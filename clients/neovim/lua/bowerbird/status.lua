--- What the server last said of itself.
local speak = require("bowerbird.client")

local M = {}

M.last = {} ---@type table<integer, table?> by client: the params of `bowerbird/status`

local WORDS = {
  indexing = "indexing",
  ready = "ready",
  generating = "…",
  paused = "paused",
  error = "error",
}

function M.keep(client_id, status)
  M.last[client_id] = status
  vim.api.nvim_exec_autocmds("User", { pattern = "BowerbirdStatus", modeline = false, data = status })
  vim.schedule(function()
    vim.cmd.redrawstatus()
  end)
end

--- The status of the current buffer's server; nil where there is none, or it has not spoken yet.
function M.current()
  local client = vim.lsp.get_clients({ name = speak.NAME, bufnr = 0 })[1]
  return client and M.last[client.id]
end

--- Such as `bowerbird: ready, 12 ms`; empty in a buffer without Bowerbird.
function M.statusline()
  local status = M.current()
  if not status then
    return ""
  end
  local words = "bowerbird: " .. (WORDS[status.state] or status.state)
  local latency = status.latencyMs
  if status.state == "ready" and type(latency) == "number" then
    words = ("%s, %d ms"):format(words, latency)
  end
  return words
end

--- The same at length, a line each.
function M.lines(status)
  local why = status.message ~= "" and status.message or "nothing was asked yet"
  local lines = { ("%s: %s [%s]"):format(status.state, why, status.reason) }
  local model = status.model
  table.insert(lines, "model: " .. (model and model ~= "" and model or "not loaded yet"))
  table.insert(lines, ("%d files indexed, %d completions shown, %d accepted"):format(
    status.files or 0, status.shown or 0, status.accepted or 0))
  if status.memoryBytes then
    table.insert(lines, ("index: %d lines, %.1f MB of memory, %.1f MB on disk"):format(
      status.lines or 0, status.memoryBytes / 1e6, (status.diskBytes or 0) / 1e6))
  end
  if status.indexMessage and status.indexMessage ~= "" then
    table.insert(lines, status.indexMessage)
  end
  return lines
end

return M
