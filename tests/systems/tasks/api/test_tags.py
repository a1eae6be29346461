"""Tags by the API."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.tasks.api.program import new_task, new_team


async def test_a_tag_is_made_changed_and_taken_from_its_tasks(client: Client) -> None:
    team = await new_team(client)
    made = (await client.json("POST", f"{team}/tags", {"name": "急ぎ", "color": "#000000"})).json()
    assert made["color"] == "#ffffff"
    task = await new_task(client, team, tags=[made["id"]])
    changed = await client.json("PUT", f"{team}/tags/{made['id']}", {"name": "至急", "color": "#ffffff"})
    assert (changed.json()["name"], changed.json()["color"]) == ("至急", "#000000")
    assert (await client.json("DELETE", f"{team}/tags/{made['id']}")).status == 202
    await client.work()
    assert (await client.json("GET", f"{team}/tags")).json()["items"] == []
    assert (await client.json("GET", task)).json()["tags"] == []
