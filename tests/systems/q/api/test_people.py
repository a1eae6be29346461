"""Other people over the API."""

from __future__ import annotations

from sekkei.web.testing import Client, opened, test_settings
from sekkei_systems.q.api.people import FOLLOWS
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
