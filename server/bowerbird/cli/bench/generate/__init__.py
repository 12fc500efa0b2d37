"""`bowerbird bench generate`: code from comments, in every mode, by any model."""
