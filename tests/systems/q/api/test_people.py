"""Other people over the API."""

from __future__ import annotations

from sekkei.web.testing import Client, opened, test_settings
from sekkei_systems.q.api.people import FOLLOWS
from sekkei_systems.q.service.finding import hashed
from sekkei_systems.q.service.people import Profile
from sekkei_systems.q.system import SYSTEM
from tests.systems.q.conftest import World


async def test_find_follow_and_stop(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi", "mei")
    found = (await client.json("GET", "/q/api/users?appId=@mei_id")).json()
    assert (found["userId"], found["relation"]["follows"]) == ("mei", False)
    assert (await client.json("PUT", "/q/api/users/mei/follow", {})).json() == {"outcome": "following"}
    assert [one["userId"] for one in (await client.json("GET", "/q/api/users/mei/followers")).json()["items"]] == [
        "demo-aoi"
    ]
    assert (await client.json("DELETE", "/q/api/users/mei/follow")).status == 204
    assert (await client.json("DELETE", "/q/api/users/mei/follow")).json()["code"] == "not-following"


async def test_a_private_account_shows_that_one_has_asked(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi", "mei")
    await world.service.people.change("mei", Profile(is_private=True))
    assert (await client.json("PUT", "/q/api/users/mei/follow", {})).json() == {"outcome": "requested"}
    assert (await client.json("GET", "/q/api/users/mei")).json()["relation"]["requested"]


async def test_follows_have_a_limit_of_their_own() -> None:
    async with opened(SYSTEM, settings=test_settings(values={"rate_limit": "on"})) as client:
        system = client.shell.deployment.systems["q"]
        world = World(client.shell.deployment, system, client.shell.clock, system.parts.service)  # type: ignore[arg-type]
        await client.sign_in("demo-aoi")
        await world.join("demo-aoi", "mei")
        statuses = []
        for _ in range(int(FOLLOWS.burst) + 1):
            statuses.append((await client.json("PUT", "/q/api/users/mei/follow", {})).status)
        assert (statuses[0], statuses[-1]) == (200, 429)
        assert set(statuses[1:-1]) == {409}
        assert (await client.json("DELETE", "/q/api/users/mei/follow")).status == 204  # ending one is never too much


# Finding each other over the API.


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
