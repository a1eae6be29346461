"""Team tasks: boards, tags, late work, counters and invitations on task-table-v3 and task-table-invitation-v3."""
