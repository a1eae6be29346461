"""What a deployed design needs around it: stream pump, schedules, outbox, jobs, clock, Lambda entry points."""
