"""All that may be retrieved, and the one policy that says what may not."""
