"""An invitation's link."""

from __future__ import annotations

from urllib.parse import quote

from sekkei.web.testing import Client
from tests.systems.tasks.pages.site import new_team, service_of


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
