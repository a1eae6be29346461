"""The outside: browsers that are told things."""
