--- `:Bowerbird search WORDS`: the documentation asked in plain words; what is found goes to the quickfix list.
local speak = require("bowerbird.client")

local M = {}

--- What the server calls its languages that have documentation, by Neovim's file types.
local LANGUAGES = { pony = "pony", ring = "ring", pq = "powerquery", powerquery = "powerquery" }

local function entry(item)
  local name = type(item.name) == "string" and item.name or ""
  local summary = type(item.summary) == "string" and item.summary ~= "" and ": " .. item.summary or ""
  return { filename = vim.uri_to_fname(item.uri), lnum = item.line + 1, text = name .. summary }
end

local function search(query)
  local params = { query = query, language = LANGUAGES[vim.bo.filetype], count = 20 }
  speak.ask("bowerbird/search", params, function(found)
    if #found.items == 0 then
      return speak.tell(("the documentation has nothing on “%s”."):format(query))
    end
    vim.fn.setqflist({}, " ", { title = "Bowerbird: " .. query, items = vim.tbl_map(entry, found.items) })
    vim.cmd("botright copen")
  end)
end

function M.search(words)
  if #words > 0 then
    return search(table.concat(words, " "))
  end
  vim.ui.input({ prompt = "Search the documentation: " }, function(query)
    if query and query ~= "" then
      search(query)
    end
  end)
end

return M
