from __future__ import annotations

from datetime import time

from sekkei.clock import ManualClock
from sekkei.design import replace
from sekkei.web.testing import Client
from sekkei_systems.lessons.api.mine import calendar
from sekkei_systems.lessons.design import Lesson, Status, TieKind, UserLesson
from tests.systems.lessons.steps import HOUSE, everything
from tests.systems.lessons.world import LESSON, STUDIOS


async def test_a_favourite_is_put_and_put_again(client: Client) -> None:
    for note in ("いつもの", "別の"):
        reply = await client.json("PUT", f"/lessons/api/me/favorites/{LESSON}", {"notes": note})
        assert (reply.status, reply.json()["notes"]) == (200, note)
    quoted = str(LESSON).replace("/", "%2F")
    assert (await client.json("DELETE", f"/lessons/api/me/favorites/{quoted}")).status == 204
    shown = (await client.json("GET", f"/lessons/api/lessons/{quoted}")).json()
    assert (shown["mine"], shown["position"], shown["lesson"]["free"]) == ([], None, 1)


# A user's bookings as a calendar.


BOOKING = UserLesson(
    user_id="hana",
    studio_code="gnz",
    lesson_date=LESSON.lesson_date,
    start_time=LESSON.start_time,
    lesson_name="House; 1",
    instructor="YUKI",
    kind=TieKind.BOOKING,
    created_at=LESSON.starts_at,
    updated_at=LESSON.starts_at,
    reservation_id="rsv_1",
)


def test_bookings_are_events_that_last_as_long_as_their_lesson() -> None:
    lesson = Lesson(
        studio_code="gnz",
        lesson_date=LESSON.lesson_date,
        start_time=LESSON.start_time,
        end_time=time(20, 15),
        lesson_name="House",
        instructor="YUKI",
        updated_at=LESSON.starts_at,
    )
    with_end = calendar([BOOKING], {LESSON: lesson}, STUDIOS, LESSON.starts_at).decode()
    for line in ("DTSTART:20250730T103000Z", "DTEND:20250730T111500Z", "LOCATION:銀座", r"SUMMARY:House\; 1"):
        assert line in with_end.splitlines()
    assert "DTEND:20250730T113000Z" in calendar([BOOKING], {}, STUDIOS, LESSON.starts_at).decode(), (
        "an hour, unless said"
    )


def test_what_is_cancelled_or_only_liked_is_left_out() -> None:
    others = [replace(BOOKING, status=Status.CANCELLED), replace(BOOKING, kind=TieKind.FAVORITE)]
    assert "BEGIN:VEVENT" not in calendar(others, {}, STUDIOS, LESSON.starts_at).decode()


# Waiting for a place, by the API.


API = "/lessons/api/me"


async def test_joining_looking_and_leaving(client: Client) -> None:
    asked = {"lesson": str(LESSON)}
    reply = await client.json("POST", f"{API}/waitlist", asked)
    assert (reply.status, reply.json()["code"]) == (409, "not-full")
    await client.json("POST", f"{API}/bookings", asked)
    mei = client.another()
    await mei.sign_in("demo-mei")
    entry = (await mei.json("POST", f"{API}/waitlist", asked)).json()
    assert (await mei.json("GET", f"{API}/waitlist/{entry['waitlistId']}")).json() == entry
    assert (await client.json("GET", f"{API}/waitlist/{entry['waitlistId']}")).status == 404, "somebody else's"
    assert (await mei.json("DELETE", f"{API}/waitlist/{LESSON}")).status == 204
    assert (await mei.json("DELETE", f"{API}/waitlist/{LESSON}")).status == 404


async def test_how_somebody_waits(api_client: Client) -> None:
    mei = api_client.another()
    await mei.sign_in("demo-mei")
    await api_client.json("POST", "/lessons/api/me/bookings", {"lesson": str(LESSON)})
    await mei.json("POST", "/lessons/api/me/waitlist", {"lesson": str(LESSON)})
    path = f"/lessons/api/me/waitlist/{LESSON}"
    wished = (await mei.json("PUT", path, {"bookHours": 6, "pausedUntil": "2025-07-30"})).json()
    assert (wished["autoBookUntil"], wished["pausedUntil"]) == ("2025-07-30T04:30:00Z", "2025-07-29T15:00:00Z")
    kept = (await mei.json("PUT", path, {"pausedUntil": None})).json()
    assert (kept["autoBookUntil"], kept["pausedUntil"]) == ("2025-07-30T04:30:00Z", None)
    for wrong in ({"bookHours": -1}, {"pausedUntil": "2025-07-31"}, {"pausedUntil": "x"}):
        assert (await mei.json("PUT", path, wrong)).status == 422


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


async def test_lessons_of_the_past(api_client: Client, clock: ManualClock) -> None:
    past = "gnz/2025-07-29/11:59"
    before = await everything(api_client)
    made = await api_client.json("POST", f"/lessons/api/lessons/{past}", HOUSE)
    assert (made.status, made.json()["code"]) == (409, "lesson-over")
    clock.set(LESSON.starts_at.timestamp())
    for method, path, body in (
        ("POST", "/me/bookings", {"lesson": str(LESSON)}),
        ("POST", "/me/waitlist", {"lesson": str(LESSON)}),
        ("PUT", f"/me/favorites/{LESSON}", {"notes": "x"}),
        ("PUT", f"/lessons/{LESSON}", {**HOUSE, "instructor": "Mako"}),
        ("DELETE", f"/lessons/{LESSON}", None),
    ):
        answer = await api_client.json(method, f"/lessons/api{path}", body)
        assert (answer.status, answer.json()["code"]) == (409, "lesson-over"), (method, path)
    assert await everything(api_client) == before
