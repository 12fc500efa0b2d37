"""Prompt in, prediction out."""
