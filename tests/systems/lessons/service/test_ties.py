from __future__ import annotations

from datetime import timedelta

from sekkei_systems.lessons.design import user_lessons_table
from tests.systems.lessons.world import LESSON, World


async def test_every_tie_carries_the_moment_of_its_lesson_and_a_fitting_ttl(world: World) -> None:
    await world.lesson(capacity=0)
    await world.like("hana", LESSON, "いつもの")
    await world.join("hana", LESSON)
    name = world.db.table_name(user_lessons_table)
    answer = await world.db.store.call("Scan", {"TableName": name, "ConsistentRead": True})
    assert len(answer["Items"]) == 2
    for item in answer["Items"]:
        assert item["lessonDateTime"] == {"S": "2025-07-30T19:30:00+09:00"}
        assert int(item["ttl"]["N"]) == int((LESSON.starts_at + timedelta(days=7)).timestamp())
        assert item["SK"]["S"].startswith("LESSON#gnz#2025-07-30#19:30#")
