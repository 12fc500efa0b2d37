"""The index from a small project to a monorepo."""
