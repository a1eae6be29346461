"""How I am told, by the API."""

from __future__ import annotations

from sekkei.web.testing import Client

API = "/lessons/api/me"


async def test_preferences_are_kept_and_refused(client: Client) -> None:
    found = (await client.json("GET", f"{API}/preferences")).json()
    assert (found["channels"], found["addresses"]) == (["mail"], {"mail": "aoi@demo.example"})
    wanted = {"name": "葵", "channels": ["mail"], "muted": ["search"], "language": "en", "quietFrom": "22:00"}
    wanted |= {"quietUntil": "07:00"}
    assert (await client.json("PUT", f"{API}/preferences", wanted)).json() == {**found, **wanted}
    for wrong in ({"channels": ["line"]}, {"muted": ["everything"]}, {"quietFrom": "25:00"}, {"name": ""}):
        assert (await client.json("PUT", f"{API}/preferences", {**wanted, **wrong})).status == 422, wrong
    assert (await client.json("GET", f"{API}/preferences")).json() == {**found, **wanted}


async def test_an_address_that_is_forgotten_is_used_no_longer(client: Client) -> None:
    await client.json("GET", f"{API}/preferences")
    assert (await client.json("DELETE", f"{API}/addresses/mail")).status == 204
    found = (await client.json("GET", f"{API}/preferences")).json()
    assert (found["channels"], found["addresses"]) == ([], {})
    wrong = await client.json("POST", f"{API}/addresses/mail/proof", {"code": "000000"})
    assert wrong.json()["code"] == "code-over"
