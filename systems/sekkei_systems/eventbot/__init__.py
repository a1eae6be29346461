"""The event bot: recruiting, members, notices and confirmations in Discord."""
