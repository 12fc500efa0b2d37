"""Grammars for models: what may be written, character by character, so that code is whole when it ends."""
