"""The same products from the shell."""
