"""What the keyboard asks of the API."""

from __future__ import annotations

from urllib.parse import quote

from sekkei.web.testing import Client
from tests.systems.tasks.api.program import new_team


async def test_a_line_is_understood_and_made(client: Client) -> None:
    team = await new_team(client)
    found = (await client.json("GET", f"{team}/understood?text={quote('買い物 2026-01-02 !low @me')}")).json()
    assert found == {
        "title": "買い物",
        "start": None,
        "end": "2026-01-02",
        "priority": "low",
        "assignee": "demo-aoi",
        "tags": [],
    }
    made = await client.json("POST", f"{team}/quick", {"text": "買い物 2026-01-02", "status": "doing"})
    assert (made.status, made.json()["title"], made.json()["end"]) == (201, "買い物", "2026-01-02")
    assert (await client.json("POST", f"{team}/quick", {"text": " "})).status == 422


async def test_views_and_the_palette(client: Client) -> None:
    team = await new_team(client)
    other = (await client.json("POST", "/tasks/api/teams", {"name": "別"})).json()
    saved = await client.json("POST", f"{team}/views", {"name": "急ぎ", "query": "priority=high"})
    assert saved.status == 201
    assert (await client.json("POST", f"{team}/views", {"name": "x", "query": "nonsense=1"})).status == 422
    palette = (await client.json("GET", f"{team}/palette")).json()
    assert palette["views"] == [saved.json()]
    assert {"id": other["id"], "name": "別"} in palette["teams"]
    assert [one["id"] for one in palette["members"]] == ["demo-aoi"]
    assert (await client.json("DELETE", f"{team}/views/{saved.json()['id']}")).status == 204
    assert (await client.json("DELETE", f"{team}/views/{saved.json()['id']}")).status == 404
    assert (await client.json("GET", f"{team}/views")).json()["items"] == []
