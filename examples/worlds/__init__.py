"""Designs tried in simulated time; see docs/worlds.md."""
