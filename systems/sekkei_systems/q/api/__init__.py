"""The JSON API for a mobile app and for the web client: /q/api, described at /q/openapi.json and /q/docs."""

from __future__ import annotations

from sekkei.web import Api
from sekkei_systems.q.api import mine, people, posts, told

ABOUT = "One question a day. Sign in with a mailed code, join, choose an ID, answer, and read those whom you follow."

api = Api("q", title="Q.", about=ABOUT)
api.include(mine.operations, people.operations, posts.operations, told.operations)
