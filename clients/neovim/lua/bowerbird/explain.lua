--- `:Bowerbird explain`: why the last completion was as it was, as text or as the server's page.
local speak = require("bowerbird.client")

local M = {}

local function as_text(value)
  return vim.split(tostring(value):gsub("\r", ""), "\n", { plain = true })
end

local function quoted(lines, title, text)
  if type(text) == "string" and text ~= "" then
    table.insert(lines, "")
    table.insert(lines, title)
    for _, line in ipairs(as_text(text)) do
      table.insert(lines, "    " .. line)
    end
  end
end

--- The answer to `bowerbird/explain` in lines.
function M.lines(told)
  local trace = told.trace
  if type(trace) ~= "table" then
    return { told.sentence }
  end
  local lines = {
    told.sentence .. " [" .. trace.reason .. "]",
    ("%s:%d:%d  %s, %s, %.0f ms"):format(trace.name, trace.line, trace.column,
      trace.mode ~= "" and trace.mode or "not run", trace.model ~= "" and trace.model or "no model", trace.total_ms),
  }
  quoted(lines, "Shown:", trace.text)
  for number, round in ipairs(trace.iterations) do
    table.insert(lines, "")
    table.insert(lines, ("Iteration %d: %d prompt tokens, %d of them reused; %d written, stopped by %s"):format(
      number, round.prompt_tokens, round.tokens_reused, round.tokens_generated, round.stopped))
    for _, hit in ipairs(round.hits) do
      table.insert(lines, ("  %.3f  %s:%s  %s, %s"):format(hit.score, hit.name, hit.lines, hit.origin, hit.fate))
    end
    quoted(lines, "  Query:", round.query)
    quoted(lines, "  Prediction:", round.prediction)
  end
  for _, taken in ipairs(trace.trimmed) do
    table.insert(lines, "Trimmed: " .. taken)
  end
  return lines
end

--- Show lines in a split, in a buffer that is nobody's file; a second time in the same one.
function M.show(name, lines)
  local bufnr = vim.fn.bufnr("^" .. vim.fn.escape(name, "[]") .. "$")
  local window = bufnr ~= -1 and vim.fn.bufwinid(bufnr) or -1
  if bufnr == -1 then
    bufnr = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(bufnr, name)
    vim.bo[bufnr].bufhidden = "wipe"
    vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = bufnr, desc = "Close" })
  end
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  if window == -1 then
    vim.api.nvim_open_win(bufnr, true, { split = "below" })
  end
end

function M.explain()
  speak.ask("bowerbird/explain", { last = 1 }, function(told)
    M.show("bowerbird://explain", M.lines(told))
  end)
end

--- The last completions as a page in the browser. It quotes code, so it goes where only the user can read.
function M.browse()
  speak.ask("bowerbird/explain", { last = 10, html = true }, function(told)
    if not told.html then
      return speak.tell("this server makes no page.", vim.log.levels.WARN)
    end
    local path = vim.fn.tempname() .. ".html" -- Neovim removes it when it ends
    vim.fn.writefile(vim.split(told.html, "\n", { plain = true }), path)
    local _, problem = vim.ui.open(path)
    if problem then
      speak.tell(("the page lies in %s; no browser was opened: %s"):format(path, problem), vim.log.levels.WARN)
    end
  end)
end

return M
