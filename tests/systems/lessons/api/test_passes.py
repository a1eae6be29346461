from __future__ import annotations

from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.web.testing import Client

API = "/lessons/api"
MEI = next(person.email for person in DEMO_PEOPLE if person.id == "demo-mei")


async def test_rules_and_passes_by_the_api(api_client: Client) -> None:
    mei = api_client.another()
    await mei.sign_in("demo-mei")
    rules = {"needsPass": True, "perWeek": 2, "fairness": "first-in-line", "minutes": {"hold": 15}}
    assert (await mei.json("PUT", f"{API}/studios/gnz/rules", rules)).status == 403
    saved = (await api_client.json("PUT", f"{API}/studios/gnz/rules", rules)).json()
    assert saved["perWeek"] == 2
    read = (await mei.json("GET", f"{API}/studios/gnz/rules")).json()
    assert read["minutes"] == {"hold": 15}
    assert (
        "You need a membership or a ticket to book."
        in (await api_client.json("GET", f"{API}/studios/gnz/rules")).json()["sentences"]
    )
    given = {"email": MEI, "name": "4", "validFrom": "2025-07-01", "validUntil": "2025-08-31", "tickets": 4}
    assert (await mei.json("POST", f"{API}/studios/gnz/passes", given)).status == 403
    assert (await api_client.json("POST", f"{API}/studios/gnz/passes", given)).status == 201
    mine = (await mei.json("GET", f"{API}/me/passes")).json()["items"]
    assert [(one["type"], one["ticketsLeft"]) for one in mine] == [("tickets", 4)]
    for wrong in ({**rules, "minutes": {"x": 1}}, {**rules, "perWeek": -1}, {**rules, "fairness": "dice"}):
        assert (await api_client.json("PUT", f"{API}/studios/gnz/rules", wrong)).status == 422
