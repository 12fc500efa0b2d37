vim.bo.commentstring = "// %s"
vim.bo.comments = "s1:/*,mb:*,ex:*/,://"
pcall(vim.treesitter.start, 0, "pony") -- without a parser the syntax file colours
vim.b.undo_ftplugin = (vim.b.undo_ftplugin or "") .. "\n setlocal commentstring< comments<"
