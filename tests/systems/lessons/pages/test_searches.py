from __future__ import annotations

import re

from sekkei.clock import ManualClock
from sekkei.runtime.design import newest_messages
from sekkei.web.testing import Client
from tests.systems.lessons.steps import add_lesson, notices_of


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


async def test_the_times_of_a_saved_search_are_those_that_were_typed(client: Client) -> None:
    """By the names of the page's own inputs."""
    mei = client.another()
    await mei.sign_in("demo-mei")
    inputs = re.findall(r'name="(time_?(?:from|until))"', (await mei.get("/lessons/searches")).text, re.IGNORECASE)
    wish = {"instructor": "Mako", **dict(zip(inputs, ("午後6時", "２１：３０"), strict=True))}
    assert (await mei.post("/lessons/searches", wish)).status == 303
    assert "18:00–21:30" in (await mei.get("/lessons/searches")).text
    unread = await mei.post("/lessons/searches", {**wish, inputs[0]: "いつか"})
    assert (unread.status, "09:30" in unread.text) == (422, True)
