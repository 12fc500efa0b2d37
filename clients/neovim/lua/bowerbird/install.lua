--- `:Bowerbird install [SOURCE]`: a Python environment of Bowerbird's own, made by `python -m venv` and pip.
local options = require("bowerbird.options")
local speak = require("bowerbird.client")

local M = {}

local WINDOWS = vim.fn.has("win32") == 1
local PYTHONS = { "python3.14", "python3.13", "python3.12", "python3.11", "python3", "python" }
local OLDEST = "import sys; sys.exit(sys.version_info < (3, 11))"

function M.folder()
  return vim.fs.joinpath(vim.fn.stdpath("data"), "bowerbird", "venv")
end

local function program(name)
  return vim.fs.joinpath(M.folder(), WINDOWS and "Scripts" or "bin", WINDOWS and name .. ".exe" or name)
end

--- Written last: an environment without it is the remains of an installation that failed.
local function seal()
  return vim.fs.joinpath(M.folder(), "installed-by-bowerbird")
end

--- The server in the environment; nil where there is none, or it was not finished.
function M.executable()
  local path = program("bowerbird")
  return vim.uv.fs_stat(seal()) and vim.fn.executable(path) == 1 and path or nil
end

--- The checkout that this plugin lies in; nil where it was copied out of it.
function M.checkout()
  local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p")
  local root = vim.fs.normalize(vim.fn.fnamemodify(here, ":h:h:h:h:h"))
  return vim.uv.fs_stat(vim.fs.joinpath(root, "server", "bowerbird")) and root or nil
end

--- A Python that is new enough; nil where none is.
function M.python()
  local named = options.get().python
  for _, name in ipairs(named and { vim.fn.expand(named) } or PYTHONS) do
    if vim.fn.executable(name) == 1 and vim.system({ name, "-c", OLDEST }):wait().code == 0 then
      return vim.fn.exepath(name)
    end
  end
end

--- Run `steps` one after the other, then `finished(problem)`; each is `{ what is said, command }`.
local function run(steps, finished)
  local function go(number)
    local step = steps[number]
    if not step then
      return finished(nil)
    end
    speak.tell(step[1])
    vim.system(step[2], { text = true }, vim.schedule_wrap(function(result)
      if result.code == 0 then
        return go(number + 1)
      end
      local said = vim.split(vim.trim(result.stderr ~= "" and result.stderr or result.stdout), "\n")
      finished(("%s\n(exit code %d of `%s`)"):format(
        table.concat(vim.list_slice(said, math.max(1, #said - 9)), "\n"), result.code, table.concat(step[2], " ")))
    end))
  end
  go(1)
end

--- Make the environment anew from `source`, whatever pip can install; by default from this plugin's checkout.
function M.install(source)
  local checkout = M.checkout()
  source = source and vim.fn.expand(source) or checkout and checkout .. "[llama]"
  if not source then
    return speak.tell("this plugin does not lie in a checkout of Bowerbird, so name what is to be installed: "
      .. ":Bowerbird install /path/to/bowerbird[llama]", vim.log.levels.ERROR)
  end
  local python = M.python()
  if not python then
    return speak.tell("no Python 3.11 or newer was found; vim.g.bowerbird = { python = ... } names one.",
      vim.log.levels.ERROR)
  end
  vim.fn.delete(seal())
  run({
    { "making an environment in " .. M.folder() .. " ...", { python, "-m", "venv", "--clear", M.folder() } },
    {
      "installing " .. source .. " with pip, which fetches what it needs from your package index; "
        .. "compiling llama.cpp takes some minutes ...",
      { program("python"), "-m", "pip", "install", "--disable-pip-version-check", source },
    },
    { "looking whether it runs ...", { program("bowerbird"), "--version" } },
  }, function(problem)
    if problem then
      return speak.tell("not installed.\n" .. problem, vim.log.levels.ERROR)
    end
    vim.fn.writefile({ source }, seal())
    speak.tell("installed " .. source .. ". `:Bowerbird restart` starts it here.")
  end)
end

return M
