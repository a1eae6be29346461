"""Every writing operation of the API, sent twice with one Idempotency-Key: one effect, and the answer of the first."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson

from sekkei.clock import ManualClock
from sekkei.web.testing import Client, Reply, opened
from sekkei_systems.tasks.system import SYSTEM
from tests.systems.tasks.test_authorisation import API, World, api
from tests.web.authorisation import Rule, routes_of

WRITING = ("POST ", "PUT ", "PATCH ", "DELETE ")
GONE = f"DELETE {API}"
"""Afterwards there is no such team, to nobody."""
REFUSED = "POST /tasks/api/invitations/{team_id}/{invite_id}/accept"
"""The admin is in the team already: nothing happens, nothing is kept."""


async def _stored(client: Client) -> str:
    """All that the system's tables hold, as one hash."""
    db = client.shell.deployment.systems["tasks"].context.db
    found = []
    for table in db.design.tables.values():
        answer = await db.store.call("Scan", {"TableName": db.table_name(table)})
        assert "LastEvaluatedKey" not in answer
        found += [orjson.dumps(item, option=orjson.OPT_SORT_KEYS, default=sorted) for item in answer["Items"]]
    return hashlib.sha256(b"".join(sorted(found))).hexdigest()


async def _send(client: Client, name: str, parameters: Mapping[str, str], body: Any, key: str, token: str) -> Reply:
    method, _, template = name.partition(" ")
    path = template.format_map(parameters)
    return await client.json(method, path, body, headers={"Idempotency-Key": key}, token=token)


async def _faults(world: World, name: str, rule: Rule, token: str) -> list[str]:
    admin = world.actors["admin"]
    parameters = {"team_id": world.team_id, **(await rule.prepare() if rule.prepare else {})}
    key = f"k{hashlib.sha256(name.encode()).hexdigest()}"
    first = await _send(admin, name, parameters, rule.json, key, token)
    after = await _stored(admin)
    again = await _send(admin, name, parameters, rule.json, key, token)
    other = await _send(admin, name, parameters, _other(rule), key, token)
    found = []
    if first.status != rule.expect["admin"]:
        found.append(f"{name}: {first.status} {first.text[:200]}")
    if (again.status, again.body, again.header("etag")) != (first.status, first.body, first.header("etag")):
        found.append(f"{name}: again {again.status} {again.text[:200]}")
    if other.status != 422 or b"key-reused" not in other.body:
        found.append(f"{name}: another body {other.status} {other.text[:200]}")
    if await _stored(admin) != after:
        found.append(f"{name}: it happened again")
    return found


OTHERS: dict[str, Any] = {
    "title": "別",
    "text": "別",
    "name": "別",
    "status": "todo",
    "done": False,
    "doing": 4,
    "role": "admin",
    "rule": "weekly",
    "tasks": ["y"],
    "url": "http://127.0.0.1:9/other",
    "email": "other@x.example",
}


def _other(rule: Rule) -> Any:
    """A body that is as good, and another one."""
    return {name: OTHERS.get(name, value) for name, value in (rule.json or {}).items()} or {"other": True}


async def test_every_writing_operation_happens_once(clock: ManualClock) -> None:
    async with opened(SYSTEM, clock=clock) as client:
        world = World(client, client.shell.deployment.systems["tasks"].parts.service)
        await world.build()
        rules = {name: rule for name, rule in api(world).items() if name.startswith(WRITING) and name != REFUSED}
        there = {name for name in routes_of(client.app, "tasks") if name.startswith(WRITING) and "/tasks/api/" in name}
        assert there == {*rules, GONE, REFUSED}
        token = await world.actors["admin"].token()
        assert [fault for name, rule in rules.items() for fault in await _faults(world, name, rule, token)] == []


async def test_every_writing_operation_says_so(clock: ManualClock) -> None:
    async with opened(SYSTEM, clock=clock) as client:
        paths = (await client.get("/tasks/openapi.json")).json()["paths"]
        silent = [
            f"{method} {path}"
            for path, operations in paths.items()
            for method, operation in operations.items()
            if (method != "get") is not ("Idempotency-Key" in [one["name"] for one in operation["parameters"]])
        ]
        assert silent == []
