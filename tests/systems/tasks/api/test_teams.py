"""Teams by the API."""

from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei.web.testing import Client, opened, test_settings
from sekkei_systems.tasks.system import SYSTEM
from tests.systems.tasks.api.program import new_task, new_team


async def test_a_team_from_beginning_to_end(client: Client) -> None:
    team = await new_team(client)
    assert [one["name"] for one in (await client.json("GET", "/tasks/api/teams")).json()["items"]] == ["API"]
    renamed = await client.json("PUT", team, {"name": "新しい名", "description": "説明"})
    assert (renamed.json()["name"], renamed.json()["description"]) == ("新しい名", "説明")
    await new_task(client, team, status="doing")
    assert (await client.json("GET", f"{team}/totals")).json()["doing"] == 1
    assert [one["doing"] for one in (await client.json("GET", f"{team}/days")).json()["items"]] == [1]
    assert (await client.json("DELETE", team)).status == 204
    assert (await client.json("GET", team)).status == 404


# Members by the API.


async def test_the_last_admin_stays(client: Client) -> None:
    team = await new_team(client)
    (me,) = (await client.json("GET", f"{team}/members")).json()["items"]
    assert (me["id"], me["role"]) == ("demo-aoi", "admin")
    for reply in (
        await client.json("PATCH", f"{team}/members/demo-aoi", {"role": "member"}),
        await client.json("DELETE", f"{team}/members/demo-aoi"),
    ):
        assert (reply.status, reply.json()["code"]) == (409, "last-admin")
    unknown = await client.json("DELETE", f"{team}/members/demo-ren")
    assert (unknown.status, unknown.json()["code"]) == (422, "no-such-member")


# Tags by the API.


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


# Invitations by the API.


async def test_invitations_by_api(client: Client) -> None:
    team = await new_team(client)
    assert (await client.json("POST", f"{team}/invitations", {"email": "no address"})).status == 422
    assert (await client.json("POST", f"{team}/invitations", {"email": "ren@demo.example"})).status == 201
    again = await client.json("POST", f"{team}/invitations", {"email": "REN@demo.example"})
    assert (again.status, again.json()["code"]) == (409, "already-invited")
    service = client.shell.deployment.systems["tasks"].parts.service
    team_id = team.rpartition("/")[2]
    (listed,) = await service.invitations.open(await service.access.admin("demo-aoi", team_id))
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
        team = await new_team(client)
        token = await client.token()
        invitations = f"{team}/invitations"
        made = await client.json("POST", invitations, {"email": "x@example.com"}, token=token)
        again = f"{invitations}/{made.json()['id']}/again"
        statuses = [(await client.json("POST", again, token=token)).status for _ in range(100)]
        assert statuses == [200] * 99 + [429]
        page = again.replace("/api", "")
        assert (await client.post(page, token=token)).status == 429


# My work and my notes, by the API.


async def test_my_work_is_what_is_mine_and_open(client: Client) -> None:
    team = await new_team(client)
    mine = await new_task(client, team, assignee="demo-aoi")
    await new_task(client, team)
    await new_task(client, team, assignee="demo-aoi", status="done")
    work = (await client.json("GET", "/tasks/api/work")).json()["items"]
    assert [one["id"] for one in work] == [mine.rpartition("/")[2]]
    assert (await client.json("GET", "/tasks/api/notes")).json() == {"items": [], "cursor": None}
    assert (await client.json("POST", "/tasks/api/notes/read", {})).status == 204
