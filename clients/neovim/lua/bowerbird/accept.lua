--- What of a completion is put into the buffer: functions of their arguments, and one that writes.
---
--- An item is `{ text, start_column, end_column, asked_column, command }`: `text` takes the place of the bytes
--- from start to end in the line that was asked about, with the cursor at `asked_column`.
local M = {}

--- What `item` would still change in `line` with the cursor at `column`: `{ from, to, text }`;
--- nil where something else was typed meanwhile, or nothing is left.
function M.rest(item, line, column)
  if column < item.asked_column then
    return nil
  end
  local written = line:sub(item.start_column + 1, column)
  local to = item.end_column + column - item.asked_column
  if vim.startswith(item.text, written) then
    local text = item.text:sub(#written + 1)
    local behind = line:sub(column + 1, to)
    return text ~= behind and { from = column, to = to, text = text } or nil
  end
  -- The item corrects what stands before the cursor: it holds as long as nothing is typed.
  return column == item.asked_column and { from = item.start_column, to = to, text = item.text } or nil
end

--- The beginning of `text` that is accepted at once, by the name of the part.
M.PARTS = {
  all = function(text)
    return text
  end,
  word = function(text)
    local space, behind = text:match("^(%s*)(.*)$")
    return space .. (behind:match("^[%w_\128-\255]+") or behind:match("^[^%w_%s\128-\255]+") or "")
  end,
  line = function(text)
    return text:match("^\n*[^\n]*")
  end,
}

--- `edit` cut down to a part, and is it whole? What stands behind the cursor is replaced only by all of it.
function M.part_of(edit, part)
  local text = M.PARTS[part](edit.text)
  if text == edit.text then
    return edit, true
  end
  return { from = edit.from, to = math.min(edit.to, vim.api.nvim_win_get_cursor(0)[2]), text = text }, false
end

--- Write `edit` into the current line and put the cursor behind it. It is undone by itself.
function M.write(edit)
  local row = vim.api.nvim_win_get_cursor(0)[1]
  local lines = vim.split(edit.text, "\n", { plain = true })
  vim.bo.undolevels = vim.bo.undolevels -- ends the undo step that the typing is in
  vim.api.nvim_buf_set_text(0, row - 1, edit.from, row - 1, edit.to, lines)
  local before = #lines == 1 and edit.from or 0
  vim.api.nvim_win_set_cursor(0, { row + #lines - 1, before + #lines[#lines] })
end

return M
