"""`bowerbird docs`: the documentation packs, from the shell."""
