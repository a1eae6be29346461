"""The JSON API: /tasks/api, described at /tasks/docs."""

from __future__ import annotations

from sekkei.web import Api
from sekkei_systems.tasks.api import comments, hooks, invitations, members, people, plans, quick, tags, tasks, teams

api = Api(
    "tasks",
    title="Team tasks",
    about="Teams, tasks, tags, comments, invitations and webhooks. Whatever writes takes an Idempotency-Key.",
    repeatable_in="team_id",
).include(
    people.operations,
    teams.operations,
    members.operations,
    tags.operations,
    tasks.operations,
    quick.operations,
    plans.operations,
    comments.operations,
    invitations.operations,
    hooks.operations,
)
