"""Traces as a page for people."""
