"""Webhooks by the API."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.tasks.api.program import new_task, new_team


async def test_webhooks_by_api(client: Client) -> None:
    team = await new_team(client)
    asked = {"url": "http://127.0.0.1:9/in", "events": ["task.created"]}
    made = await client.json("POST", f"{team}/webhooks", asked)
    assert (made.status, made.json()["secret"][:6]) == (201, "whsec_")
    one = f"{team}/webhooks/{made.json()['id']}"
    (listed,) = (await client.json("GET", f"{team}/webhooks")).json()["items"]
    assert "secret" not in listed
    assert listed["events"] == ["task.created"]
    assert (await client.json("PUT", one, {"url": "ftp://x", "events": ["task.created"]})).status == 422
    assert (await client.json("PUT", one, {"url": "http://127.0.0.1:9/b", "events": ["x"]})).status == 422
    assert (await client.json("POST", f"{one}/test", {})).status == 202
    await new_task(client, team)
    await client.work()
    log = (await client.json("GET", f"{one}/deliveries")).json()["items"]
    assert [entry["event"] for entry in log] == ["task.created", "test"]
    assert {entry["state"] for entry in log} == {"waiting"}
    assert (await client.json("POST", f"{one}/deliveries/none/again", {})).json()["code"] == "no-such-delivery"
    assert (await client.json("DELETE", one)).status == 204
    assert (await client.json("DELETE", one)).status == 404
