"""Comments by the API."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.tasks.api.program import new_task, new_team


async def test_comments_are_in_the_order_of_time(client: Client) -> None:
    task = await new_task(client, await new_team(client))
    for text in ("一", "二"):
        assert (await client.json("POST", f"{task}/comments", {"text": text})).status == 201
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
