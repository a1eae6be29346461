from __future__ import annotations

from sekkei.web.testing import Client
from tests.systems.lessons.world import LESSON
from tests.web.authorisation import Matrix, Rule, deviations, uncovered


def by(anonymous: int, person: int, staff: int) -> dict[str, int]:
    return {"anonymous": anonymous, "person": person, "staff": staff}


def matrix() -> Matrix:
    api, slot = "/lessons/api", "{lesson:path}"
    nobody = {"lesson": "gnz/2025-07-31/10:00"}
    lesson = {"lesson_date": "2025-08-01", "start_time": "10:00", "lesson_name": "x", "instructor": "y"}
    everybody = by(303, 303, 303)
    named, every = {"weekday": "4", "start_time": "10:30"}, {"name": "x", "instructor": "y", "firstDay": "2025-07-29"}
    given = {"email": "x@example.com", "name": "x", "valid_from": "2025-07-01", "valid_until": "2025-08-31"}
    pass_in = {"email": "x@example.com", "name": "x", "validFrom": "2025-07-01", "validUntil": "2025-08-31"}
    return {
        "GET /lessons/": Rule(by(303, 200, 200)),
        "GET /lessons/lessons/{slot:path}": Rule(by(303, 200, 200)),
        "POST /lessons/act/{action}/{slot:path}": Rule(everybody, form={}),
        "POST /lessons/notes/{slot:path}": Rule(everybody, form={"notes": "x"}),
        "POST /lessons/waiting/{slot:path}": Rule(everybody, form={}),
        "GET /lessons/mine": Rule(by(303, 200, 200)),
        "GET /lessons/history": Rule(by(303, 200, 200)),
        "GET /lessons/settings": Rule(by(303, 200, 200)),
        "POST /lessons/settings": Rule(everybody, form={"name": "x"}),
        "POST /lessons/settings/addresses": Rule(everybody, form={"channel": "mail", "address": "x@example.com"}),
        "POST /lessons/settings/proof": Rule(by(303, 422, 422), form={"channel": "mail", "code": "x"}),
        "POST /lessons/settings/line": Rule(by(303, 200, 200), form={}),
        "POST /lessons/settings/forget/{channel}": Rule(everybody, form={}),
        "POST /lessons/settings/calendar": Rule(everybody, form={}),
        "POST /lessons/settings/calendar/stop": Rule(everybody, form={}),
        "POST /lessons/settings/links": Rule(everybody, form={}),
        "GET /lessons/searches": Rule(by(303, 200, 200)),
        "POST /lessons/searches": Rule(everybody, form={"instructor": "x"}),
        "POST /lessons/searches/{search_id}/delete": Rule(by(303, 404, 404), form={}),
        "GET /lessons/offers/{token}": Rule(by(404, 404, 404)),
        "POST /lessons/offers/{token}": Rule(by(404, 404, 404), form={}),
        "POST /lessons/offers/{token}/cancel": Rule(by(404, 404, 404), form={}),
        "GET /lessons/desk/{code}": Rule(by(303, 403, 200)),
        "POST /lessons/desk/{code}": Rule(by(303, 403, 303), form=lesson),
        "POST /lessons/desk/{code}/file": Rule(by(303, 403, 303), form={}),
        "GET /lessons/desk/{code}/people/{slot:path}": Rule(by(303, 403, 200)),
        "POST /lessons/desk/{code}/people/{slot:path}": Rule(by(303, 403, 303), form=lesson),
        "POST /lessons/desk/{code}/attendance/{slot:path}": Rule(by(303, 403, 303), form={"user_id": "x"}),
        "POST /lessons/desk/{code}/book/{slot:path}": Rule(by(303, 403, 303), form={"user_id": "x"}),
        "POST /lessons/desk/{code}/cancel/{slot:path}": Rule(by(303, 403, 303), form={"user_id": "x"}),
        "POST /lessons/desk/{code}/seat/{slot:path}": Rule(by(303, 403, 303), form={"name": "x"}),
        "POST /lessons/desk/{code}/message/{slot:path}": Rule(by(303, 403, 303), form={"words": "x"}),
        "POST /lessons/desk/{code}/undo/{slot:path}": Rule(by(303, 403, 303), form={"act_id": "x"}),
        "POST /lessons/desk/{code}/move/{slot:path}": Rule(by(303, 403, 303), form=lesson),
        "POST /lessons/desk/{code}/off/{slot:path}": Rule(by(303, 403, 303), form={}),
        "GET /lessons/rules/{code}": Rule(by(303, 200, 200)),
        "GET /lessons/passes": Rule(by(303, 200, 200)),
        "GET /lessons/desk/{code}/rules": Rule(by(303, 403, 200)),
        "POST /lessons/desk/{code}/rules": Rule(by(303, 403, 303), form={}),
        "GET /lessons/desk/{code}/passes": Rule(by(303, 403, 200)),
        "POST /lessons/desk/{code}/passes": Rule(by(303, 403, 303), form=given),
        "POST /lessons/desk/{code}/passes/delete": Rule(by(303, 403, 303), form={"email": "x", "pass_id": "x"}),
        "GET /lessons/desk/{code}/weekly": Rule(by(303, 403, 200)),
        "POST /lessons/desk/{code}/weekly": Rule(by(303, 403, 422), form={}),
        "POST /lessons/desk/{code}/weekly/remove": Rule(by(303, 403, 303), form=named),
        "POST /lessons/desk/{code}/weekly/skip": Rule(by(303, 403, 303), form={**named, "day": "2025-08-01"}),
        "POST /lessons/desk/{code}/weekly/hold": Rule(by(303, 403, 303), form={**named, "day": "2025-08-01"}),
        "POST /lessons/desk/{code}/holidays": Rule(by(303, 403, 303), form={"day": "2025-08-01", "name": "x"}),
        "POST /lessons/desk/{code}/holidays/remove": Rule(by(303, 403, 303), form={"day": "2025-08-01"}),
        "GET /lessons/desk/{code}/connection": Rule(by(303, 403, 200)),
        "POST /lessons/desk/{code}/connection": Rule(by(303, 403, 303), form={"feed_url": ""}),
        "POST /lessons/desk/{code}/connection/forget": Rule(by(303, 403, 303), form={}),
        "GET /lessons/desk/{code}/staff": Rule(by(303, 403, 200)),
        "POST /lessons/desk/{code}/staff": Rule(by(303, 403, 303), form={"email": "x@example.com"}),
        "POST /lessons/desk/{code}/staff/remove": Rule(by(303, 403, 303), form={"email": "x@example.com"}),
        "POST /lessons/desk/{code}/secret": Rule(by(303, 403, 200), form={}),
        "POST /lessons/desk/{code}/secret/forget": Rule(by(303, 403, 303), form={}),
        "POST /lessons/line": Rule(by(401, 401, 401), json={}),
        f"GET {api}/studios": Rule(by(401, 200, 200)),
        f"GET {api}/studios/{{studio}}/lessons": Rule(by(401, 422, 422)),
        f"GET {api}/lessons/{slot}": Rule(by(401, 404, 404)),
        f"POST {api}/lessons/{slot}": Rule(by(401, 403, 201), json={"name": "x", "instructor": "y"}),
        f"PUT {api}/lessons/{slot}": Rule(by(401, 403, 200), json={"name": "x", "instructor": "y"}),
        f"PUT {api}/me/favorites/{slot}": Rule(by(401, 200, 200), json={}),
        f"DELETE {api}/me/favorites/{slot}": Rule(by(401, 204, 204)),
        f"DELETE {api}/lessons/{slot}": Rule(by(401, 403, 204)),
        f"POST {api}/lessons/{slot}/availability": Rule(by(401, 401, 401), json={}),
        f"GET {api}/desk/{{studio}}": Rule(by(401, 422, 422)),
        f"POST {api}/desk/{slot}/places": Rule(by(401, 403, 409), json={"name": "x"}),
        f"DELETE {api}/desk/{{user_id}}/{slot}": Rule(by(401, 403, 404)),
        f"POST {api}/desk/{slot}/move": Rule(by(401, 403, 409), json={"to": "gnz/2025-08-03/10:00"}),
        f"POST {api}/desk/{slot}/messages": Rule(by(401, 403, 200), json={"words": "x"}),
        f"GET {api}/desk/{slot}/acts": Rule(by(401, 403, 200)),
        f"POST {api}/desk/{slot}/acts/{{act_id}}/undo": Rule(by(401, 403, 404)),
        f"GET {api}/me/passes": Rule(by(401, 200, 200)),
        f"GET {api}/studios/{{studio}}/rules": Rule(by(401, 200, 200)),
        f"PUT {api}/studios/{{studio}}/rules": Rule(by(401, 403, 200), json={}),
        f"POST {api}/studios/{{studio}}/passes": Rule(by(401, 403, 422), json=pass_in),
        f"GET {api}/studios/{{studio}}/staff": Rule(by(401, 403, 200)),
        f"PUT {api}/studios/{{studio}}/staff": Rule(by(401, 403, 200), json={"email": "x@example.com"}),
        f"DELETE {api}/studios/{{studio}}/staff/{{email}}": Rule(by(401, 403, 204)),
        f"GET {api}/studios/{{studio}}/connection": Rule(by(401, 403, 200)),
        f"PUT {api}/studios/{{studio}}/connection": Rule(by(401, 403, 200), json={}),
        f"DELETE {api}/studios/{{studio}}/connection": Rule(by(401, 403, 204)),
        f"GET {api}/studios/{{studio}}/weekly": Rule(by(401, 403, 200)),
        f"PUT {api}/studios/{{studio}}/weekly/{{weekday}}/{{start}}": Rule(by(401, 403, 200), json=every),
        f"DELETE {api}/studios/{{studio}}/weekly/{{weekday}}/{{start}}": Rule(by(401, 403, 204)),
        f"PUT {api}/studios/{{studio}}/weekly/{{weekday}}/{{start}}/skipped/{{day}}": Rule(by(401, 403, 422)),
        f"DELETE {api}/studios/{{studio}}/weekly/{{weekday}}/{{start}}/skipped/{{day}}": Rule(by(401, 403, 422)),
        f"PUT {api}/studios/{{studio}}/holidays/{{day}}": Rule(by(401, 403, 204), json={"name": "x"}),
        f"DELETE {api}/studios/{{studio}}/holidays/{{day}}": Rule(by(401, 403, 204)),
        f"GET {api}/roll/{slot}": Rule(by(401, 403, 200)),
        f"PUT {api}/roll/{{user_id}}/{slot}": Rule(by(401, 403, 409), json={"attended": True}),
        f"GET {api}/me/lessons": Rule(by(401, 200, 200)),
        f"GET {api}/me/statistics": Rule(by(401, 200, 200)),
        f"GET {api}/me/calendar.ics": Rule(by(422, 422, 422)),
        f"POST {api}/me/waitlist": Rule(by(401, 404, 404), json=nobody),
        f"GET {api}/me/waitlist/{{waitlist_id}}": Rule(by(401, 404, 404)),
        f"PUT {api}/me/waitlist/{slot}": Rule(by(401, 404, 404), json={}),
        f"DELETE {api}/me/waitlist/{slot}": Rule(by(401, 404, 404)),
        f"POST {api}/me/bookings": Rule(by(401, 404, 404), json=nobody),
        f"GET {api}/me/bookings/{{reservation_id}}": Rule(by(401, 404, 404)),
        f"DELETE {api}/me/bookings/{slot}": Rule(by(401, 404, 404)),
        f"GET {api}/me/preferences": Rule(by(401, 200, 200)),
        f"PUT {api}/me/preferences": Rule(by(401, 200, 200), json={"name": "x", "channels": []}),
        f"POST {api}/me/addresses": Rule(by(401, 204, 204), json={"channel": "mail", "address": "x@example.com"}),
        f"POST {api}/me/addresses/line/code": Rule(by(401, 200, 200)),
        f"POST {api}/me/addresses/{{channel}}/proof": Rule(by(401, 422, 422), json={"code": "x"}),
        f"DELETE {api}/me/addresses/{{channel}}": Rule(by(401, 204, 204)),
        f"GET {api}/me/searches": Rule(by(401, 200, 200)),
        f"POST {api}/me/searches": Rule(by(401, 201, 201), json={"instructor": "x"}),
        f"DELETE {api}/me/searches/{{search_id}}": Rule(by(401, 404, 404)),
        "GET /lessons/openapi.json": Rule(by(200, 200, 200)),
        "GET /lessons/docs": Rule(by(200, 200, 200)),
    }


async def test_who_may_do_what(client: Client) -> None:
    person = client.another()
    await person.sign_in("demo-mei")
    actors = {"anonymous": client.another(), "person": person, "staff": client}
    rules = matrix()
    ids = {
        "slot": str(LESSON),
        "lesson": "gnz/2025-08-02/10:00",
        "action": "favorite",
        "code": "gnz",
        "token": "AAAA",
        "studio": "gnz",
        "channel": "mail",
        "search_id": "x",
        "user_id": "x",
        "waitlist_id": "x",
        "reservation_id": "x",
        "act_id": "x",
        "weekday": "5",
        "start": "10:30",
        "day": "2025-08-01",
        "email": "x@example.com",
    }
    assert uncovered(client.app, "lessons", {**rules, "GET /lessons/studios/{code}/live": Rule({})}) == []
    assert await deviations(rules, actors, ids) == []
    assert (await client.another().get("/lessons/studios/gnz/live")).status == 303
