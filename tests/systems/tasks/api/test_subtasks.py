"""Subtasks by the API: one field, and a filter."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.tasks.api.program import new_team


async def test_parents_by_the_api(client: Client) -> None:
    team = await new_team(client)
    first = (await client.json("POST", f"{team}/tasks", {"title": "a"})).json()
    assert (first["parent"], first["subtasks"]) == (None, {"done": 0, "all": 0})
    second = (await client.json("POST", f"{team}/tasks", {"title": "b", "parent": "1", "status": "done"})).json()
    third = (await client.json("POST", f"{team}/quick", {"text": "c tomorrow", "parent": first["id"]})).json()
    assert [one["parent"] for one in (second, third)] == [first["id"]] * 2
    assert (await client.json("GET", f"{team}/tasks/{second['id']}")).json()["parent"] == first["id"]
    assert (await client.json("GET", f"{team}/tasks/{first['id']}")).json()["subtasks"] == {"done": 1, "all": 2}
    key = (await client.json("GET", team)).json()["key"]
    every = "status=todo&status=doing&status=done"
    found = (await client.json("GET", f"{team}/tasks?parent={key}-1&{every}&by=end&limit=1")).json()
    assert [one["title"] for one in found["items"]] == ["c"], "by end"
    rest = (
        await client.json("GET", f"{team}/tasks?parent={key}-1&{every}&by=end&limit=1&after={found['cursor']}")
    ).json()
    assert ([one["title"] for one in rest["items"]], rest["cursor"]) == (["b"], None)
    marks = (await client.json("GET", f"{team}/marks?task={third['id']}")).json()[third["id"]]
    assert marks["parent"] == {"id": first["id"], "number": 1, "title": "a"}
    out = await client.json("PATCH", f"{team}/tasks/{third['id']}", {"parent": None, "title": "c2"})
    assert (out.json()["parent"], out.json()["title"], out.json()["version"]) == (None, "c2", 2)
    back = await client.json("POST", f"{team}/tasks/{third['id']}/activity/2/undo")
    assert (back.json()["parent"], back.json()["title"]) == (first["id"], "c")


async def test_what_is_refused(client: Client) -> None:
    team = await new_team(client)
    one = (await client.json("POST", f"{team}/tasks", {"title": "a"})).json()["id"]
    two = (await client.json("POST", f"{team}/tasks", {"title": "b", "parent": one})).json()["id"]
    for task, parent, status, code in (
        (one, one, 409, "own-parent"),
        (one, two, 409, "parent-is-subtask"),
        (one, "TASK-9", 422, "no-such-parent"),
        (two, "", 200, ""),
    ):
        reply = await client.json("PATCH", f"{team}/tasks/{task}", {"parent": parent})
        assert (reply.status, reply.json().get("code", "")) == (status, code)
    assert (await client.json("POST", f"{team}/tasks", {"title": "x", "parent": "nope"})).status == 422
    assert (await client.json("GET", f"{team}/tasks?parent=TASK-9")).status == 422


async def test_the_same_request_twice_makes_one_subtask(client: Client) -> None:
    team = await new_team(client)
    one = (await client.json("POST", f"{team}/tasks", {"title": "a"})).json()["id"]
    body, headers = {"title": "b", "parent": one}, {"Idempotency-Key": "k1"}
    replies = [(await client.json("POST", f"{team}/tasks", body, headers=headers)).json() for _ in range(2)]
    assert replies[0] == replies[1]
    assert replies[0]["parent"] == one
    assert (await client.json("GET", f"{team}/tasks/{one}")).json()["subtasks"]["all"] == 1
