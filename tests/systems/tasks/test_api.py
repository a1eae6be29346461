"""The JSON API, as a program uses it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.web.testing import Client, opened, test_settings
from sekkei_systems.tasks import SYSTEM


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with opened(SYSTEM) as found:
        await found.sign_in("demo-aoi")
        yield found


async def _team(client: Client) -> str:
    reply = await client.json("POST", "/tasks/api/teams", {"name": "API"})
    assert reply.status == 201
    found: str = reply.json()["id"]
    return f"/tasks/api/teams/{found}"


async def test_a_task_from_beginning_to_end(client: Client) -> None:
    team = await _team(client)
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


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"title": "x", "start": "2025-02-30"}, "#/start"),
        ({"title": "x", "start": "2025-11-07", "end": "2025-11-06"}, "#/end"),
        ({"title": "x", "end": "9999-12-31"}, "#/end"),
        ({"title": ""}, "#/title"),
        ({"title": "   "}, "#/title"),
        ({"title": "x" * 201}, "#/title"),
        ({"title": "x", "description": "x" * 10_001}, "#/description"),
        ({"title": "x", "tags": ["unknown"]}, "#/tags"),
        ({"title": "x", "assignee": "demo-ren"}, "#/assignee"),
        ({"title": "x", "status": "later"}, "#/status"),
        ({"title": "x", "colour": "red"}, "#/colour"),
        ({}, "#/title"),
    ],
)
@pytest.mark.parametrize("language", ["ja", "en"])
async def test_bad_input_is_refused_in_words_and_nothing_changes(
    client: Client, body: dict[str, Any], pointer: str, language: str
) -> None:
    client.language = language
    team = await _team(client)
    reply = await client.json("POST", f"{team}/tasks", body)
    assert reply.status == 422
    assert reply.header("content-type") == "application/problem+json"
    (error,) = reply.json()["errors"]
    assert error["pointer"] == pointer
    assert error["detail"].isascii() == (language == "en")
    everything = await client.json("GET", f"{team}/tasks?status=todo&status=doing&status=done")
    assert everything.json()["items"] == []


async def test_lists_are_filtered_and_paged(client: Client) -> None:
    team = await _team(client)
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
    team = await _team(client)
    ids = [(await client.json("POST", f"{team}/tasks", {"title": t})).json()["id"] for t in "ab"]
    reply = await client.json("POST", f"{team}/bulk", {"tasks": [*ids, "none"], "change": {"status": "done"}})
    assert reply.json() == {"changed": 2, "refused": {"none": "no-such-task"}}


async def test_without_the_token_nothing_is_changed(client: Client) -> None:
    team = await _team(client)
    for token in ("", "0" * 64):
        reply = await client.json("POST", f"{team}/tasks", {"title": "x"}, token=token)
        assert (reply.status, reply.json()["code"]) == (403, "csrf")
    assert (await client.json("GET", f"{team}/totals")).json()["todo"] == 0


async def test_a_personal_token_is_enough_for_a_program(client: Client) -> None:
    team = await _team(client)
    program = client.another()
    program.bearer = await client.shell.accounts.make_token("demo-aoi", "script")
    assert (await program.json("POST", f"{team}/tasks", {"title": "自動"})).status == 201
    program.bearer = "sekkei_demo-aoi.0000000000000000000000000000"
    assert (await program.json("GET", "/tasks/api/teams")).status == 401


async def test_invitations_by_api(client: Client) -> None:
    team = await _team(client)
    assert (await client.json("POST", f"{team}/invitations", {"email": "no address"})).status == 422
    assert (await client.json("POST", f"{team}/invitations", {"email": "ren@demo.example"})).status == 201
    again = await client.json("POST", f"{team}/invitations", {"email": "REN@demo.example"})
    assert (again.status, again.json()["code"]) == (409, "already-invited")
    service = client.shell.deployment.systems["tasks"].parts.service
    team_id = team.rpartition("/")[2]
    (listed,) = await service.invitations.open("demo-aoi", team_id)
    path = f"/tasks/api/invitations/{team_id}/{listed.invitation.invite_id}/accept"
    token = {"token": service.invitations.token_of(listed.invitation)}
    assert (await client.json("POST", path, token)).json()["code"] == "not-your-mail"
    ren = client.another()
    await ren.sign_in("demo-ren")
    assert (await ren.json("POST", path, {"token": "forged"})).status == 410
    assert (await ren.json("POST", path, token)).json() == {"team": team_id}
    assert [one["id"] for one in (await ren.json("GET", f"{team}/members")).json()["items"]] == ["demo-aoi", "demo-ren"]


async def test_nobody_is_flooded_with_invitations() -> None:
    async with opened(SYSTEM, clock=ManualClock(), settings=test_settings(values={"rate_limit": "on"})) as client:
        await client.sign_in("demo-aoi")
        team = await _team(client)
        token = await client.token()
        invitations = f"{team}/invitations"
        made = await client.json("POST", invitations, {"email": "x@example.com"}, token=token)
        again = f"{invitations}/{made.json()['id']}/again"
        statuses = [(await client.json("POST", again, token=token)).status for _ in range(100)]
        assert statuses == [200] * 99 + [429]
        page = again.replace("/api", "")
        assert (await client.post(page, token=token)).status == 429
