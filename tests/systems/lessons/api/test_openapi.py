from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from sekkei.clock import ManualClock
from sekkei_systems import days
from sekkei_systems.lessons.system import SYSTEM
from tests.browser import Serve
from tests.systems.lessons.world import NOON
from tests.web.described import Known, ask_everything

API = "/lessons/api"


EVERY = {"weekday": "3", "start": "08:30"}
WEEKLY = {"name": "Yoga", "instructor": "Saki"}
HOUSE = {"name": "House", "instructor": "YUKI", "capacity": 2}


@pytest.mark.parametrize("person", ["demo-aoi", None])
async def test_every_route_answers_as_it_is_described(serve: Serve, person: str | None) -> None:
    clock = ManualClock(NOON)
    site = await serve(SYSTEM, clock=clock)
    day = f"{days.today(clock) + timedelta(days=2)}"
    lesson = f"gnz/{day}/19:30"
    await site.client.sign_in("demo-aoi")
    assert (await site.client.json("POST", f"{API}/lessons/{lesson}", HOUSE)).status == 201
    token = await site.client.shell.accounts.make_token(person, "test") if person else None
    known = Known(
        path={"lesson": lesson, "studio": "gnz", "channel": "mail", "user_id": "demo-aoi", **EVERY, "day": day}
        | {"email": "desk@example.com"},
        body={
            f"POST {API}/me/bookings": {"lesson": lesson},
            f"POST {API}/me/waitlist": {"lesson": lesson},
            f"POST {API}/me/searches": {"instructor": "YUKI"},
            f"POST {API}/me/addresses": {"channel": "mail", "address": "new@example.com"},
            f"PUT {API}/me/preferences": {"name": "葵", "channels": ["mail"]},
            f"PUT {API}/lessons/{{lesson}}": HOUSE,
            f"PUT {API}/studios/{{studio}}/rules": {},
            f"PUT {API}/studios/{{studio}}/staff": {"email": "desk@example.com"},
            f"PUT {API}/studios/{{studio}}/connection": {},
            f"PUT {API}/studios/{{studio}}/weekly/{{weekday}}/{{start}}": {**WEEKLY, "firstDay": day},
            f"POST {API}/desk/{{lesson}}/places": {"name": "Walk In"},
            f"POST {API}/desk/{{lesson}}/move": {"to": f"gnz/{day}/21:00"},
        },
        query={f"GET {API}/{name}": {"from": day, "to": day} for name in ("studios/{studio}/lessons", "desk/{studio}")},
        last=(
            f"PUT {API}/studios/{{studio}}/connection",  # chance may send people elsewhere
            f"PUT {API}/studios/{{studio}}/rules",  # chance may ask for a pass
            f"PUT {API}/lessons/{{lesson}}",  # chance may close it
            f"DELETE {API}/me/bookings/{{lesson}}",
            f"DELETE {API}/desk/{{user_id}}/{{lesson}}",
            f"DELETE {API}/studios/{{studio}}/weekly/{{weekday}}/{{start}}",
            f"DELETE {API}/lessons/{{lesson}}",
            f"POST {API}/desk/{{lesson}}/move",  # after it was called off
        ),
    )
    answered = await asyncio.to_thread(ask_everything, site.url, "/lessons/openapi.json", token, known)
    assert len(answered) == 54
    if person is None:
        refused = {name for name, statuses in answered.items() if statuses <= {401, 403}}
        assert set(answered) - refused <= {f"GET {API}/me/calendar.ics", f"POST {API}/lessons/{{lesson}}/availability"}
        return
    good = {name for name, statuses in answered.items() if any(one < 300 for one in statuses)}
    assert set(answered) - good <= {
        # What only a secret, a code, or an id that nobody can guess would open.
        f"GET {API}/me/calendar.ics",
        f"POST {API}/lessons/{{lesson}}/availability",
        f"POST {API}/me/addresses/{{channel}}/proof",
        f"GET {API}/me/waitlist/{{waitlist_id}}",
        f"GET {API}/me/bookings/{{reservation_id}}",
        f"DELETE {API}/me/searches/{{search_id}}",
        # What needs a full lesson, a free slot or one that begins.
        f"POST {API}/me/waitlist",
        f"PUT {API}/me/waitlist/{{lesson}}",
        f"DELETE {API}/me/waitlist/{{lesson}}",
        f"POST {API}/lessons/{{lesson}}",
        f"PUT {API}/roll/{{user_id}}/{{lesson}}",
        f"POST {API}/desk/{{lesson}}/move",
        f"POST {API}/desk/{{lesson}}/acts/{{act_id}}/undo",
        f"DELETE {API}/desk/{{user_id}}/{{lesson}}",
        f"POST {API}/desk/{{lesson}}/places",
        f"POST {API}/studios/{{studio}}/passes",
    }
