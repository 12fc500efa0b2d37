"""The weights of Bowerbird's built-in model: data, and no code."""
