"""Tasks by the API, as a program uses it."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.tasks.api.program import new_task, new_team


async def test_a_task_from_beginning_to_end(client: Client) -> None:
    team = await new_team(client)
    made = await client.json("POST", f"{team}/tasks", {"title": "書く", "start": "2025-11-06", "end": "2025-11-07"})
    assert (made.status, made.header("etag")) == (201, '"1"')
    path = f"{team}/tasks/{made.json()['id']}"
    moved = await client.json("PATCH", path, {"status": "doing", "end": None}, headers={"If-Match": '"1"'})
    assert moved.status == 200
    assert (moved.json()["status"], moved.json()["end"], moved.json()["start"]) == ("doing", None, "2025-11-06")
    stale = await client.json("PATCH", path, {"title": "古い"}, headers={"If-Match": '"1"'})
    assert (stale.status, stale.json()["code"]) == (412, "changed")
    assert (await client.json("GET", f"{team}/totals")).json() == {"todo": 0, "doing": 1, "done": 0, "day": None}
    said = await client.json("POST", f"{path}/comments", {"text": "よし"})
    assert said.status == 201
    assert [one["text"] for one in (await client.json("GET", f"{path}/comments")).json()["items"]] == ["よし"]
    assert (await client.json("DELETE", path)).status == 204
    assert (await client.json("GET", path)).status == 404


async def test_lists_are_filtered_and_paged(client: Client) -> None:
    team = await new_team(client)
    tag = (await client.json("POST", f"{team}/tags", {"name": "急ぎ", "color": "#dc2626"})).json()["id"]
    for number in range(5):
        body = {"title": f"仕事{number}", "start": f"2025-11-0{number + 1}", "tags": [tag] if number % 2 else []}
        await client.json("POST", f"{team}/tasks", body)
    first = (await client.json("GET", f"{team}/tasks?limit=3")).json()
    rest = (await client.json("GET", f"{team}/tasks?limit=3&after={first['cursor']}")).json()
    assert [one["title"] for one in first["items"] + rest["items"]] == [f"仕事{n}" for n in range(5)]
    assert rest["cursor"] is None
    tagged = (await client.json("GET", f"{team}/tasks?tag={tag}&limit=1")).json()
    assert [one["title"] for one in tagged["items"]] == ["仕事1"]
    forged = await client.json("GET", f"{team}/tasks?after={first['cursor'][:-4]}AAAA")
    assert (forged.status, forged.json()["code"]) == (400, "cursor")
    other = await client.json("GET", f"{team}/tasks?status=todo&after={first['cursor']}")
    assert other.status == 400
    assert (await client.json("GET", f"{team}/tasks?status=later")).status == 422


async def test_many_at_once(client: Client) -> None:
    team = await new_team(client)
    ids = [(await client.json("POST", f"{team}/tasks", {"title": t})).json()["id"] for t in "ab"]
    reply = await client.json("POST", f"{team}/bulk", {"tasks": [*ids, "none"], "change": {"status": "done"}})
    batch = reply.json().pop("batch")
    assert {**reply.json(), "batch": batch} == {"changed": 2, "refused": {"none": "no-such-task"}, "batch": batch}
    undone = await client.json("POST", f"{team}/batches/{batch}/undo", {})
    assert undone.json() == {"changed": 2, "refused": {}, "batch": None}
    assert (await client.json("GET", f"{team}/tasks/{ids[0]}")).json()["status"] == "todo"


async def test_a_task_by_its_number(client: Client) -> None:
    team = await new_team(client)
    made = (await client.json("POST", f"{team}/tasks", {"title": "x"})).json()
    assert (await client.json("GET", f"{team}/numbers/{made['number']}")).json() == made
    assert (await client.json("GET", f"{team}/numbers/99")).status == 404
    assert (await client.json("GET", f"{team}/tasks?q=%23{made['number']}")).json()["items"] == [made]
    assert (await client.json("PUT", team, {"name": "x", "key": "SHOP"})).json()["key"] == "SHOP"
    assert (await client.json("PUT", team, {"name": "x", "key": "2"})).status == 422


async def test_without_the_token_nothing_is_changed(client: Client) -> None:
    team = await new_team(client)
    for token in ("", "0" * 64):
        reply = await client.json("POST", f"{team}/tasks", {"title": "x"}, token=token)
        assert (reply.status, reply.json()["code"]) == (403, "csrf")
    assert (await client.json("GET", f"{team}/totals")).json()["todo"] == 0


async def test_a_personal_token_is_enough_for_a_program(client: Client) -> None:
    team = await new_team(client)
    program = client.another()
    program.bearer = await client.shell.accounts.make_token("demo-aoi", "script")
    assert (await program.json("POST", f"{team}/tasks", {"title": "自動"})).status == 201
    program.bearer = "sekkei_demo-aoi.0000000000000000000000000000"
    assert (await program.json("GET", "/tasks/api/teams")).status == 401


async def test_deleting_goes_by_if_match_and_can_be_undone(client: Client) -> None:
    task = await new_task(client, team := await new_team(client))
    await client.json("PATCH", task, {"title": "新しい"})
    stale = await client.json("DELETE", task, headers={"If-Match": '"1"'})
    assert (stale.status, stale.json()["code"]) == (412, "changed")
    assert (await client.json("DELETE", task, headers={"If-Match": '"2"'})).status == 204
    assert [one["title"] for one in (await client.json("GET", f"{team}/trash")).json()["items"]] == ["新しい"]
    back = await client.json("POST", f"{team}/trash/{task.rpartition('/')[2]}/back", {})
    assert (back.status, back.json()["title"]) == (200, "新しい")


async def test_unknown_parameters_are_refused(client: Client) -> None:
    """A filter that is misspelt must not show everything."""
    team = await new_team(client)
    for wrong in ("asignee=me", "statuses=todo", "priority=urgent", "foo=1"):
        reply = await client.json("GET", f"{team}/tasks?{wrong}")
        assert reply.status == 422, wrong
    assert (await client.json("GET", f"{team}/tasks?assignee=none&priority=high&q=a+b")).status == 200
