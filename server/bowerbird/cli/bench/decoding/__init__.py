"""How fast the model writes: with drafts from the prompt and without, and beside llama-server."""
