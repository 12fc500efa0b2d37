"""Text to tree to entities: the only door to tree-sitter."""
