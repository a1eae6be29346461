"""Settings, templates, and links to the web pages."""

from __future__ import annotations

import pytest

from sekkei_systems.eventbot.local.world import GUILD_ID
from sekkei_systems.eventbot.refusals import BadLink, BadZone, NoSuchTemplate, NotOrganiser
from tests.systems.eventbot.conftest import AOI, REN, Bot


async def test_a_zone_that_is_none_changes_nothing(quick: Bot) -> None:
    with pytest.raises(BadZone):
        await quick.service.guilds.change_settings(AOI.actor, time_zone="Mars/Olympus", locale="en")
    assert (await quick.service.guilds.settings(GUILD_ID)).locale == "ja"


async def test_a_template_keeps_its_name_and_is_replaced_by_another_of_it(quick: Bot) -> None:
    first, second = await quick.event(title="一回目"), await quick.event(title="二回目", capacity=7)
    await quick.service.guilds.save_template(AOI.actor, first, "定例")
    await quick.service.guilds.save_template(AOI.actor, second, " 定例 ")
    [template] = await quick.service.guilds.templates(GUILD_ID)
    assert (template.name, template.title, template.capacity) == ("定例", "二回目", 7)
    await quick.service.guilds.delete_template(AOI.actor, template.template_id)
    with pytest.raises(NoSuchTemplate):
        await quick.service.guilds.delete_template(AOI.actor, template.template_id)


async def test_a_link_is_for_organisers_for_ten_minutes_and_as_it_was_signed(quick: Bot) -> None:
    with pytest.raises(NotOrganiser):
        await quick.service.guilds.link(REN.actor)
    token = await quick.service.guilds.link(AOI.actor)
    for forged in (token[:-1] + ("0" if token[-1] != "0" else "1"), "x" + token, "", "."):
        with pytest.raises(BadLink):
            await quick.service.guilds.accept_link("account", forged)
    quick.clock.advance(601)
    with pytest.raises(BadLink):
        await quick.service.guilds.accept_link("account", token)
    assert await quick.service.guilds.links("account") == []
