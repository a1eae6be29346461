"""One's own account over the API."""

from __future__ import annotations

from sekkei.web.middleware import SESSION_COOKIE
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


async def test_a_page_that_somebody_else_opened_does_nothing_for_whoever_is_signed_in_now(
    site: tuple[Client, World],
) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi")
    mine, others = {"X-Account": "demo-aoi"}, {"X-Account": "demo-ren"}
    assert (await client.json("GET", "/q/api/me", headers=mine)).status == 200
    for method, path, body in (("GET", "/q/api/me", None), ("PATCH", "/q/api/me", {"bio": "x"})):
        reply = await client.json(method, path, body, headers=others)
        assert (reply.status, reply.json()["code"]) == (403, "other-account")
    assert (await world.user("demo-aoi")).bio is None
    page = await client.get("/q/")
    assert page.header("x-account") == "demo-aoi"


async def test_too_young_is_too_young_with_the_next_day_of_birth_too(site: tuple[Client, World]) -> None:
    client, _ = site
    await client.sign_in("demo-aoi")
    for born in ("2013-11-07", "2001-01-01"):
        reply = await client.json("POST", "/q/api/me", {"birthDate": born})
        assert (reply.status, reply.json()["code"]) == (403, "too-young")


async def test_the_mail_address_is_not_offered_as_a_name(site: tuple[Client, World]) -> None:
    """An account without a name has the part before the @; joining must not publish it."""
    client, _ = site
    account = await client.shell.accounts.create("secret.person@example.com", "secret.person")
    client.cookies[SESSION_COOKIE] = await client.shell.accounts.begin_session(account, "browser")
    page = await client.get("/q/")
    assert 'data-name=""' in page.text
    assert "secret.person" not in page.text
