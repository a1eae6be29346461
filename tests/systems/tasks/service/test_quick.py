"""A task in one line, made."""

from __future__ import annotations

from datetime import date

import pytest

from sekkei_systems.tasks.design.statuses import Priority, Status
from sekkei_systems.tasks.refusals import BadText
from tests.systems.tasks.conftest import World


async def test_a_line_becomes_a_task(world: World) -> None:
    aoi = await world.admin("aoi", (await world.team("ren")).team_id)
    tag = await world.service.tags.add(aoi, "画面", "#000000")
    await world.settle()
    made = await world.service.quick.create(aoi, "図を直す 来週月曜まで @Ren #画面 !高", Status.DOING)
    assert (made.title, made.end, made.priority) == ("図を直す", date(2025, 11, 10), Priority.HIGH)
    assert (made.assignee, made.tags, made.status) == ("ren", {tag.ref}, Status.DOING)


async def test_a_line_of_nothing_or_too_much_is_refused(world: World) -> None:
    aoi = await world.admin("aoi", (await world.team()).team_id)
    for text in ("", "  ", "あ" * 401, "あ" * 201):
        with pytest.raises(BadText):
            await world.service.quick.create(aoi, text)
    assert (await world.service.teams.totals(aoi)).todo == 0
