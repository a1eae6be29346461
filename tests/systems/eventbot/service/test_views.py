"""Members and replies come in the order in which people answered."""

from __future__ import annotations

from sekkei_systems.eventbot.demo.guild import GUILD_ID
from sekkei_systems.eventbot.design import Answer
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, YUI, Bot


async def test_people_stand_in_the_order_of_their_answers(quick: Bot) -> None:
    event = await quick.event(capacity=2)
    for person in (YUI, REN, SOTA, AOI):  # by user id it would be another order
        await quick.service.joining.join(person.actor, event.event_id)
        quick.clock.advance(1)
    await quick.service.joining.answer(MEI.actor, event.event_id, Answer.NO)
    view = await quick.service.events.view(GUILD_ID, event.event_id)
    assert [one.user_id for one in view.members] == [YUI.id, REN.id]
    assert [one.user_id for one in view.waiting] == [SOTA.id, AOI.id]
    assert [one.user_id for one in view.no] == [MEI.id]
