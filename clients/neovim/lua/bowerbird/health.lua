--- `:checkhealth bowerbird`: what is there, what is missing, and what brings it.
local health = vim.health
local options = require("bowerbird.options")
local speak = require("bowerbird.client")

local M = {}

local function neovim()
  health.start("Bowerbird: Neovim")
  if vim.fn.has("nvim-0.10") == 0 then
    return health.error("Neovim 0.10 or newer is needed.")
  end
  health.ok("Neovim " .. tostring(vim.version()))
  if not options.get().inline then
    health.info("vim.g.bowerbird.inline is false, so no ghost text is shown.")
  elseif require("bowerbird").artist() == require("bowerbird.ghost") then
    health.ok("Ghost text is drawn by this plugin.")
  else
    health.ok("Ghost text is drawn by vim.lsp.inline_completion.")
  end
  if vim.lsp.enable and not vim.lsp.config[speak.NAME] then
    health.error("lsp/bowerbird.lua is not on the runtimepath.")
  end
end

local function server()
  health.start("Bowerbird: server")
  local command, origin = require("bowerbird.server").configured()
  if not command then
    health.error("No server was found.", {
      "`:Bowerbird install` makes one of this checkout.",
      "Or put `bowerbird` on the PATH, or set `cmd` with vim.lsp.config(\"bowerbird\", ...).",
    })
    return
  end
  if vim.fn.executable(command[1]) == 0 then
    return health.error(("%s, %s, cannot be run."):format(command[1], origin))
  end
  local ok, running = pcall(vim.system, { command[1], "--version" }, { text = true })
  local result = ok and running:wait(20000)
  if result and result.code == 0 then
    health.ok(("%s, %s (%s)"):format(vim.trim(result.stdout), origin, command[1]))
    health.info(("What the model needs, `%s doctor` says."):format(command[1]))
  else
    health.error(("%s does not run."):format(command[1]), result and result.stderr or nil)
  end
end

local function session()
  health.start("Bowerbird: here")
  local clients = vim.lsp.get_clients({ name = speak.NAME })
  if #clients == 0 then
    health.warn("The server does not run.", {
      "vim.lsp.enable(\"bowerbird\"), or require(\"bowerbird\").enable() before Neovim 0.11",
      "`:Bowerbird log` shows what the server wrote.",
    })
  end
  for _, client in ipairs(clients) do
    local buffers = vim.tbl_count(client.attached_buffers)
    health.ok(("It runs for %s; buffers: %d."):format(client.config.root_dir or "single files", buffers))
    local status = require("bowerbird.status").last[client.id]
    for _, line in ipairs(status and require("bowerbird.status").lines(status) or {}) do
      local tell = status.state == "error" and health.error or health.info
      tell(line)
    end
  end
end

local function keys()
  health.start("Bowerbird: keys")
  local mapped = options.get().keys
  if not next(mapped) then
    return health.info("No keys are mapped; :help bowerbird-keys names the <Plug> mappings.")
  end
  for action, lhs in vim.spairs(mapped) do
    if lhs then
      health.info(("%s: %s"):format(lhs, action:gsub("_", " ")))
    end
  end
end

local function languages()
  health.start("Bowerbird: Pony, Ring and Power Query M")
  for _, language in ipairs({ "pony", "powerquery", "ring" }) do
    if require("bowerbird.parsers").has(language) then
      health.ok(language .. " has a tree-sitter parser.")
    else
      local advice = language == "pony" and "nvim-treesitter brings a parser for Pony."
        or "`:Bowerbird parsers` compiles one."
      health.info(("%s is coloured by a syntax file. %s"):format(language, advice))
    end
  end
end

function M.check()
  neovim()
  server()
  session()
  keys()
  languages()
end

return M
