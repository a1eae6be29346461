"""Finding each other over the API."""

from __future__ import annotations

from sekkei.web.testing import Client
from sekkei_systems.q.service.finding import hashed
from tests.systems.q.conftest import World


async def test_from_a_link_to_friends(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi", "host", "far")
    await world.follow(("host", "far"))
    token, _ = await world.service.invites.make("host")
    shown = await client.json("GET", f"/q/api/invites/{token}")
    assert (shown.json()["displayName"], shown.json()["relation"]["follows"]) == ("Host", False)
    assert (await client.json("POST", f"/q/api/invites/{token}")).json() == {"outcome": "following"}
    suggested = (await client.json("GET", "/q/api/me/suggestions")).json()
    assert [(one["person"]["userId"], one["through"]) for one in suggested] == [("far", 1)]


async def test_ones_own_links(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi")
    made = (await client.json("POST", "/q/api/me/invites")).json()
    assert "/q/i/" in made["url"]
    (listed,) = (await client.json("GET", "/q/api/me/invites")).json()
    assert (listed["inviteId"], listed["usesLeft"], listed["url"]) == (made["inviteId"], 20, None)
    assert (await client.json("DELETE", f"/q/api/me/invites/{made['inviteId']}")).status == 204
    assert (await client.json("GET", "/q/api/me/invites")).json() == []


async def test_addresses_are_hashes(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi", "b")
    await world.service.contacts.be_findable("b", True)
    asked = {"hashes": [hashed("b@example.com")]}
    assert (await client.json("POST", "/q/api/me/contacts", asked)).json()["code"] == "findable-needed"
    assert (await client.json("PUT", "/q/api/me/findable", {"findable": True})).status == 204
    assert (await client.json("GET", "/q/api/me")).json()["findable"] is True
    found = (await client.json("POST", "/q/api/me/contacts", asked)).json()
    assert [one["userId"] for one in found] == ["b"]
    for wrong in ([], ["b@example.com"], [hashed("b@example.com")] * 51):
        assert (await client.json("POST", "/q/api/me/contacts", {"hashes": wrong})).status == 422
