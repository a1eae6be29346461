"""A request with an Idempotency-Key is carried out once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sekkei.web.testing import Client, Reply
from tests.systems.tasks.api.program import new_team


async def _send(client: Client, path: str, body: dict[str, Any], key: str) -> Reply:
    return await client.json("POST", path, body, headers={"Idempotency-Key": key})


@pytest.mark.parametrize(
    ("path", "body", "other"),
    [
        ("tasks", {"title": "一度", "description": "長い" * 400}, {"title": "別"}),
        ("quick", {"text": "一度 2031-01-02"}, {"text": "別"}),
    ],
)
async def test_a_task_is_made_once(client: Client, path: str, body: dict[str, Any], other: dict[str, Any]) -> None:
    team = await new_team(client)
    first = await _send(client, f"{team}/{path}", body, "k1")
    await client.json("PATCH", f"{team}/tasks/{first.json()['id']}", {"status": "done"})
    again = await _send(client, f"{team}/{path}", body, "k1")
    assert (first.status, again.status, again.json()) == (201, 201, first.json()), "the answer of that time"
    assert (first.header("idempotency-replayed"), again.header("idempotency-replayed")) == (None, "true")
    now = (await client.json("GET", f"{team}/tasks/{first.json()['id']}")).json()
    assert {**now, "status": "todo", "version": 1, "updatedAt": None, "doneAt": None} == {
        **first.json(),
        "updatedAt": None,
    }
    refused = await _send(client, f"{team}/{path}", other, "k1")
    assert (refused.status, refused.json()["code"]) == (422, "key-reused")
    assert (await _send(client, f"{team}/{path}", body, "k2")).json()["id"] != first.json()["id"]
    totals = (await client.json("GET", f"{team}/totals")).json()
    assert (totals["todo"], totals["done"]) == (1, 1)


async def test_many_at_once_make_one(client: Client) -> None:
    team = await new_team(client)
    replies = await asyncio.gather(*(_send(client, f"{team}/tasks", {"title": "x"}, "k") for _ in range(5)))
    assert len({reply.json()["id"] for reply in replies}) == 1
    assert (await client.json("GET", f"{team}/totals")).json()["todo"] == 1


async def test_a_comment_is_said_once_and_keys_are_ones_own(client: Client) -> None:
    team = await new_team(client)
    task = (await client.json("POST", f"{team}/tasks", {"title": "x"})).json()["id"]
    path = f"{team}/tasks/{task}/comments"
    first, again = [await _send(client, path, {"text": "一言"}, "k") for _ in range(2)]
    assert first.json() == again.json()
    assert (first.header("idempotency-replayed"), again.header("idempotency-replayed")) == (None, "true")
    assert len((await client.json("GET", path)).json()["items"]) == 1
    other = await new_team(client)
    assert (await _send(client, f"{other}/tasks", {"title": "x"}, "k")).status == 201, "another team, another key"
    assert (await _send(client, path, {"text": "一言"}, "k" * 256)).status == 422
