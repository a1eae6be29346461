"""The API and its description, held against each other by Schemathesis: every route, signed in and not, with data that
fits the description and data that does not. Nothing answers 500, and every answer is one that is described."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import APIOperation, Case, GenerationMode
from schemathesis.specs.openapi import checks as described

from sekkei.runtime import days
from sekkei_systems.q import SYSTEM
from sekkei_systems.q.design.models import QuestionType
from tests.browser import Serve, Site
from tests.systems.q.conftest import World, png

EXAMPLES = {GenerationMode.POSITIVE: 4, GenerationMode.NEGATIVE: 3}
"""For every route and person."""
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
CHECKS: list[Any] = [
    schemathesis.checks.not_a_server_error,
    described.status_code_conformance,
    described.content_type_conformance,
    described.response_headers_conformance,
    described.response_schema_conformance,
]
QUICKLY = settings(
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


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


Operation = APIOperation[Any, Any, Any, Any]


def _name(operation: Operation) -> str:
    return f"{operation.method.upper()} {operation.path}"


def attempt(operation: Operation, mode: GenerationMode, there: dict[str, Any], call: Any) -> None:
    """Some requests to one operation; half of them about something that is there."""

    @settings(QUICKLY, max_examples=EXAMPLES[mode])
    @given(case=operation.as_strategy(generation_mode=mode), is_there=st.booleans())
    def send(case: Case, is_there: bool) -> None:
        if is_there:
            case.path_parameters.update({name: there[name] for name in case.path_parameters if name in there})
            if mode is GenerationMode.POSITIVE:
                case.body = GOOD.get(_name(operation), case.body)
        call(case)

    send()


def whole_api(url: str, token: str | None, there: dict[str, Any]) -> dict[str, set[int]]:
    """Ask everything; raises at the first answer that is not described."""
    schema = schemathesis.openapi.from_dict(requests.get(f"{url}/q/openapi.json", timeout=10).json())
    schema.config.generation.update(with_security_parameters=False)  # it would make tokens up in place of the real one
    operations = [found.ok() for found in schema.get_all_operations()]
    session = requests.Session()
    answered: dict[str, set[int]] = {}
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    modes = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)[: 2 if token else 1]  # strangers get no further
    for operation in sorted(operations, key=lambda one: LAST.index(_name(one)) if _name(one) in LAST else -1):
        takes = bool(list(operation.body)) or bool(list(operation.path_parameters)) or bool(list(operation.query))

        def call(case: Case, operation: Operation = operation) -> None:
            checks = CHECKS if case.meta is None or token is None else [*CHECKS, described.negative_data_rejection]
            reply = case.call_and_validate(base_url=url, session=session, headers=headers, checks=checks)
            answered.setdefault(_name(operation), set()).add(reply.status_code)

        for mode in modes if takes else modes[:1]:
            attempt(operation, mode, there, call)
    return answered


@pytest.mark.parametrize("person", ["demo-aoi", None])
async def test_every_route_answers_as_it_is_described(serve: Serve, person: str | None) -> None:
    site = await serve(SYSTEM)
    there = await filled(site)
    token = None
    if person is not None:
        await site.client.sign_in(person)
        token = await site.client.shell.accounts.make_token(person, "test")
    answered = await asyncio.to_thread(whole_api, site.url, token, there)
    good = {name for name, statuses in answered.items() if any(one < 300 for one in statuses)}
    assert len(answered) >= 52
    if person is None:
        open_to_all = {name for name in answered if name.startswith("POST /q/api/sign-in")}
        assert {name for name, statuses in answered.items() if not statuses & {401, 403}} <= open_to_all
    else:
        assert len(good) >= 36, f"never answered well: {sorted(set(answered) - good)}"
