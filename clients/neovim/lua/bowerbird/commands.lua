--- `:Bowerbird NAME ...`: a row for each.
local speak = require("bowerbird.client")

local M = {}

local function server_command(name)
  return function()
    speak.command("bowerbird." .. name)
  end
end

--- The server's code action of that name, asked for directly: so it also says why nothing comes.
local function generate()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  speak.command("bowerbird.generate", { vim.uri_from_bufnr(0), line }, true)
end

local function status()
  speak.ask("bowerbird/status", vim.empty_dict(), function(told)
    speak.tell(table.concat(require("bowerbird.status").lines(told), "\n"))
  end)
end

--- End the server, if it runs, and start it anew in the buffers that it served, or in this one.
local function restart()
  local clients = vim.lsp.get_clients({ name = speak.NAME })
  local buffers = {}
  for _, client in ipairs(clients) do
    vim.list_extend(buffers, vim.tbl_keys(client.attached_buffers))
    speak.stop(client)
  end
  if #clients == 0 then
    buffers = { vim.api.nvim_get_current_buf() }
  end
  local function start()
    if not vim.iter(clients):all(speak.is_stopped) then
      return vim.defer_fn(start, 50)
    end
    for _, bufnr in ipairs(buffers) do
      if vim.api.nvim_buf_is_valid(bufnr) then
        require("bowerbird").start(bufnr)
      end
    end
  end
  start()
end

local function log()
  local path = vim.lsp.log and vim.lsp.log.get_filename and vim.lsp.log.get_filename() or vim.lsp.get_log_path()
  vim.cmd.tabedit(vim.fn.fnameescape(path))
  vim.cmd("normal! G")
end

---@class bowerbird.Command
---@field run fun(arguments: string[])
---@field arguments? fun(lead: string): string[]
---@type table<string, bowerbird.Command>
M.COMMANDS = {
  pause = { run = server_command("pause") },
  resume = { run = server_command("resume") },
  toggle = { run = server_command("togglePause") },
  reindex = { run = server_command("reindex") },
  explain = {
    run = function(arguments)
      require("bowerbird.explain")[arguments[1] == "html" and "browse" or "explain"]()
    end,
    arguments = function()
      return { "html" }
    end,
  },
  search = {
    run = function(words)
      require("bowerbird.search").search(words)
    end,
  },
  generate = { run = generate },
  status = { run = status },
  restart = { run = restart },
  log = { run = log },
  install = {
    run = function(arguments)
      require("bowerbird.install").install(arguments[1])
    end,
    arguments = function(lead)
      return vim.fn.getcompletion(lead, "dir")
    end,
  },
  parsers = {
    run = function(arguments)
      require("bowerbird.parsers").compile(arguments[1])
    end,
    arguments = function(lead)
      return vim.fn.getcompletion(lead, "dir")
    end,
  },
}

function M.run(words)
  local command = M.COMMANDS[words[1]]
  if not command then
    return speak.tell(("there is no :Bowerbird %s; :help bowerbird-commands lists all."):format(words[1]),
      vim.log.levels.ERROR)
  end
  command.run(vim.list_slice(words, 2))
end

--- What may stand where the cursor is in `:Bowerbird ...`.
function M.complete(lead, line)
  local name, space = line:match("Bowerbird!?%s+(%S*)(%s?)")
  local offered = vim.tbl_keys(M.COMMANDS)
  if space == " " then
    local command = M.COMMANDS[name]
    offered = command and command.arguments and command.arguments(lead) or {}
  end
  table.sort(offered)
  return vim.tbl_filter(function(one)
    return vim.startswith(one, lead)
  end, offered)
end

return M
