from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from sekkei.runtime.design import newest_messages
from sekkei.web.testing import Client
from sekkei_systems import days
from sekkei_systems.lessons.design import (
    Lesson,
    TieKind,
    UserLesson,
    lesson,
    lessons_table,
    user_lesson,
    user_lessons_table,
)
from sekkei_systems.lessons.rules.slots import Slot
from tests.browser import Site
from tests.systems.lessons.world import LESSON, World


def tomorrow_at(site: Site) -> date:
    """The day after the one that the served system has."""
    return days.today(site.client.shell.deployment.systems["lessons"].context.clock) + timedelta(days=1)


async def tie(world: World, user: str, kind: TieKind, slot: Slot = LESSON) -> UserLesson | None:
    return await world.db.get(user_lesson(user, slot.studio_code, slot.lesson_date, slot.start_time, kind))


async def booked(world: World, slot: Slot = LESSON) -> int:
    found: Lesson = await world.db.need(lesson(slot.studio_code, slot.lesson_date, slot.start_time))
    return found.booked


AT = f"/lessons/lessons/{LESSON}"


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


async def notices_of(client: Client) -> list[tuple[str, str]]:
    await client.work()
    found = await client.shell.deployment.runtime.all(newest_messages())
    return sorted((one.to, str(one.body["subject"]).partition(":")[0]) for one in found)


HOUSE = {"name": "BSL House 1", "instructor": "YUKI", "capacity": 1, "id": "a"}


async def everything(client: Client) -> list[dict[str, Any]]:
    """All lessons, ties and messages as they are stored."""
    found: list[dict[str, Any]] = []
    for table in (lessons_table, user_lessons_table):
        name = client.shell.deployment.systems["lessons"].context.db.table_name(table)
        answer = await client.shell.deployment.store.call("Scan", {"TableName": name, "ConsistentRead": True})
        found += sorted(answer["Items"], key=lambda item: str(item["PK"]) + str(item["SK"]))
    return [*found, *[{"message": one.id} for one in await client.shell.deployment.runtime.all(newest_messages())]]
