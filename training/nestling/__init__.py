"""Nestling: how Bowerbird's built-in model is made, from source trees to a GGUF."""
