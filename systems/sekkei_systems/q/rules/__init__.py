"""Pure decisions: who sees what, what may be written, when something is due, what a notice says. No store."""
