"""Teams by the API."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.tasks.api.program import new_task, new_team


async def test_a_team_from_beginning_to_end(client: Client) -> None:
    team = await new_team(client)
    assert [one["name"] for one in (await client.json("GET", "/tasks/api/teams")).json()["items"]] == ["API"]
    renamed = await client.json("PUT", team, {"name": "新しい名", "description": "説明"})
    assert (renamed.json()["name"], renamed.json()["description"]) == ("新しい名", "説明")
    await new_task(client, team, status="doing")
    assert (await client.json("GET", f"{team}/totals")).json()["doing"] == 1
    assert [one["doing"] for one in (await client.json("GET", f"{team}/days")).json()["items"]] == [1]
    assert (await client.json("DELETE", team)).status == 204
    assert (await client.json("GET", team)).status == 404
