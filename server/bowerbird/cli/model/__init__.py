"""`bowerbird model`: the models that there are, and which one is used."""
