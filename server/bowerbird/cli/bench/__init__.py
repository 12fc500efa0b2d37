"""What is measured, one module each; each prints a table and can write JSON."""
