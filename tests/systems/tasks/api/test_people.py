"""My work and my notes, by the API."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.tasks.api.program import new_task, new_team


async def test_my_work_is_what_is_mine_and_open(client: Client) -> None:
    team = await new_team(client)
    mine = await new_task(client, team, assignee="demo-aoi")
    await new_task(client, team)
    await new_task(client, team, assignee="demo-aoi", status="done")
    work = (await client.json("GET", "/tasks/api/work")).json()["items"]
    assert [one["id"] for one in work] == [mine.rpartition("/")[2]]
    assert (await client.json("GET", "/tasks/api/notes")).json() == {"items": [], "cursor": None}
    assert (await client.json("POST", "/tasks/api/notes/read", {})).status == 204
