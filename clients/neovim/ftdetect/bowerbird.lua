-- Neovim knows `.pony` and `.pq`, which it calls `pq`; `.m` stays Objective-C's and Matlab's.
vim.filetype.add({
  extension = { pony = "pony", ring = "ring", rh = "ring", rform = "ring", pq = "pq", pqm = "pq" },
})
vim.treesitter.language.register("powerquery", "pq")
