"""Recorded typing, replayed in real time against the real server."""
