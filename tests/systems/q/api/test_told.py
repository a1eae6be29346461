"""Inbox and standing over the API, for whoever is locked out too."""

from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.q.conftest import World


async def test_whoever_is_banned_reads_why_and_appeals(site: tuple[Client, World]) -> None:
    client, world = site
    await world.join("demo-ren", "boss")
    await world.make_admin("boss")
    await world.ban("demo-ren", reason="荒らし行為")
    await client.sign_in("demo-ren")
    assert (await client.json("GET", "/q/api/today")).json()["code"] == "banned"
    standing = (await client.json("GET", "/q/api/me/standing")).json()
    (decision,) = standing["decisions"]
    assert (standing["isBanned"], decision["kind"], decision["reason"]) == (True, "ban", "荒らし行為")
    assert "decidedBy" not in decision  # who decided is the moderators' affair
    path = f"/q/api/me/standing/{decision['decisionId']}/appeal"
    reply = await client.json("POST", path, {"text": "人ちがいです"})
    assert (reply.status, reply.json()["appeal"], reply.json()["canAppeal"]) == (201, "open", False)
    assert (await client.json("POST", path, {"text": "もう一度"})).json()["code"] == "appealed-already"


async def test_the_inbox_in_the_readers_language(site: tuple[Client, World]) -> None:
    client, world = site
    await world.join("demo-ren", "b")
    await client.sign_in("demo-ren")
    await world.follow(("b", "demo-ren"))
    await world.settle()
    assert (await client.json("GET", "/q/api/me/inbox/unread")).json() == {"unread": 1}
    page = (await client.request("GET", "/q/api/me/inbox", headers={"Accept-Language": "en"})).json()
    (one,) = page["items"]
    assert (one["text"], one["url"], one["user"]["userId"]) == ("B followed you", "/q/#/u/b", "b")
    assert (await client.json("POST", "/q/api/me/inbox/read", {})).status == 204
    assert (await client.json("GET", "/q/api/me/inbox/unread")).json() == {"unread": 0}
