from __future__ import annotations

from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.web.testing import Client

STUDIO = "/lessons/api/studios/gnz"
MEI = next(person.email for person in DEMO_PEOPLE if person.id == "demo-mei")
AOI = DEMO_PEOPLE[0].email


async def test_staff_by_the_api(api_client: Client) -> None:
    mei = api_client.another()
    await mei.sign_in("demo-mei")
    assert (await mei.json("GET", f"{STUDIO}/staff")).status == 403
    assert (await api_client.json("PUT", f"{STUDIO}/staff", {"email": MEI, "role": "desk"})).json()["role"] == "desk"
    assert [one["email"] for one in (await api_client.json("GET", f"{STUDIO}/staff")).json()["items"]] == [MEI]
    assert (await mei.json("PUT", f"{STUDIO}/staff", {"email": MEI, "role": "manager"})).status == 403, "not by herself"
    assert (await api_client.json("PUT", f"{STUDIO}/staff", {"email": MEI, "role": "owner"})).status == 422
    assert (await api_client.json("PUT", f"{STUDIO}/staff", {"email": MEI, "role": "manager"})).status == 200
    assert (await mei.json("GET", f"{STUDIO}/staff")).status == 200
    assert (await mei.json("DELETE", f"{STUDIO}/staff/{MEI}")).status == 409, "not oneself"
    assert (await api_client.json("DELETE", f"{STUDIO}/staff/{MEI}")).status == 204
    assert (await mei.json("GET", f"{STUDIO}/staff")).status == 403


async def test_the_connection_by_the_api(api_client: Client) -> None:
    url = f"{STUDIO}/connection"
    assert (await api_client.json("GET", url)).json() == {"isOwn": False} | _NONE
    given = {"bookingUrl": "https://studio.example", "token": "s3cret"}
    saved = await api_client.json("PUT", url, given)
    assert saved.json() == {**_NONE, "isOwn": True, "bookingUrl": "https://studio.example", "hasToken": True}
    assert "s3cret" not in saved.text
    assert (await api_client.json("PUT", url, {"feedUrl": "x"})).status == 422
    assert (await api_client.json("DELETE", url)).status == 204
    assert (await api_client.json("GET", url)).json()["isOwn"] is False


_NONE = {"feedUrl": None, "bookingUrl": None, "bookingPage": None, "hasToken": False}
