"""Who may, and in which guild."""

from __future__ import annotations

import pytest

from sekkei_systems.eventbot.demo.guild import ORGANISER_ROLE
from sekkei_systems.eventbot.refusals import (
    NoSuchEvent,
    NotOrganiser,
)
from tests.systems.eventbot.conftest import AOI, REN, SOTA, Bot


async def test_the_organiser_role_and_nobody_else(quick: Bot) -> None:
    event = await quick.event()
    with pytest.raises(NotOrganiser):
        await quick.service.events.close(await quick.host(REN, event.event_id))
    with pytest.raises(NotOrganiser):
        await quick.service.guilds.change_settings(await quick.organiser(REN), organiser_role_id=ORGANISER_ROLE)
    await quick.service.guilds.change_settings(await quick.organiser(AOI), organiser_role_id=ORGANISER_ROLE)
    await quick.service.events.close(await quick.host(REN, event.event_id))
    with pytest.raises(NotOrganiser):
        await quick.service.events.reopen(await quick.host(SOTA, event.event_id))


async def test_another_guilds_event_is_not_there(quick: Bot) -> None:
    from dataclasses import replace

    event = await quick.event()
    other = replace(AOI.actor, guild_id="900000000000000099")
    with pytest.raises(NoSuchEvent):
        await quick.service.joining.join(other, event.event_id)
    with pytest.raises(NoSuchEvent):
        await quick.service.access.host(other, event.event_id)
