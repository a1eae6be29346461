"""The pages and the API, as a browser without scripts and a client use them."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import orjson
import pytest

import sekkei_systems.lessons
from sekkei.clock import ManualClock
from sekkei.runtime.design import newest_messages
from sekkei.web import missing_texts
from sekkei.web.testing import Client, Reply, opened
from sekkei_systems.lessons import SYSTEM
from sekkei_systems.lessons.texts import TEXTS
from tests.systems.lessons.conftest import LESSON, NOON
from tests.web.authorisation import Matrix, Rule, deviations, uncovered

AT = f"/lessons/lessons/{LESSON}"


@pytest.fixture
async def client(clock: ManualClock) -> AsyncIterator[Client]:
    async with opened(SYSTEM, clock=clock) as found:
        await found.sign_in("demo-aoi")
        await add_lesson(found)
        yield found


async def add_lesson(client: Client, capacity: str = "1", **more: str) -> None:
    fields = {
        "lesson_date": "2025-07-30",
        "start_time": "19:30",
        "lesson_name": "BSL House 1",
        "instructor": "YUKI",
        "capacity": capacity,
        "is_open": "on",
        **more,
    }
    assert (await client.post("/lessons/desk/gnz", fields)).status == 303


async def act(client: Client, action: str) -> str:
    return (await client.post(f"/lessons/act/{action}/{LESSON}", {}, follow=True)).text


async def test_full_lesson_waitlist_opening_notice_one_tap_booked(client: Client) -> None:
    assert "BSL House 1" in (await client.get("/lessons/?studio=gnz&date=2025-07-30")).text
    assert "予約しました" in await act(client, "book")
    mei = client.another()
    await mei.sign_in("demo-mei")
    assert "満席です" in await act(mei, "book")
    assert "待ち順 1 番目" in await act(mei, "wait")
    assert "予約を取り消しました" in await act(client, "cancel")
    await client.work()
    (message,) = await client.shell.deployment.runtime.all(newest_messages())
    assert message.to == "mei@demo.example"
    link = urlsplit(re.search(r"https?://\S+/lessons/offers/\S+", message.body["text"])[0]).path  # type: ignore[index]
    stranger = client.another()
    offer = await stranger.get(link)
    assert "下のボタン" in offer.text, "looking books nothing"
    assert "予約が確定しました" in (await stranger.post(link, {}, follow=True)).text
    assert "BSL House 1" in (await mei.get("/lessons/mine")).text
    given_back = await stranger.post(f"{link}/cancel", {}, follow=True)
    assert "予約を取り消しました" in given_back.text
    assert "登録は終わっています" in given_back.text
    assert "下のボタン" not in given_back.text
    assert (await stranger.post(link, {})).status == 410, "what was ended is not begun again by an old link"


async def test_a_calendar_that_can_be_renewed_and_stopped(client: Client) -> None:
    await act(client, "book")

    async def feed() -> str:
        found = re.search(r"/lessons/api/me/calendar\.ics\?token=[\w-]+", (await client.get("/lessons/settings")).text)
        return found[0] if found else ""

    stranger = client.another()
    assert await feed() == ""
    await client.post("/lessons/settings/calendar")
    first = await feed()
    shown = await stranger.get(first)
    assert shown.header("content-type") == "text/calendar; charset=utf-8"
    assert "SUMMARY:BSL House 1" in shown.text
    assert "LOCATION:銀座" in shown.text
    await client.post("/lessons/settings/calendar")
    assert (await stranger.get(first)).status == 410
    second = await feed()
    assert (await stranger.get(second)).status == 200
    await client.post("/lessons/settings/calendar/stop")
    assert (await stranger.get(second)).status == 410
    assert await feed() == ""


async def test_links_in_notices_end_and_can_be_made_void(client: Client, clock: ManualClock) -> None:
    mei = client.another()
    await mei.sign_in("demo-mei")
    await act(client, "book")
    await act(mei, "wait")
    await act(client, "cancel")
    await client.work()
    (message,) = await client.shell.deployment.runtime.all(newest_messages())
    link = urlsplit(re.search(r"https?://\S+/lessons/offers/\S+", message.body["text"])[0]).path  # type: ignore[index]
    assert (await client.another().get(link)).status == 200
    clock.advance(2)
    await mei.post("/lessons/settings/links")
    assert (await client.another().get(link)).status == 410
    assert (await client.another().post(link, {})).status == 410
    clock.set(LESSON.starts_at.timestamp())
    assert (await client.another().get(link)).status == 410


@pytest.mark.parametrize(
    "path", ["/lessons/offers/x", "/lessons/offers/" + "A" * 60, "/lessons/api/me/calendar.ics?token=AAAA"]
)
async def test_forged_links_open_nothing(client: Client, path: str) -> None:
    assert (await client.another().get(path)).status == 404


@pytest.mark.parametrize(
    "path", ["/lessons/lessons/gnz/2025-07-30/9:5", "/lessons/lessons/g%23z/2025-07-30/19:30", "/lessons/lessons/x"]
)
async def test_bad_slots_get_a_clear_answer(client: Client, path: str) -> None:
    answer = await client.get(path)
    assert answer.status == 422
    assert "09:30" in answer.text


@pytest.mark.parametrize(
    "wrong", [{"lesson_date": "2025-02-30"}, {"start_time": "25:00"}, {"capacity": "-1"}, {"lesson_name": ""}]
)
async def test_a_lesson_that_cannot_be_is_refused(client: Client, wrong: dict[str, str]) -> None:
    fields = {"lesson_date": "2025-07-31", "start_time": "10:00", "lesson_name": "x", "instructor": "y", **wrong}
    assert (await client.post("/lessons/desk/gnz", fields)).status == 422
    assert "10:00" not in (await client.get("/lessons/?studio=gnz&date=2025-07-31")).text


async def test_the_api(client: Client) -> None:
    made = await client.json("POST", "/lessons/api/me/bookings", {"lesson": str(LESSON)})
    assert (made.status, made.json()["status"]) == (201, "active")
    again = await client.json("POST", "/lessons/api/me/bookings", {"lesson": str(LESSON)})
    assert (again.status, again.json()["code"]) == (409, "already-registered")
    favorite = await client.json("PUT", f"/lessons/api/me/favorites/{LESSON}", {"notes": "いつもの"})
    assert favorite.json()["notes"] == "いつもの"
    mine = await client.json("GET", "/lessons/api/me/lessons")
    assert [entry["type"] for entry in mine.json()["items"]] == ["booking", "favorite"]
    found = await client.json("GET", "/lessons/api/studios/gnz/lessons?from=2025-07-30&to=2025-07-30")
    assert [entry["free"] for entry in found.json()["items"]] == [0]
    assert (await client.json("DELETE", f"/lessons/api/me/bookings/{LESSON}")).status == 204
    assert (await client.json("GET", "/lessons/openapi.json")).json()["openapi"].startswith("3.1")


async def test_a_request_with_a_key_is_carried_out_once(client: Client) -> None:
    async def post(path: str, key: str, lesson: str = str(LESSON)) -> Reply:
        headers = {"Idempotency-Key": key}
        return await client.json("POST", f"/lessons/api/me/{path}", {"lesson": lesson}, headers=headers)

    first, again = await post("bookings", "k1"), await post("bookings", "k1")
    assert (first.status, again.status, again.json()) == (201, 201, first.json())
    assert (await post("bookings", "k2")).json()["code"] == "already-registered"
    assert (await post("waitlist", "k1")).json()["code"] == "key-reused"
    await client.json("DELETE", f"/lessons/api/me/bookings/{LESSON}")
    assert (await post("bookings", "k1")).json() == first.json()
    mine = await client.json("GET", "/lessons/api/me/lessons")
    assert [entry["status"] for entry in mine.json()["items"]] == ["cancelled"], "an old request books nothing anew"
    assert (await post("bookings", "x" * 256)).status == 422
    await post("bookings", "k3")
    mei = client.another()
    await mei.sign_in("demo-mei")
    key = {"Idempotency-Key": "k1"}
    waits = [await mei.json("POST", "/lessons/api/me/waitlist", {"lesson": str(LESSON)}, headers=key) for _ in "ab"]
    assert [(one.status, one.json()["type"]) for one in waits] == [(201, "waitlist")] * 2, "keys are everybody's own"
    assert waits[0].json()["waitlistId"] == waits[1].json()["waitlistId"]


async def test_a_push_is_heard_only_with_the_right_signature(client: Client) -> None:
    await act(client, "book")
    ren = client.another()
    await ren.sign_in("demo-ren")
    await act(ren, "wait")
    body = orjson.dumps({"available": 1, "total": 20, "isOpen": True})
    stamp = str(int(NOON))
    secret = client.shell.deployment.settings.secrets.key("lessons availability")
    for key, expected in ((b"wrong", 401), (secret, 200)):
        signed = f"{stamp}.{LESSON}.".encode() + body
        signature = "sha256=" + hmac.new(key, signed, hashlib.sha256).hexdigest()
        headers = {"X-Signature": signature, "X-Timestamp": stamp, "Content-Type": "application/json"}
        answer = await client.another().request("POST", f"/lessons/api/lessons/{LESSON}/availability", body, headers)
        assert answer.status == expected
        assert len(await client.shell.deployment.runtime.all(newest_messages())) == (1 if expected == 200 else 0)


@pytest.mark.parametrize("email", ["nobody", "a@example.com\nBcc: b@example.com", "a@example.com, b@example.com"])
async def test_notices_go_to_one_address(client: Client, email: str) -> None:
    reply = await client.post("/lessons/settings/addresses", {"channel": "mail", "address": email})
    assert reply.status == 422
    assert await client.shell.deployment.runtime.all(newest_messages()) == []


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01"])
async def test_the_first_and_the_last_day_of_all(client: Client, day: str) -> None:
    assert (await client.get(f"/lessons/?date={day}")).status == 200
    assert (await client.get(f"/lessons/desk/gnz?date={day}")).status == 200
    assert (await client.get(f"/lessons/lessons/gnz/{day}/19:30")).status == 422
    lesson = {"lesson_date": day, "start_time": "10:00", "lesson_name": "x", "instructor": "y"}
    assert (await client.post("/lessons/desk/gnz", lesson)).status in (303, 409, 422)
    between = f"/lessons/api/studios/gnz/lessons?from={day}&to="
    assert (await client.json("GET", f"{between}9999-12-31")).json() == {"items": []}
    assert (await client.json("GET", f"{between}0001-01-01")).json() == {"items": []}


def test_no_text_is_missing() -> None:
    assert missing_texts(TEXTS, Path(sekkei_systems.lessons.__file__).parent) == []


async def test_the_demo_fills_every_table_and_every_page_opens() -> None:
    async with opened(SYSTEM, demo=True) as client:
        await client.work()
        for table in SYSTEM.design.tables.values():
            assert (await client.shell.deployment.store.call("Scan", {"TableName": table.name, "Limit": 1}))["Items"]
        await client.sign_in("demo-aoi")
        timetable = await client.get("/lessons/")
        lesson = re.search(r"/lessons/lessons/[a-z]+/[\d-]+/\d\d:\d\d", timetable.text)
        assert lesson is not None
        people = lesson[0].replace("/lessons/lessons/", "/lessons/desk/gnz/people/")
        rooms = ("", "mine", "history", "settings", "searches", "desk/gnz", "docs")
        for path in [lesson[0], people, *(f"/lessons/{room}" for room in rooms)]:
            for language in ("ja", "en"):
                assert (await client.get(f"{path}?lang={language}", follow=True)).status == 200, path


def by(anonymous: int, person: int, staff: int) -> dict[str, int]:
    return {"anonymous": anonymous, "person": person, "staff": staff}


def matrix() -> Matrix:
    api, slot = "/lessons/api", "{lesson:path}"
    nobody = {"lesson": "gnz/2025-07-31/10:00"}
    lesson = {"lesson_date": "2025-08-01", "start_time": "10:00", "lesson_name": "x", "instructor": "y"}
    everybody = by(303, 303, 303)
    return {
        "GET /lessons/": Rule(by(303, 200, 200)),
        "GET /lessons/lessons/{slot:path}": Rule(by(303, 200, 200)),
        "POST /lessons/act/{action}/{slot:path}": Rule(everybody, form={}),
        "POST /lessons/notes/{slot:path}": Rule(everybody, form={"notes": "x"}),
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
        "POST /lessons/desk/{code}/off/{slot:path}": Rule(by(303, 403, 303), form={}),
        "POST /lessons/line": Rule(by(401, 401, 401), json={}),
        f"GET {api}/studios": Rule(by(401, 200, 200)),
        f"GET {api}/studios/{{studio}}/lessons": Rule(by(401, 422, 422)),
        f"GET {api}/lessons/{slot}": Rule(by(401, 404, 404)),
        f"POST {api}/lessons/{slot}": Rule(by(401, 403, 201), json={"name": "x", "instructor": "y"}),
        f"PUT {api}/lessons/{slot}": Rule(by(401, 403, 200), json={"name": "x", "instructor": "y"}),
        f"DELETE {api}/lessons/{slot}": Rule(by(401, 403, 204)),
        f"POST {api}/lessons/{slot}/availability": Rule(by(401, 401, 401), json={}),
        f"GET {api}/roll/{slot}": Rule(by(401, 403, 200)),
        f"PUT {api}/roll/{{user_id}}/{slot}": Rule(by(401, 403, 409), json={"attended": True}),
        f"GET {api}/me/lessons": Rule(by(401, 200, 200)),
        f"GET {api}/me/statistics": Rule(by(401, 200, 200)),
        f"GET {api}/me/calendar.ics": Rule(by(422, 422, 422)),
        f"PUT {api}/me/favorites/{slot}": Rule(by(401, 200, 200), json={}),
        f"DELETE {api}/me/favorites/{slot}": Rule(by(401, 204, 204)),
        f"POST {api}/me/waitlist": Rule(by(401, 404, 404), json=nobody),
        f"GET {api}/me/waitlist/{{waitlist_id}}": Rule(by(401, 404, 404)),
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
    }
    assert uncovered(client.app, "lessons", {**rules, "GET /lessons/studios/{code}/live": Rule({})}) == []
    assert await deviations(rules, actors, ids) == []
    assert (await client.another().get("/lessons/studios/gnz/live")).status == 303


# The whole way, through streams and the worker


async def notices_of(client: Client) -> list[tuple[str, str]]:
    await client.work()
    found = await client.shell.deployment.runtime.all(newest_messages())
    return sorted((one.to, str(one.body["subject"]).partition(":")[0]) for one in found)


async def test_places_that_come_and_go_between_two_passes_are_openings(client: Client) -> None:
    """Booked, given back, booked and given back in one breath: the stream has it all, in its order."""
    mei = client.another()
    await mei.sign_in("demo-mei")
    await act(client, "book")
    await act(mei, "wait")
    await client.work()
    for _ in range(2):
        await act(client, "cancel")
        await act(client, "book")
        await act(client, "cancel")
        assert len(await notices_of(client)) >= 1
        await act(client, "book")
        await client.work()
    assert await notices_of(client) == [("mei@demo.example", "空きが出ました")] * 2


async def test_a_saved_search_hears_of_new_lessons_and_of_openings(client: Client, clock: ManualClock) -> None:
    mei = client.another()
    await mei.sign_in("demo-mei")
    await client.work()
    assert (await mei.post("/lessons/searches", {"instructor": "Mako", "weekdays": ["4"]})).status == 303
    assert "Mako" in (await mei.get("/lessons/searches")).text
    assert (await mei.post("/lessons/searches", {})).status == 422
    await add_lesson(client, lesson_date="2025-08-01", instructor="Mako", start_time="10:00", capacity="0")
    await add_lesson(client, lesson_date="2025-08-01", instructor="Mako", start_time="11:00")
    await add_lesson(client, lesson_date="2025-08-02", instructor="Mako", start_time="12:00")
    await client.work()
    clock.advance(121)
    assert await notices_of(client) == [("mei@demo.example", "条件に合うレッスンがあります")]
    (message,) = await client.shell.deployment.runtime.all(newest_messages())
    assert "8/1（金）11:00" in message.body["text"]
    assert "12:00" not in message.body["text"], "no Friday"
    change = {"lesson_name": "x", "instructor": "Mako", "capacity": "3", "is_open": "on"}
    assert (await client.post("/lessons/desk/gnz/people/gnz/2025-08-01/10:00", change)).status == 303
    assert len(await notices_of(client)) == 2, "what opens is told at once"


async def test_an_address_is_proven_on_the_page(client: Client) -> None:
    await client.post("/lessons/settings/addresses", {"channel": "mail", "address": "New@Example.com"})
    (message,) = await client.shell.deployment.runtime.all(newest_messages())
    assert message.to == "new@example.com"
    code = re.search(r"\b\d{6}\b", message.body["text"])
    assert code is not None
    wrong = await client.post("/lessons/settings/proof", {"channel": "mail", "code": "1"})
    assert (wrong.status, "コードが違います" in wrong.text) == (422, True)
    proven = await client.post("/lessons/settings/proof", {"channel": "mail", "code": code[0]}, follow=True)
    assert "宛先を確認しました" in proven.text
    kept = {"name": "葵", "channels": ["mail"], "topics": ["opening"], "quiet_from": "22:00", "quiet_until": "07:00"}
    assert (await client.post("/lessons/settings", kept)).status == 303
    page = (await client.get("/lessons/settings")).text
    assert "new@example.com" in page
    assert 'value="22:00"' in page
    assert (await client.post("/lessons/settings", {**kept, "channels": ["line"]})).status == 422


async def test_the_desk_takes_files_and_attendance(client: Client, clock: ManualClock) -> None:
    async def upload(name: str, content: str) -> str:
        token = await client.token()
        parts = [
            f'--x\r\nContent-Disposition: form-data; name="_csrf"\r\n\r\n{token}\r\n',
            f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n{content}\r\n--x--\r\n',
        ]
        headers = {"Content-Type": "multipart/form-data; boundary=x", "Accept": "text/html"}
        reply = await client.request("POST", "/lessons/desk/gnz/file", "".join(parts).encode(), headers)
        assert reply.status == 303
        return (await client.get(reply.location, follow=True)).text

    head = "studio,date,start,name,instructor,capacity\n"
    rows = "gnz,2025-08-01,10:00,Yoga,Mako,9\ngnz,2025-08-01,9:5,x,y,1\nsby,2025-08-01,10:00,x,y,1\n"
    assert "追加 1 件、変更 0 件、そのまま 0 件、取り込めない行 2 件" in await upload("a.csv", head + rows)
    assert "Yoga" in (await client.get("/lessons/desk/gnz?date=2025-08-01")).text
    assert "追加 0 件、変更 0 件" in await upload("a.csv", head)
    assert "is a file ending in" in await upload("a.exe", "x")
    await act(client, "book")
    clock.set(LESSON.starts_at.timestamp())
    path = f"/lessons/desk/gnz/attendance/{LESSON}"
    assert (await client.post(path, {"user_id": "demo-aoi", "came": "on"})).status == 303
    roll = await client.json("GET", f"/lessons/api/roll/{LESSON}")
    assert [(one["userId"], one["attended"]) for one in roll.json()["booked"]] == [("demo-aoi", True)]
    assert "登録していません" in (await client.post(path, {"user_id": "nobody"}, follow=True)).text


async def test_a_favourite_is_put_and_put_again(client: Client) -> None:
    for note in ("いつもの", "別の"):
        reply = await client.json("PUT", f"/lessons/api/me/favorites/{LESSON}", {"notes": note})
        assert (reply.status, reply.json()["notes"]) == (200, note)
    quoted = str(LESSON).replace("/", "%2F")
    assert (await client.json("DELETE", f"/lessons/api/me/favorites/{quoted}")).status == 204
    shown = (await client.json("GET", f"/lessons/api/lessons/{quoted}")).json()
    assert (shown["mine"], shown["position"], shown["lesson"]["free"]) == ([], None, 1)


async def test_the_desk_brings_a_lesson_back_only_when_asked(client: Client) -> None:
    path = f"/lessons/desk/gnz/people/{LESSON}"
    assert "休講を取り消す" not in (await client.get(path)).text
    await client.post(f"/lessons/desk/gnz/off/{LESSON}", {})
    assert "休講を取り消す" in (await client.get(path)).text
    change = {"lesson_name": "House", "instructor": "Mako"}
    page = await client.post(path, {**change, "is_open": "on"})
    assert (page.status, "休講のままです" in page.text, 'value="Mako"' in page.text) == (409, True, True)

    async def shown() -> tuple[str, bool, bool]:
        lesson = (await client.json("GET", f"/lessons/api/lessons/{LESSON}")).json()["lesson"]
        return lesson["instructor"], lesson["calledOff"], lesson["isOpen"]

    assert await shown() == ("YUKI", True, False)
    assert (await client.post(path, change)).status == 303
    assert await shown() == ("Mako", True, False)
    assert (await client.post(path, {**change, "is_open": "on", "bring_back": "on"})).status == 303
    assert await shown() == ("Mako", False, True)


async def test_openings_one_after_the_other_are_gathered_after_the_first(client: Client, clock: ManualClock) -> None:
    mei = client.another()
    await mei.sign_in("demo-mei")
    await mei.post("/lessons/searches", {"instructor": "Mako"})
    hours = ("10:00", "11:00", "12:00", "13:00")
    for hour in hours:
        await add_lesson(client, lesson_date="2025-08-01", instructor="Mako", start_time=hour, capacity="0")
    await client.work()

    async def opens(hour: str) -> int:
        clock.advance(20)
        change = {"lesson_name": "x", "instructor": "Mako", "capacity": "3", "is_open": "on"}
        await client.post(f"/lessons/desk/gnz/people/gnz/2025-08-01/{hour}", change)
        return len(await notices_of(client))

    assert [await opens(hour) for hour in hours[:3]] == [1, 1, 1], "the first at once, the others later"
    clock.advance(121)
    assert len(await notices_of(client)) == 2
    newest, first = await client.shell.deployment.runtime.all(newest_messages())
    assert [hour in first.body["text"] for hour in hours] == [True, False, False, False]
    assert [hour in newest.body["text"] for hour in hours] == [False, True, True, False], "together"
    clock.advance(121)
    assert await opens(hours[3]) == 3, "at once again"
