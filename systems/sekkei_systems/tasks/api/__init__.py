"""The JSON API: /tasks/api, described at /tasks/docs."""

from __future__ import annotations

from starlette.routing import BaseRoute

from sekkei.runtime.system import Context
from sekkei.web import Api
from sekkei_systems.tasks.api import comments, invitations, members, people, tags, tasks, teams
from sekkei_systems.tasks.service import Service


def routes(service: Service, context: Context) -> list[BaseRoute]:
    api = Api("tasks", title="Team tasks", about="Teams, tasks, tags, comments and invitations.")
    for noun in (people, teams, members, tags, tasks, comments, invitations):
        noun.declare(api, service)
    return api.routes
