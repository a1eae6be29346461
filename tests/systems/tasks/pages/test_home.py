"""My work and my teams."""

from __future__ import annotations

import re
from urllib.parse import quote

from sekkei.web.testing import Client
from tests.systems.tasks.pages.site import new_task, new_team, service_of


async def test_my_work_and_my_teams(client: Client) -> None:
    assert "まだチームがありません" in (await client.get("/tasks/")).text
    team = await new_team(client)
    await new_task(client, team, title="私の仕事", assignee="demo-aoi")
    shown = (await client.get("/tasks/")).text
    assert "私の仕事" in shown
    assert "残り1件" in shown


async def test_a_team_without_a_name_is_refused_and_what_was_typed_stays(client: Client) -> None:
    reply = await client.post("/tasks/teams", {"name": "", "description": "残る説明"})
    assert reply.status == 422
    assert "残る説明" in reply.text
    assert "まだチームがありません" in (await client.get("/tasks/")).text


# Notes, and the morning's mail.


async def test_the_mornings_mail_is_chosen_and_stopped_by_its_link(client: Client) -> None:
    await client.post("/tasks/digest", {"wanted": "true"})
    assert (await service_of(client).people.get("demo-aoi")).digest
    await client.post("/tasks/digest", {})
    assert not (await service_of(client).people.get("demo-aoi")).digest


async def test_all_notes_are_read_at_once(client: Client) -> None:
    made = await client.post("/tasks/teams", {"name": "通知"})
    team = made.location
    await client.post(f"{team}/invitations", {"email": "ren@demo.example"})
    (listed,) = await service_of(client).invitations.open(
        await service_of(client).access.admin("demo-aoi", team.rpartition("/")[2])
    )
    token = service_of(client).invitations.token_of(listed.invitation)
    ren = client.another()
    await ren.sign_in("demo-ren")
    await ren.post(f"/tasks/invitations/{team.rpartition('/')[2]}/{listed.invitation.invite_id}", {"token": token})
    await client.post(f"{team}/tasks", {"title": "蓮への仕事", "assignee": "demo-ren"})
    await client.work()
    shown = (await ren.get("/tasks/notes")).text
    assert "蓮への仕事" in shown
    assert re.search(r'class="[^"]*\bunread\b', shown)
    await ren.post("/tasks/notes/read")
    assert not re.search(r'class="[^"]*note unread', (await ren.get("/tasks/notes")).text)


# An invitation's link.


async def test_an_invitation_from_mail_to_membership(client: Client) -> None:
    team = await new_team(client)
    await client.post(f"{team}/invitations", {"email": "ren@demo.example"})
    await client.work()
    team_id = team.rpartition("/")[2]
    (listed,) = await service_of(client).invitations.open(await service_of(client).access.admin("demo-aoi", team_id))
    token = service_of(client).invitations.token_of(listed.invitation)
    path = f"/tasks/invitations/{team_id}/{listed.invitation.invite_id}"
    ren = client.another()
    anonymous = await ren.get(f"{path}?token={token}")
    assert "サインインして参加する" in anonymous.text
    assert anonymous.header("referrer-policy") == "same-origin", "the address is a secret"
    assert (await ren.get(f"{path}?token=forged")).status == 410
    another = (await client.get(f"{path}?token={token}")).text
    assert "ren@demo.example" in another
    assert f"/sign-in?next={quote(path, safe='')}%3Ftoken%3D{token}" in another
    assert "招待された宛先でサインインする" in another
    assert (await client.post(path, {"token": token})).status == 403
    shown = await ren.get(f"/sign-in?next={quote(path)}&email=ren%40demo.example")
    assert 'value="ren@demo.example"' in shown.text, "the address that was invited is filled in"
    assert 'value="ren@demo.example"' in (await client.get("/sign-in?email=ren%40demo.example")).text
    assert "email=ren%40demo.example" in anonymous.text
    await ren.sign_in("demo-ren")
    assert (await ren.post(path, {"token": token})).location == team
    assert (await ren.post(path, {"token": token})).location == team
    assert "鈴木 蓮" in (await client.get(f"{team}/settings")).text
