--- The plugin's own options: `vim.g.bowerbird = { ... }`, read at each use, so that they may change.
---
--- What the server does is set with `vim.lsp.config("bowerbird", { settings = { bowerbird = { ... } } })`.
local M = {}

M.DEFAULTS = {
  --- Show inline completions at all.
  inline = true,
  --- Who draws them: "plugin", or "auto", which is Neovim itself where it can (0.12).
  ghost = "auto",
  --- How long the plugin's own ghost text waits for the next key; the server adapts its own wait to that.
  debounce_ms = 75, -- under the 100 ms between keystrokes at 120 words a minute
  --- Keys of insert mode, by action; false for one maps nothing, `keys = false` maps none.
  keys = {
    accept = "<Tab>",
    accept_word = "<M-Right>",
    accept_line = "<M-Down>",
    next = "<M-]>",
    previous = "<M-[>",
    ask = "<M-Bslash>",
    dismiss = "<C-]>",
  },
  --- The Python that `:Bowerbird install` makes an environment with; 3.11 or newer.
  python = nil,
}

--- All options, the user's over the defaults.
function M.get()
  local options = vim.tbl_deep_extend("force", M.DEFAULTS, vim.g.bowerbird or {})
  options.keys = options.keys or {}
  return options
end

return M
