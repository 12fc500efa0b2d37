"""Bowerbird: code completion from what the workspace already holds, on the user's own machine."""

__version__ = "0.1.0"
