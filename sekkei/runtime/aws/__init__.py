"""The ends at AWS: signed requests, Lambda's entry points, EventBridge's schedules."""
