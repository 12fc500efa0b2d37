vim.bo.commentstring = "// %s" -- Neovim's own file says the same from 0.12 on
pcall(vim.treesitter.start, 0, "powerquery") -- without a parser Neovim's syntax file colours, from 0.12 on
vim.b.undo_ftplugin = (vim.b.undo_ftplugin or "") .. "\n setlocal commentstring<"
