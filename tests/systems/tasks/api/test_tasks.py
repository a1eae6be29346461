"""Tasks by the API, as a program uses it."""

from __future__ import annotations

from urllib.parse import quote

from sekkei.clock import SYSTEM
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


# Plans by the API.


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


# Comments by the API.


async def test_comments_are_in_the_order_of_time(client: Client) -> None:
    task = await new_task(client, await new_team(client))
    for text in ("一", "二"):
        assert (await client.json("POST", f"{task}/comments", {"text": text})).status == 201
        millisecond = int(SYSTEM.now() * 1000)
        while int(SYSTEM.now() * 1000) == millisecond:  # two comments of one millisecond are in no order
            pass
    found = (await client.json("GET", f"{task}/comments")).json()["items"]
    assert [(one["text"], one["author"]) for one in found] == [("一", "demo-aoi"), ("二", "demo-aoi")]
    await client.work()
    assert (await client.json("GET", task)).json()["comments"] == 2


async def test_an_empty_or_endless_comment_is_refused(client: Client) -> None:
    task = await new_task(client, await new_team(client))
    for text in ("", "  ", "x" * 4_001):
        reply = await client.json("POST", f"{task}/comments", {"text": text})
        assert (reply.status, reply.json()["errors"][0]["pointer"]) == (422, "#/text")
    assert (await client.json("GET", f"{task}/comments")).json()["items"] == []


# What the keyboard asks of the API.


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


# Subtasks by the API: one field, and a filter.


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
