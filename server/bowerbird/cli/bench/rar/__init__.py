"""How well RAR finds what code will need: requests of users, and examples that are left out."""
