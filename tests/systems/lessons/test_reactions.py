from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei.runtime.design import newest_messages
from sekkei.web.testing import Client
from tests.systems.lessons.steps import act, add_lesson, notices_of


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
