"""The JSON API: /tasks/api, described at /tasks/docs."""

from __future__ import annotations

from sekkei.web import Api
from sekkei_systems.tasks.api import hooks, tasks, teams

api = Api(
    "tasks",
    title="Team tasks",
    about="Teams, tasks, tags, comments, invitations and webhooks. Whatever writes takes an Idempotency-Key.",
    repeatable_in="team_id",
).include(teams.operations, tasks.operations, hooks.operations)
