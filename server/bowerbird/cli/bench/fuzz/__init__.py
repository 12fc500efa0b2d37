"""`bowerbird bench fuzz`: random conversations with the real server."""
