"""Checks a design, measures it, prices it and simulates its heat, offline, from the design itself."""
