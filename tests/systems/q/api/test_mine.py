"""One's own account over the API."""

from __future__ import annotations

import json
import re
from typing import Any

from sekkei.runtime.design import newest_messages
from sekkei.web.middleware import SESSION_COOKIE
from sekkei.web.testing import Client
from sekkei_systems.q import design
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


# Signing in without a browser.


async def test_from_a_mailed_code_to_an_answer(site: tuple[Client, World]) -> None:
    client, world = site
    app = client.another()
    asked = await app.request(
        "POST",
        "/q/api/sign-in/code",
        json.dumps({"email": "new@example.com", "name": "新人"}).encode(),
        {"Content-Type": "application/json"},
    )
    assert asked.status == 201
    mail = (await world.deployment.runtime.all(newest_messages()))[0]
    found = re.search(r"\d{6}", mail.body["subject"] + mail.body["text"])
    assert found is not None
    body = {"challenge": asked.json()["challenge"], "code": found[0]}
    signed = await app.request(
        "POST", "/q/api/sign-in", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    assert (signed.status, signed.json()["hasJoined"]) == (200, False)
    app.bearer = signed.json()["accessToken"]
    assert (await app.json("GET", "/q/api/me")).json()["code"] == "not-joined"
    joined = await app.json("POST", "/q/api/me", {"birthDate": "2001-01-01"})
    assert joined.status == 201
    assert joined.json()["displayName"] is None  # an account's name may be half a mail address; it is not shown unasked
    await world.ask("好きな色は？")
    assert (await app.json("POST", "/q/api/answers", {"text": "青"})).json()["code"] == "app-id-needed"
    assert (await app.json("PUT", "/q/api/me/app-id", {"appId": "Shinjin"})).json()["errors"][0]["pointer"] == "#/appId"
    assert (await app.json("PUT", "/q/api/me/app-id", {"appId": "shinjin"})).status == 200
    today = await app.json("GET", "/q/api/today")
    assert (today.json()["question"]["text"], today.json()["answer"]) == ("好きな色は？", None)
    tag = today.header("etag") or ""
    assert (await app.json("GET", "/q/api/today", headers={"If-None-Match": tag})).status == 304
    assert (await app.json("POST", "/q/api/answers", {"text": "青"})).json()["isOnTime"]
    assert (await app.json("GET", "/q/api/today", headers={"If-None-Match": tag})).status == 200
    assert (await app.json("POST", "/q/api/answers", {"text": "赤"})).status == 409
    timeline = (await app.json("GET", "/q/api/timeline")).json()
    assert [one["answer"]["text"] for one in timeline["items"]] == ["青"]
    assert (await app.json("DELETE", "/q/api/sign-in")).status == 204
    assert (await app.json("GET", "/q/api/me")).status == 401


async def signed_in(client: Client, email: str = "many@example.com") -> dict[str, Any]:
    challenge, code = await client.shell.accounts.challenge(email)
    reply = await client.json("POST", "/q/api/sign-in", {"challenge": challenge, "code": code})
    found: dict[str, Any] = reply.json()
    return found


async def test_a_password_is_another_way_in(site: tuple[Client, World]) -> None:
    client, _ = site
    account = await client.shell.accounts.create("many@example.com", "Many")
    await client.shell.accounts.set_password(account.id, "correct horse")
    given = {"email": "Many@example.com", "password": "wrong horse"}
    assert (await client.json("POST", "/q/api/sign-in/password", given)).json()["code"] == "wrong-password"
    reply = await client.json("POST", "/q/api/sign-in/password", {**given, "password": "correct horse"})
    app = client.another()
    app.bearer = reply.json()["accessToken"]
    assert (await app.json("GET", "/q/api/me")).json()["code"] == "not-joined"


async def test_tokens_are_renewed_and_a_ban_ends_them(site: tuple[Client, World]) -> None:
    client, world = site
    await world.join("boss")
    await world.make_admin("boss")
    first = await signed_in(client)
    who = first["userId"]
    app = client.another()
    app.bearer = first["accessToken"]
    assert (await app.json("POST", "/q/api/me", {"birthDate": "2001-01-01"})).status == 201
    again = await client.json("POST", "/q/api/sign-in/refresh", {"refreshToken": first["refreshToken"]})
    assert (again.json()["userId"], again.json()["hasJoined"], again.json()["expiresIn"]) == (who, True, 900)
    app.bearer = again.json()["accessToken"]
    assert (await app.json("GET", "/q/api/me")).status == 200
    await world.ban(who)
    assert (await app.json("GET", "/q/api/me")).status == 401
    refused = await client.json("POST", "/q/api/sign-in/refresh", {"refreshToken": again.json()["refreshToken"]})
    assert (refused.status, refused.json()["code"]) == (401, "bad-refresh")
    challenge, code = await client.shell.accounts.challenge("many@example.com")
    refused = await client.json("POST", "/q/api/sign-in", {"challenge": challenge, "code": code})
    assert (refused.status, refused.json()["code"]) == (403, "banned")
    await world.unban(who)
    app.bearer = (await signed_in(client))["accessToken"]
    assert (await app.json("GET", "/q/api/me")).status == 200


async def test_a_stale_token_in_the_header_breaks_neither_sign_in_nor_refresh(site: tuple[Client, World]) -> None:
    client, _ = site
    for stale in ("sekkei_gone", "ey.no.token"):
        app = client.another()
        app.bearer = stale
        tokens = await signed_in(app, f"{stale[:2]}@example.com")
        reply = await app.json("POST", "/q/api/sign-in/refresh", {"refreshToken": tokens["refreshToken"]})
        assert reply.status == 200
        assert (await app.json("POST", "/q/api/sign-in/code", {"email": "x@example.com"})).status == 201
        assert (await app.json("GET", "/q/api/me")).status == 401  # everywhere else it is no good


async def test_a_phone_is_tied_to_the_sign_in_and_goes_with_whoever_signs_in_next(site: tuple[Client, World]) -> None:
    """Though the last one never signed out there, and the next one wants no pushes."""
    client, world = site
    await world.join("demo-aoi")
    phone = {"token": "ExponentPushToken[phone]", "deviceType": "ios"}
    account = await client.shell.accounts.create("demo-aoi@example.com", "Aoi", id="demo-aoi")
    app, next_one = client.another(), client.another()
    app.bearer = (await client.shell.apps.begin(account, "q")).access
    assert (await app.json("PUT", "/q/api/me/devices", phone)).status == 204
    (kept,) = await world.db.all(design.tokens_of("demo-aoi").consistent())
    (signed,) = await client.shell.apps.of("demo-aoi")
    assert kept.session == f"app/{signed.id}"
    assert await client.shell.accounts.has_session("demo-aoi", kept.session)
    challenge, code = await client.shell.accounts.challenge("next@example.com")
    given = {"challenge": challenge, "code": code, "deviceToken": phone["token"]}
    assert (await next_one.json("POST", "/q/api/sign-in", given)).status == 200
    assert await world.db.all(design.tokens_of("demo-aoi").consistent()) == []
    assert (await app.json("GET", "/q/api/me")).status == 200
