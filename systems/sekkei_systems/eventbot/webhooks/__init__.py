"""Interactions: what Discord sends when somebody uses a command, presses a button or fills in a form."""
