"""Settings, templates, and links to the web pages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.data_subjects import Person
from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import (
    ATTENDEE_ROLE,
    BOT_ROLE,
    CHAT,
    EVERYBODY,
    GUILD_ID,
    MODERATOR_ROLE,
    ORGANISER_ROLE,
)
from sekkei_systems.eventbot.ports.discord.rest import NOT_HERE, Refused
from sekkei_systems.eventbot.refusals import (
    BadLink,
    BadRole,
    BadZone,
    DiscordSilent,
    NoSuchTemplate,
    NotManager,
    NotOrganiser,
    NotRoleManager,
    RoleTooHigh,
    RoleTooPowerful,
)
from sekkei_systems.eventbot.service.guilds import EventPeople, Membership
from tests.lost import answer_lost
from tests.systems.eventbot.conftest import AOI, REN, Bot
from tests.systems.eventbot.ports.test_rest import Canned, client
from tests.systems.leaving import exported, leave


async def test_a_zone_that_is_none_changes_nothing(quick: Bot) -> None:
    with pytest.raises(BadZone):
        await quick.service.guilds.change_settings(await quick.organiser(AOI), time_zone="Mars/Olympus", locale="en")
    assert (await quick.service.guilds.settings(GUILD_ID)).locale == "ja"


async def test_a_template_keeps_its_name_and_is_replaced_by_another_of_it(quick: Bot) -> None:
    first, second = await quick.event(title="一回目"), await quick.event(title="二回目", capacity=7)
    await quick.service.guilds.save_template(await quick.host(AOI, first.event_id), "定例")
    await quick.service.guilds.save_template(await quick.host(AOI, second.event_id), " 定例 ")
    [template] = await quick.service.guilds.templates(GUILD_ID)
    assert (template.name, template.title, template.capacity) == ("定例", "二回目", 7)
    organiser = await quick.organiser(AOI)
    with answer_lost(quick.service.desk.db):
        await quick.service.guilds.delete_template(organiser, template.template_id)
    with pytest.raises(NoSuchTemplate):
        await quick.service.guilds.delete_template(await quick.organiser(AOI), template.template_id)


async def test_a_link_is_for_organisers_for_ten_minutes_and_as_it_was_signed(quick: Bot) -> None:
    with pytest.raises(NotOrganiser):
        await quick.service.guilds.link(await quick.organiser(REN))
    token = await quick.service.guilds.link(await quick.organiser(AOI))
    for forged in (token[:-1] + ("0" if token[-1] != "0" else "1"), "x" + token, "", "."):
        with pytest.raises(BadLink):
            await quick.service.guilds.accept_link("account", forged)
    quick.clock.advance(601)
    with pytest.raises(BadLink):
        await quick.service.guilds.accept_link("account", token)
    assert await quick.service.guilds.links("account") == []


# Whoever moves roles or channels must be allowed to in Discord itself

ORGANISER = replace(REN, permissions=EVERYBODY)


@pytest.fixture
async def organised(quick: Bot) -> Bot:
    await quick.service.guilds.change_settings(await quick.organiser(AOI), organiser_role_id=ORGANISER_ROLE)
    return quick


@pytest.mark.parametrize("name", ["attendee_role_id", "organiser_role_id", "creator_role_id", "member_role_id"])
async def test_an_organiser_may_not_move_roles(organised: Bot, name: str) -> None:
    before = await organised.service.guilds.settings(GUILD_ID)
    for role in (MODERATOR_ROLE, ATTENDEE_ROLE):
        with pytest.raises(NotRoleManager):
            await organised.service.guilds.change_settings(await organised.organiser(ORGANISER), **{name: role})
    assert await organised.service.guilds.settings(GUILD_ID) == before


@pytest.mark.parametrize("name", ["recruit_channel_id", "notice_channel_id"])
async def test_an_organiser_may_not_move_channels(organised: Bot, name: str) -> None:
    with pytest.raises(NotManager):
        await organised.service.guilds.change_settings(await organised.organiser(ORGANISER), **{name: CHAT})
    same = await organised.service.guilds.change_settings(
        await organised.organiser(ORGANISER), **{name: None}, remind_minutes_before=15
    )
    assert same.remind_minutes_before == 15


async def test_nobody_hands_out_more_than_they_have(quick: Bot) -> None:
    server = quick.local.server
    change = quick.service.guilds.change_settings
    with pytest.raises(RoleTooHigh):
        await change(await quick.organiser(AOI), attendee_role_id=MODERATOR_ROLE)  # stands above the person
    server.guild["owner_id"] = AOI.id
    with pytest.raises(RoleTooPowerful):
        await change(await quick.organiser(AOI), attendee_role_id=MODERATOR_ROLE)  # not even the owner, by a program
    for role in (BOT_ROLE, "123"):
        with pytest.raises(BadRole):
            await change(await quick.organiser(AOI), attendee_role_id=role)
    assert (await quick.service.guilds.settings(GUILD_ID)).attendee_role_id is None
    assert (await change(await quick.organiser(AOI), attendee_role_id=ATTENDEE_ROLE)).attendee_role_id == ATTENDEE_ROLE
    assert (await change(await quick.organiser(AOI), attendee_role_id=GUILD_ID)).attendee_role_id is None, (
        "@everyone means none"
    )


async def test_while_discord_is_silent_no_role_is_chosen(quick: Bot) -> None:
    quick.local.faults.append(Fault("error", 9))
    with pytest.raises(DiscordSilent):
        await quick.service.guilds.change_settings(await quick.organiser(AOI), attendee_role_id=ATTENDEE_ROLE)


# Leaving with the account: its ties to guilds go, what people do in Discord stays.


ACCOUNT = Person("account", "aoi@example.com", "葵")


async def test_the_ties_of_an_account_go_and_its_events_stay(quick: Bot) -> None:
    event = await quick.event()
    guilds = quick.service.guilds
    await guilds.accept_link(ACCOUNT.user_id, await guilds.link(await quick.organiser(AOI)))
    people = EventPeople(quick.service.desk.db).personal()
    found = await exported(people, ACCOUNT)
    assert [one["guild_id"] for one in found["guilds.json"]] == [GUILD_ID]
    await leave(people, ACCOUNT)
    assert await exported(people, ACCOUNT) == {}
    assert await guilds.actor(ACCOUNT.user_id, GUILD_ID) is None
    assert (await quick.service.desk.event(GUILD_ID, event.event_id)).created_by == event.created_by


# What Discord answers about members, channels and roles

GUILD = {
    "id": "1",
    "name": "庭",
    "owner_id": "9",
    "roles": [
        {"id": "1", "name": "@everyone", "position": 0, "permissions": "0"},
        {"id": "2", "name": "admin", "position": 2, "permissions": "8"},
        {"id": "3", "name": "guest", "position": 1, "permissions": "0"},
        {"id": "4", "name": "a bot's own", "position": 3, "permissions": "0", "managed": True},
    ],
}


def membership(clock: ManualClock, *answers: tuple[int, object]) -> Membership:
    return Membership(client(clock, Canned(*((status, {}, body) for status, body in answers)), []))


async def test_choices_are_places_to_post_in_and_roles_that_may_be_given(clock: ManualClock) -> None:
    channels = [{"id": "7", "name": "雑談", "type": 0}, {"id": "8", "name": "voice", "type": 2}]
    found = await membership(clock, (200, GUILD), (200, channels)).choices("1")
    assert found.channels == (("7", "雑談"),)
    assert found.roles == (("2", "admin"), ("3", "guest"), ("1", "@everyone"))
    assert found.givable == (("3", "guest"),)


async def test_a_standing_has_the_name_that_the_server_shows(clock: ManualClock) -> None:
    member = {"nick": " あおい\n", "user": {"id": "5", "username": "aoi"}, "roles": ["2", "3"]}
    found = await membership(clock, (200, GUILD), (200, member))("1", "5")
    assert found is not None
    assert (found.actor.name, found.actor.roles, found.guild_name, found.position) == ("あおい", {"2", "3"}, "庭", 2)


@pytest.mark.parametrize("code", sorted(NOT_HERE))
async def test_a_person_who_left_has_no_standing(clock: ManualClock, code: int) -> None:
    assert await membership(clock, (200, GUILD), (404, {"code": code, "message": "?"}))("1", "5") is None


async def test_other_refusals_are_raised(clock: ManualClock) -> None:
    with pytest.raises(Refused):
        await membership(clock, (403, {"code": 40_001, "message": "?"}))("1", "5")
