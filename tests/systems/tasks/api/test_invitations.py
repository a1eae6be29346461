"""Invitations by the API."""

from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei.web.testing import Client, opened, test_settings
from sekkei_systems.tasks.system import SYSTEM
from tests.systems.tasks.api.program import new_team


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
