"""The only door to the protocol."""
