"""Comment to code: AceCoder's examples and preliminaries, EVOR's loop."""
