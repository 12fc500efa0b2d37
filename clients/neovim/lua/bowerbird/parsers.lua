--- `:Bowerbird parsers [CHECKOUT]`: compile our grammars for Neovim's own highlighting.
local speak = require("bowerbird.client")

local M = {}

local SOURCES = {
  powerquery = { "parser.c" },
  ring = { "parser.c", "scanner.c" },
}

local FORMAT = 15 -- of our grammars' tables; Neovim reads it since 0.11

local function compiler()
  for _, name in ipairs({ vim.env.CC or "cc", "cc", "gcc", "clang" }) do
    if vim.fn.executable(name) == 1 then
      return name
    end
  end
end

--- Is there a parser that fits this Neovim?
function M.has(language)
  local ok, loaded = pcall(vim.treesitter.language.add, language)
  return ok and loaded ~= nil and loaded ~= false
end

function M.compile(checkout)
  if vim.treesitter.language_version < FORMAT then
    return speak.tell("this Neovim is too old for our parsers (0.11 or newer reads them); syntax files serve.",
      vim.log.levels.WARN)
  end
  checkout = checkout and vim.fn.expand(checkout) or require("bowerbird.install").checkout()
  local cc = compiler()
  if not cc then
    return speak.tell("no C compiler was found.", vim.log.levels.ERROR)
  end
  local folder = vim.fs.joinpath(vim.fn.stdpath("data"), "site", "parser")
  vim.fn.mkdir(folder, "p")
  for language, files in pairs(SOURCES) do
    local from = checkout and vim.fs.joinpath(checkout, "grammars", "tree-sitter-" .. language, "src")
    if not from or not vim.uv.fs_stat(from) then
      return speak.tell("the grammars lie in Bowerbird's checkout; name it: :Bowerbird parsers /path/to/bowerbird",
        vim.log.levels.ERROR)
    end
    local library = vim.fs.joinpath(folder, language .. ".so")
    local command = { cc, "-shared", "-fPIC", "-O2", "-I", from, "-o", library .. ".new" }
    for _, file in ipairs(files) do
      table.insert(command, vim.fs.joinpath(from, file))
    end
    vim.system(command, { text = true }, vim.schedule_wrap(function(result)
      if result.code ~= 0 then
        return speak.tell(("the parser of %s was not compiled.\n%s"):format(language, result.stderr),
          vim.log.levels.ERROR)
      end
      vim.uv.fs_rename(library .. ".new", library) -- a library that is in use must not be written over
      vim.o.runtimepath = vim.o.runtimepath -- or a folder that is new would not be looked into
      speak.tell(("compiled %s; files opened from now on are coloured by it."):format(library))
    end))
  end
end

return M
