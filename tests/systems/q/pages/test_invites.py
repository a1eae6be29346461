"""Where a link that invites leads."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.q.conftest import World


async def test_strangers_see_who_invites_and_go_on_there_after_signing_in(site: tuple[Client, World]) -> None:
    client, world = site
    await world.join("host")
    token, _ = await world.service.invites.make("host")
    page = await client.get(f"/q/i/{token}")
    assert page.status == 200
    assert "HostさんがQ.に招待しています" in page.text
    assert f"/sign-in?next=%2Fq%2F%23%2Finvite%2F{token}" in page.text
    english = await client.get(f"/q/i/{token}", headers={"Accept-Language": "en"})
    assert "Host invites you to Q." in english.text


async def test_a_link_that_is_over_still_welcomes(site: tuple[Client, World]) -> None:
    client, _ = site
    for token in ("0" * 32, "<script>"):
        page = await client.get(f"/q/i/{token}")
        assert page.status == 200
        assert "招待がなくても参加できます" in page.text
        assert "<script>" not in page.text.replace('<script type="module"', "")


async def test_members_go_inside(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi")
    reply = await client.get(f"/q/i/{'0' * 32}")
    assert (reply.status, reply.location) == (303, f"/q/#/invite/{'0' * 32}")
