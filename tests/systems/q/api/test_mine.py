"""One's own account over the API."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.q.conftest import World


async def test_join_choose_an_id_and_change_the_profile(site: tuple[Client, World]) -> None:
    client, _ = site
    await client.sign_in("demo-aoi")
    assert (await client.json("GET", "/q/api/me")).json()["code"] == "not-joined"
    joined = await client.json("POST", "/q/api/me", {"birthDate": "2000-04-01", "displayName": "Aoi"})
    assert (joined.status, joined.json()["appId"]) == (201, None)
    assert (await client.json("PUT", "/q/api/me/app-id", {"appId": "aoi_01"})).json()["appId"] == "aoi_01"
    assert (joined.json()["answersFirst"], joined.json()["answersFirstFixed"]) == (True, True)
    assert (await client.json("PATCH", "/q/api/me", {"answersFirst": False})).json()["answersFirst"]
    changed = await client.json("PATCH", "/q/api/me", {"bio": "よろしく", "isPrivate": True})
    assert (changed.json()["bio"], changed.json()["isPrivate"], changed.json()["displayName"]) == (
        "よろしく",
        True,
        "Aoi",
    )


async def test_leaving_is_told_with_its_day_and_can_be_taken_back(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi")
    reply = await client.json("POST", "/q/api/me/withdrawal", {})
    assert (reply.status, reply.json()["deletedAt"][:10]) == (202, "2025-11-13")
    assert (await client.json("GET", "/q/api/today")).json()["code"] == "leaving"
    assert (await client.json("DELETE", "/q/api/me/withdrawal")).json()["deletingAt"] is None
