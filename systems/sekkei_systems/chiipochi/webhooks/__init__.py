"""Requests of other programs; each is signed."""
