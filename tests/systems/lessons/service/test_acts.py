from __future__ import annotations

import pytest

from sekkei.design import ConditionFailed
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import DeskVerb
from sekkei_systems.lessons.service.acts import UNDONE_WITHIN
from tests.systems.lessons.world import LESSON, STAFF, World


async def test_what_was_done_is_seen_newest_first_and_can_be_taken_back_for_an_hour(world: World) -> None:
    await world.lesson(capacity=2)
    await world.person("hana")
    await world.service.desk.book_for(STAFF, LESSON, "hana")
    world.clock.advance(1)
    await world.service.desk.walk_in(STAFF, LESSON, "飛び込み")
    acts = world.service.acts
    found = await acts.of(LESSON)
    assert [(act.verb, act.name, act.by) for act in found] == [
        (DeskVerb.WALK_IN, "飛び込み", "staff"),
        (DeskVerb.BOOKED, "hana", "staff"),
    ]
    assert all(map(acts.may_undo, found))
    await world.db.write(acts.undone(found[0]))
    with pytest.raises(ConditionFailed):
        await world.db.write(acts.undone(found[0]))
    assert not acts.may_undo(await acts.get(LESSON, found[0].act_id))
    world.clock.advance(UNDONE_WITHIN.total_seconds() + 1)
    assert not acts.may_undo(found[1])
    with pytest.raises(refusals.NoSuchAct):
        await acts.get(LESSON, "none")
