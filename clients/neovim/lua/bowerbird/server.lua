--- Where the server is: on the PATH, or in the environment that `:Bowerbird install` made.
---
--- The setting `cmd` of `vim.lsp.config("bowerbird", ...)` comes before both: it replaces the function that asks here.
local M = {}

--- The executable and where it was found; nil where there is none.
function M.find()
  local on_path = vim.fn.exepath("bowerbird")
  if on_path ~= "" then
    return on_path, "on the PATH"
  end
  local installed = require("bowerbird.install").executable()
  if installed then
    return installed, "made by :Bowerbird install"
  end
end

--- The command that starts it. Where there is no server, Neovim says that this one cannot be run.
function M.command()
  local executable = M.find()
  if not executable then
    vim.notify_once(
      "Bowerbird: no server on the PATH. `:Bowerbird install` makes one; :checkhealth bowerbird says more.",
      vim.log.levels.WARN
    )
  end
  return { executable or "bowerbird", "serve" }
end

--- The command of a running or configured client as words; nil where it is a function of the user's.
function M.configured()
  local cmd = require("bowerbird").config().cmd
  if type(cmd) == "table" then
    return cmd, "set with vim.lsp.config"
  end
  local executable, origin = M.find()
  return executable and { executable, "serve" }, origin
end

return M
