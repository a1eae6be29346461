"""The JSON API for a mobile app and for the web client: /q/api, described at /q/openapi.json and /q/docs."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from sekkei.runtime.system import Context
from sekkei.web import Api, body_limit, webhook
from sekkei_systems.q.api import entry, mine, people, posts
from sekkei_systems.q.rules.pictures import BYTES_MAX
from sekkei_systems.q.service import Service

PICTURE_BODY_MAX = BYTES_MAX * 4 // 3 + 1_000
"""In base64, with a little around it."""
ABOUT = "One question a day. Sign in with a mailed code, join, choose an ID, answer, and read those whom you follow."


def routes(service: Service, context: Context) -> list[BaseRoute]:
    api = Api("q", title="Q.", about=ABOUT)
    entry.declare(api, service)
    mine.declare(api, service)
    people.declare(api, service)
    posts.declare(api, service, context.clock)
    found = api.routes
    for route in found:
        if isinstance(route, Route) and route.name in entry.UNGUARDED:
            webhook(route.endpoint)
        if isinstance(route, Route) and route.name == "api.set_picture":
            body_limit(PICTURE_BODY_MAX)(route.endpoint)
    return found
