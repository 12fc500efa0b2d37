"""RepoCoder's loop: from unfinished code to a completion."""
