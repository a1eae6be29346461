"""Looking after a whole file: verify, back up, restore."""
