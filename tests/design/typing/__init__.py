"""Sources for the type checkers; see test_typing.py. They are checked, never run."""
