--- How Neovim starts Bowerbird: `vim.lsp.enable("bowerbird")`.
---
--- Whatever you give to `vim.lsp.config("bowerbird", ...)` is laid over this table.
return {
  -- Looked for when it is started: on the PATH, then what `:Bowerbird install` made.
  cmd = function(dispatchers)
    return vim.lsp.rpc.start(require("bowerbird.server").command(), dispatchers)
  end,
  -- No `filetypes`: every language is completed from what the workspace holds.
  root_markers = { ".bowerbirdignore", ".git" },
  capabilities = {
    textDocument = { inlineCompletion = { dynamicRegistration = false } }, -- Neovim 0.12 says so itself
    experimental = { bowerbird = { refined = true } },
  },
  handlers = {
    ["bowerbird/status"] = function(_, status, context)
      require("bowerbird.status").keep(context.client_id, status)
    end,
    ["bowerbird/refined"] = function(_, where, context)
      require("bowerbird").refined(context.client_id, where)
    end,
  },
}
