"""The API and its description, held against each other by Schemathesis: every route, signed in and not, with data that
fits the description and data that does not. Nothing answers 500, and every answer is one that is described."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from sekkei_systems import days
from sekkei_systems.q.design.models import QuestionType
from sekkei_systems.q.system import SYSTEM
from tests.browser import Serve, Site
from tests.systems.q.conftest import World, png
from tests.web.described import Known, ask_everything

AUTHOR = "author"
LAST = (
    "DELETE /q/api/answers/{day}/{user_id}/reaction",
    "DELETE /q/api/users/{user_id}/follow",
    "DELETE /q/api/me/followers/{user_id}",
    "PUT /q/api/users/{user_id}/block",
    "DELETE /q/api/users/{user_id}/block",
    "POST /q/api/me/withdrawal",
    "DELETE /q/api/me/withdrawal",
)
"""Afterwards there is nobody to meet, or nobody to ask any more."""
GOOD: dict[str, Any] = {
    "POST /q/api/sign-in/code": {"email": "new@example.com"},
    "PUT /q/api/me/username": {"username": "Some_body"},
    "PUT /q/api/me/picture": {"content": base64.b64encode(png()).decode()},
    "PUT /q/api/me/devices": {"token": "ExponentPushToken[x]", "deviceType": "ios"},
    "POST /q/api/answers": {"text": "秋"},
    "POST /q/api/questions": {"text": "提案？"},
    "POST /q/api/reports": {"targetType": "user", "targetId": AUTHOR, "category": "spam"},
    "PUT /q/api/answers/{day}/{user_id}/reaction": {"reaction": "❤️"},
}
"""What chance would hardly find: bodies that are good, not only well-formed."""


async def filled(site: Site) -> dict[str, Any]:
    """A site with somebody to meet; gives back what stands in for parts of a path."""
    deployment = site.client.shell.deployment
    system = deployment.systems["q"]
    world = World(deployment, system, site.client.shell.clock, system.parts.service)  # type: ignore[arg-type]
    await world.join("demo-aoi", AUTHOR)
    await world.follow(("demo-aoi", AUTHOR), (AUTHOR, "demo-aoi"))
    await world.ask()
    await world.answer(AUTHOR)
    await world.question("wanted", type=QuestionType.USER)
    return {"user_id": AUTHOR, "day": str(days.today(world.clock)), "question_id": "wanted"}


@pytest.mark.parametrize("person", ["demo-aoi", None])
async def test_every_route_answers_as_it_is_described(serve: Serve, person: str | None) -> None:
    site = await serve(SYSTEM)
    there = await filled(site)
    token = None
    if person is not None:
        await site.client.sign_in(person)
        token = await site.client.shell.accounts.make_token(person, "test")
    known = Known(path=there, body=GOOD, query={"GET /q/api/users": {"appId": "author_id"}}, last=LAST, strict=True)
    answered = await asyncio.to_thread(ask_everything, site.url, "/q/openapi.json", token, known)
    good = {name for name, statuses in answered.items() if any(one < 300 for one in statuses)}
    assert len(answered) >= 52
    if person is None:
        open_to_all = {name for name in answered if name.startswith("POST /q/api/sign-in")}
        assert {name for name, statuses in answered.items() if not statuses & {401, 403}} <= open_to_all
    else:
        assert len(good) >= 36, f"never answered well: {sorted(set(answered) - good)}"
