"""Search: all words, wherever they stand; filters go with it."""

from __future__ import annotations

import pytest

from sekkei_systems.tasks.design.statuses import Priority, Status
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.rules.filters import NOBODY, Filter
from sekkei_systems.tasks.service.access import Member
from tests.systems.tasks.conftest import World

EVERY = frozenset(Status)


async def _found(world: World, member: Member, text: str = "", **more: object) -> list[str]:
    await world.settle()
    page = await world.service.tasks.page(member, Filter(EVERY, text=text, **more))  # type: ignore[arg-type]
    return sorted(task.title for task in page)


async def test_several_words_each_in_its_own_place(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    tag = await world.service.tags.add(aoi, "急ぎ", "#dc2626")
    tasks = world.service.tasks
    one = await tasks.create(
        aoi, TaskDraft("請求書", "ＡＷＳ の分", tags=frozenset({tag.tag_id}), assignee="ren", priority=Priority.HIGH)
    )
    await tasks.create(aoi, TaskDraft("請求書の控え"))
    await world.service.comments.add(aoi, one.task_id, "経理に確認済みＯＫ")
    for text in ("請求書 aws", "請求書 急ぎ", "aws ren", "ok 急ぎ", "経理"):
        assert await _found(world, aoi, text) == ["請求書"], text
    assert await _found(world, aoi, "請求書") == ["請求書", "請求書の控え"]
    assert await _found(world, aoi, "請求書 どこにもない") == []
    assert await _found(world, aoi, assignee=NOBODY) == ["請求書の控え"]
    assert await _found(world, aoi, priority=Priority.HIGH) == ["請求書"]
    assert await _found(world, aoi, "請求書", assignee=NOBODY) == ["請求書の控え"]


async def test_what_was_rewritten_is_found_by_its_new_words_only(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    made = await world.service.tasks.create(aoi, TaskDraft("古い名"))
    await world.service.tasks.change(aoi, made.task_id, TaskChanges(title="新しい名"))
    assert await _found(world, aoi, "古い") == []
    assert await _found(world, aoi, "新しい") == ["新しい名"]
    await world.service.trash.put(aoi, made.task_id)
    assert await _found(world, aoi, "新しい") == []
    await world.service.trash.take_back(aoi, made.task_id)
    assert await _found(world, aoi, "新しい") == ["新しい名"]


async def test_pages_of_a_search_follow_each_other(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    for number in range(5):
        world.clock.advance(1)
        await world.service.tasks.create(aoi, TaskDraft(f"仕事{number}"))
    await world.settle()
    first = await world.service.tasks.page(aoi, Filter(text="仕事"), size=3)
    rest = await world.service.tasks.page(aoi, Filter(text="仕事"), size=3, after=first.cursor)
    assert [task.title for task in (*first, *rest)] == [f"仕事{number}" for number in (4, 3, 2, 1, 0)]
    assert rest.cursor is None


@pytest.mark.parametrize("text", ["秘密", "ren"])
async def test_a_search_stays_in_its_team(world: World, text: str) -> None:
    team, other = await world.team("ren"), await world.service.teams.create("ren", "ほか")
    aoi, ren = await world.admin("aoi", team.team_id), await world.admin("ren", other.team_id)
    await world.service.tasks.create(ren, TaskDraft("秘密", assignee="ren"))
    assert await _found(world, aoi, text) == []
