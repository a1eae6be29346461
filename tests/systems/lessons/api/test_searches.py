"""Saved searches, by the API."""

from __future__ import annotations

from sekkei.web.testing import Client
from sekkei_systems.lessons.design import contact

API = "/lessons/api/me/searches"


async def test_a_search_is_saved_listed_and_deleted(client: Client) -> None:
    wish = {"studio": "gnz", "instructor": "YUKI", "weekdays": [4, 0], "timeFrom": "18:00"}
    made = (await client.json("POST", API, wish)).json()
    assert (made["weekdays"], made["timeFrom"], made["program"]) == ([0, 4], "18:00", None)
    assert (await client.json("GET", API)).json() == {"items": [made]}
    mei = client.another()
    await mei.sign_in("demo-mei")
    assert (await mei.json("DELETE", f"{API}/{made['id']}")).status == 404, "somebody else's"
    assert (await client.json("DELETE", f"{API}/{made['id']}")).status == 204
    assert (await client.json("GET", API)).json() == {"items": []}


async def test_whoever_only_searches_is_told_too(client: Client) -> None:
    """They have an address: that of their account, as if they had waited for something."""
    someone = client.another()
    user = await someone.sign_in_by_email("only-searches@example.com", "探す人")
    assert (await someone.json("POST", API, {"instructor": "YUKI"})).status == 201
    kept = await client.shell.deployment.systems["lessons"].context.db.get(contact(user).consistent())
    assert kept is not None
    assert (kept.name, kept.email) == ("探す人", "only-searches@example.com")


async def test_what_is_no_search(client: Client) -> None:
    for wrong in ({}, {"studio": "nowhere"}, {"instructor": "Y", "timeFrom": "19:00", "timeUntil": "18:00"}):
        assert (await client.json("POST", API, wrong)).status in (404, 422), wrong
    assert (await client.json("GET", API)).json() == {"items": []}
