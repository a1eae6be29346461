"""Plans by the API."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.tasks.api.program import new_team


async def test_plans(client: Client) -> None:
    team = await new_team(client)
    first, second = [(await client.json("POST", f"{team}/tasks", {"title": t})).json()["id"] for t in "ab"]
    task = f"{team}/tasks/{second}"
    made = await client.json("POST", f"{task}/checks", {"text": "甲"})
    check = made.json()["checks"][0]["id"]
    assert made.status == 201
    assert (await client.json("PATCH", f"{task}/checks/{check}", {"done": True})).json()["checks"][0]["done"]
    assert (await client.json("PUT", f"{task}/blockers/{first}")).json()["blockedBy"] == [first]
    circle = await client.json("PUT", f"{team}/tasks/{first}/blockers/2")
    assert (circle.status, circle.json()["code"]) == (409, "circular")
    assert (await client.json("PUT", f"{task}/rule", {"rule": "monthly"})).json()["rule"] == "FREQ=MONTHLY"
    assert (await client.json("PUT", f"{task}/rule", {"rule": "x"})).status == 422
    assert (await client.json("GET", f"{team}/marks?task={second}")).json() == {
        second: {"done": 1, "all": 1, "blocked": 1, "subtasks": {"done": 0, "all": 0}, "parent": None}
    }
    assert (await client.json("DELETE", f"{task}/blockers/{first}")).status == 204
    assert (await client.json("DELETE", f"{task}/checks/{check}")).status == 204
    assert (await client.json("GET", f"{task}/plan")).json() == {"checks": [], "blockedBy": [], "rule": "FREQ=MONTHLY"}
    assert (await client.json("PUT", f"{team}/limits", {"doing": 3})).json() == {"todo": None, "doing": 3}
    assert (await client.json("PUT", f"{team}/limits", {"doing": 0})).status == 422
