"""Who may what: the proofs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sekkei_systems.eventbot.demo.guild import ATTENDEE_ROLE, EVERYBODY, GUILD_ID, ORGANISER_ROLE
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.refusals import NoSuchEvent, NotCreator, NotManager, NotOrganiser
from sekkei_systems.eventbot.rules.drafts import Draft
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, Bot


async def test_a_host_is_the_creator_or_an_organiser_and_carries_the_event(quick: Bot) -> None:
    maker = replace(SOTA, permissions=EVERYBODY | permissions.Permission.CREATE_EVENTS)
    access = quick.service.access
    made = await quick.service.events.create(await quick.creator(maker), Draft("会"), ATTENDEE_ROLE)
    assert (await access.host(SOTA.actor, made.event_id)).event == made
    assert (await access.host(AOI.actor, made.event_id)).actor == AOI.actor
    with pytest.raises(NotOrganiser):
        await access.host(MEI.actor, made.event_id)
    with pytest.raises(NoSuchEvent):
        await access.host(replace(AOI.actor, guild_id="1"), made.event_id)


async def test_organisers_creators_and_managers(quick: Bot) -> None:
    access = quick.service.access
    await quick.service.guilds.change_settings(await quick.organiser(AOI), organiser_role_id=ORGANISER_ROLE)
    assert (await access.organiser(REN.actor)).roles == REN.actor.roles
    assert (await access.creator(REN.actor)).user_id == REN.id
    assert access.manager(AOI.actor).guild_id == GUILD_ID
    with pytest.raises(NotOrganiser):
        await access.organiser(MEI.actor)
    with pytest.raises(NotCreator):
        await access.creator(MEI.actor)
    with pytest.raises(NotManager):
        access.manager(REN.actor)
