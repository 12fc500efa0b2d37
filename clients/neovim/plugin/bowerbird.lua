--- What is there before the first completion: a command, keys to map, and an ear for the server's start.
if vim.g.loaded_bowerbird or vim.fn.has("nvim-0.10") == 0 then
  return
end
vim.g.loaded_bowerbird = true

local PLUGS = {
  ["bowerbird-accept"] = "accept",
  ["bowerbird-accept-word"] = "accept_word",
  ["bowerbird-accept-line"] = "accept_line",
  ["bowerbird-next"] = "next",
  ["bowerbird-previous"] = "previous",
  ["bowerbird-ask"] = "ask",
  ["bowerbird-dismiss"] = "dismiss",
}
for plug, action in pairs(PLUGS) do
  vim.keymap.set("i", ("<Plug>(%s)"):format(plug), function()
    require("bowerbird")[action]()
  end)
end

local group = vim.api.nvim_create_augroup("bowerbird", {})
vim.api.nvim_create_autocmd("LspAttach", {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == "bowerbird" then
      require("bowerbird").attach(client, event.buf)
    end
  end,
})
vim.api.nvim_create_autocmd("LspDetach", {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == "bowerbird" then
      require("bowerbird").detach(client, event.buf)
    end
  end,
})

vim.api.nvim_create_user_command("Bowerbird", function(call)
  require("bowerbird.commands").run(call.fargs)
end, {
  nargs = "+",
  desc = "Bowerbird: pause, explain, search, install and more",
  complete = function(lead, line)
    return require("bowerbird.commands").complete(lead, line)
  end,
})
