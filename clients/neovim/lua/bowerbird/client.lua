--- Bowerbird's client, spoken to in the same way in every Neovim from 0.10 on.
local M = {}

M.NAME = "bowerbird"
M.INLINE = "textDocument/inlineCompletion"
M.METHOD_NOT_FOUND = -32601

local NEW = vim.fn.has("nvim-0.11") == 1 -- before it, a client's functions were called with a dot

--- The client of buffer `bufnr`, by default of the current one; else any; nil if none runs.
function M.find(bufnr)
  local of_buffer = vim.lsp.get_clients({ name = M.NAME, bufnr = bufnr or 0 })
  return of_buffer[1] or vim.lsp.get_clients({ name = M.NAME })[1]
end

function M.request(client, method, params, handler, bufnr)
  if NEW then
    return client:request(method, params, handler, bufnr)
  end
  return client.request(method, params, handler, bufnr)
end

function M.cancel(client, id)
  if NEW then
    client:cancel_request(id)
  else
    client.cancel_request(id)
  end
end

function M.stop(client)
  if NEW then
    client:stop()
  else
    client.stop()
  end
end

function M.is_stopped(client)
  return NEW and client:is_stopped() or not NEW and client.is_stopped()
end

--- The column in bytes of a `character` of the protocol.
function M.byte_column(client, line, character)
  local encoding = client.offset_encoding
  if encoding == "utf-8" then
    return math.min(character, #line)
  elseif NEW then
    return vim.str_byteindex(line, encoding, character, false)
  end
  local ok, column = pcall(vim.str_byteindex, line, character, encoding == "utf-16")
  return ok and column or #line
end

--- Ask the server something and hand its result to `answered`; what goes wrong is told to the user.
function M.ask(method, params, answered)
  local client = M.find()
  if not client then
    return M.tell("the server does not run here. :checkhealth bowerbird says more.", vim.log.levels.WARN)
  end
  M.request(client, method, params, function(problem, result)
    if problem and problem.code == M.METHOD_NOT_FOUND then
      M.tell(("this server is older than the plugin and does not know %s."):format(method), vim.log.levels.WARN)
    elseif problem then
      M.tell(problem.message, vim.log.levels.ERROR)
    else
      answered(result, client)
    end
  end, 0)
end

--- Run one of the server's commands; what it answers is shown, unless it tells by itself.
function M.command(name, arguments, tells)
  local client = M.find()
  local known = client and vim.tbl_get(client.server_capabilities, "executeCommandProvider", "commands")
  if client and not vim.tbl_contains(known or {}, name) then
    return M.tell(("this server is older than the plugin and does not know %s."):format(name), vim.log.levels.WARN)
  end
  M.ask("workspace/executeCommand", { command = name, arguments = arguments }, function(said)
    if not tells and type(said) == "string" then
      M.tell(said)
    end
  end)
end

function M.tell(sentence, level)
  vim.notify("Bowerbird: " .. sentence, level or vim.log.levels.INFO)
end

return M
