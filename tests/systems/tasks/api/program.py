"""What the tests of the API do first."""

from __future__ import annotations

from sekkei.web.testing import Client


async def new_team(client: Client) -> str:
    reply = await client.json("POST", "/tasks/api/teams", {"name": "API"})
    assert reply.status == 201
    found: str = reply.json()["id"]
    return f"/tasks/api/teams/{found}"


async def new_task(client: Client, team: str, **fields: object) -> str:
    reply = await client.json("POST", f"{team}/tasks", {"title": "仕事", **fields})
    assert reply.status == 201
    return f"{team}/tasks/{reply.json()['id']}"
