"""The attendees' role follows the union of events, and every end of an event takes back what it gave."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from sekkei.runtime import leases
from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import ATTENDEE_ROLE, BOT_ROLE, GUILD_ID, MANAGER_ROLE
from sekkei_systems.eventbot.design import Event
from sekkei_systems.eventbot.jobs.events import LEASE
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.ports.discord.rest import Rest
from sekkei_systems.eventbot.rules.drafts import Details
from sekkei_systems.eventbot.rules.render import sentences
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, Bot


@pytest.fixture
async def with_role(quick: Bot) -> Bot:
    await quick.service.guilds.change_settings(await quick.organiser(AOI), attendee_role_id=ATTENDEE_ROLE)
    return quick


async def holders(bot: Bot) -> set[str]:
    for _ in range(3):
        await bot.work(6)
    return await bot.local.holders(ATTENDEE_ROLE)


async def joined(bot: Bot, *people: Any, **changes: Any) -> Event:
    event = await bot.event(**changes)
    for person in people:
        await bot.service.joining.join(person.actor, event.event_id)
    return event


async def test_whoever_leaves_one_event_keeps_the_role_of_another(with_role: Bot) -> None:
    first, second = await joined(with_role, REN, MEI), await joined(with_role, REN)
    assert await holders(with_role) == {REN.id, MEI.id}
    for person in (REN, MEI):
        await with_role.service.joining.leave(person.actor, first.event_id)
    assert await holders(with_role) == {REN.id}
    await with_role.service.joining.leave(REN.actor, second.event_id)
    assert await holders(with_role) == set()


async def test_calling_off_takes_the_role_back(with_role: Bot) -> None:
    event, other = await joined(with_role, REN, MEI), await joined(with_role, MEI)
    assert await holders(with_role) == {REN.id, MEI.id}
    await with_role.service.events.cancel(await with_role.host(AOI, event.event_id))
    assert await holders(with_role) == {MEI.id}
    assert other.cancelled_at is None


async def test_the_end_takes_the_role_back(with_role: Bot) -> None:
    start = with_role.service.desk.now() + timedelta(hours=3)
    event = await joined(with_role, REN, start=start, end=start + timedelta(hours=2))
    with_role.clock.advance(3 * 3600)
    assert await holders(with_role) == {REN.id}, "while it goes on they have it"
    with_role.clock.advance(2 * 3600)
    assert await holders(with_role) == set()
    stored = await with_role.service.events.get(GUILD_ID, event.event_id)
    assert not [name for name in stored.scheduled if name.endswith("-e")]


async def test_an_end_that_is_moved_takes_it_back_later(with_role: Bot) -> None:
    start = with_role.service.desk.now() + timedelta(hours=3)
    event = await joined(with_role, REN, start=start, end=start + timedelta(hours=1))
    await with_role.work()
    later = Details(end=start + timedelta(hours=5), remind_at=event.event_remind_at)
    await with_role.service.events.set_details(await with_role.host(AOI, event.event_id), later)
    await with_role.work()
    with_role.clock.advance(5 * 3600)
    assert await holders(with_role) == {REN.id}
    with_role.clock.advance(4 * 3600)
    assert await holders(with_role) == set()


async def test_a_role_that_got_powers_is_not_handed_out(with_role: Bot) -> None:
    event = await with_role.event()
    with_role.local.server.let(ATTENDEE_ROLE, allow=permissions.Permission.BAN_MEMBERS)
    await with_role.service.joining.join(SOTA.actor, event.event_id)
    assert await holders(with_role) == set()
    stored = await with_role.service.events.get(GUILD_ID, event.event_id)
    assert stored.troubles.keys() == {"role"}
    with_role.local.server.let(ATTENDEE_ROLE, deny=permissions.Permission.BAN_MEMBERS)
    await with_role.service.events.retry(await with_role.host(AOI, event.event_id))
    assert await holders(with_role) == {SOTA.id}


async def trouble_of(bot: Bot, event: Event) -> str:
    stored = await bot.service.events.get(GUILD_ID, event.event_id)
    return sentences(stored.troubles)[0][0]


async def test_a_role_raised_above_whoever_chose_it_is_not_handed_out(with_role: Bot) -> None:
    event = await with_role.event()
    server = with_role.local.server
    role, mine = server.role(ATTENDEE_ROLE), server.role(MANAGER_ROLE)
    assert role is not None
    assert mine is not None
    server.role(BOT_ROLE)["position"] = 9  # type: ignore[index]
    role["position"] = mine["position"]
    await with_role.service.joining.join(SOTA.actor, event.event_id)
    assert await holders(with_role) == set()
    assert await trouble_of(with_role, event) == "role-raised"
    role["position"] = mine["position"] - 1
    await with_role.service.events.retry(await with_role.host(AOI, event.event_id))
    assert await holders(with_role) == {SOTA.id}, "higher than it was, and still below them"


async def test_a_role_that_its_chooser_left_behind_is_handed_out(with_role: Bot) -> None:
    event = await with_role.event()
    server = with_role.local.server
    server.role(ATTENDEE_ROLE)["position"] = 2  # type: ignore[index]
    del server.members[AOI.id]
    await with_role.service.joining.join(SOTA.actor, event.event_id)
    assert await holders(with_role) == {SOTA.id}


async def test_a_role_above_the_bot_is_told_from_a_missing_permission(with_role: Bot) -> None:
    event = await with_role.event()
    server = with_role.local.server
    server.role(BOT_ROLE)["position"] = 1  # type: ignore[index]
    await with_role.service.joining.join(SOTA.actor, event.event_id)
    assert await holders(with_role) == set()
    assert await trouble_of(with_role, event) == "role-above-bot"
    server.role(BOT_ROLE)["position"] = 3  # type: ignore[index]
    server.let(BOT_ROLE, deny=permissions.Permission.MANAGE_ROLES)
    await with_role.service.events.retry(await with_role.host(AOI, event.event_id))
    assert await holders(with_role) == set()
    assert await trouble_of(with_role, event) == "role-permission"


async def test_a_lost_answer_and_a_missing_permission_are_made_good(with_role: Bot) -> None:
    event = await with_role.event()
    with_role.local.faults.append(Fault("lost", 1, on="PUT .*/roles/"))
    await with_role.service.joining.join(REN.actor, event.event_id)
    await with_role.work(2)
    for _ in range(6):
        await with_role.work(30)
    assert await holders(with_role) == {REN.id}
    with_role.local.server.let(BOT_ROLE, deny=permissions.Permission.MANAGE_ROLES)
    await with_role.service.joining.leave(REN.actor, event.event_id)
    assert await holders(with_role) == {REN.id}
    with_role.local.server.let(BOT_ROLE, allow=permissions.Permission.MANAGE_ROLES)
    await with_role.service.events.retry(await with_role.host(AOI, event.event_id))
    assert await holders(with_role) == set()


async def test_two_events_at_once_agree_about_one_person(with_role: Bot) -> None:
    first, second = await joined(with_role, REN), await with_role.event()
    assert await holders(with_role) == {REN.id}
    await with_role.service.joining.leave(REN.actor, first.event_id)
    await with_role.service.joining.join(REN.actor, second.event_id)
    with_role.clock.advance(6)
    scheduled = with_role.client.shell.deployment.systems["eventbot"].parts.scheduled["settle-event"]
    await asyncio.gather(*(scheduled({"guild_id": GUILD_ID, "event_id": one.event_id}) for one in (first, second)))
    assert await holders(with_role) == {REN.id}


async def test_a_call_on_its_way_holds_the_role_until_it_has_ended(
    with_role: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Discord is so slow that another worker takes up the same event meanwhile, and the person is back by then."""
    first, second = await joined(with_role, REN), await with_role.event()
    assert await holders(with_role) == {REN.id}
    await with_role.service.joining.leave(REN.actor, first.event_id)
    sound, is_on_its_way, arrives = Rest.take_role, asyncio.Event(), asyncio.Event()

    async def late(self: Rest, *call: str) -> None:
        is_on_its_way.set()
        await arrives.wait()
        await sound(self, *call)

    monkeypatch.setattr(Rest, "take_role", late)
    settle = with_role.client.shell.deployment.systems["eventbot"].parts.scheduled["settle-event"]
    with_role.clock.advance(6)
    slow = asyncio.create_task(settle({"guild_id": GUILD_ID, "event_id": first.event_id}))  # type: ignore[arg-type]
    await is_on_its_way.wait()
    await with_role.service.joining.join(REN.actor, second.event_id)
    with_role.clock.advance(LEASE.total_seconds() + 1)
    for event in (second, first, second):
        await settle({"guild_id": GUILD_ID, "event_id": event.event_id})
    arrives.set()
    await slow
    assert await holders(with_role) == {REN.id}


@pytest.fixture
def renewed_often(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Leases are renewed by the real clock, which is not that of the tests. The event tells of each time."""
    renewed, renew = asyncio.Event(), leases.Leases._renew

    async def noted(self: leases.Leases[Any], *row: Any) -> bool:
        done = await renew(self, *row)
        renewed.set()
        return done

    monkeypatch.setattr(leases, "RENEWALS", 3_000)
    monkeypatch.setattr(leases.Leases, "_renew", noted)
    return renewed


async def test_who_settles_for_long_stays_the_only_one(
    renewed_often: asyncio.Event, with_role: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by seeds 13025 and 13248 of the world: another one settled it meanwhile, and the first went on with whom it
    had seen take part half a minute before."""
    event = await joined(with_role, REN)
    assert await holders(with_role) == {REN.id}
    await with_role.service.joining.leave(REN.actor, event.event_id)
    sound, is_on_its_way, arrives = Rest.edit, asyncio.Event(), asyncio.Event()

    async def late(self: Rest, *call: Any) -> None:
        is_on_its_way.set()
        await arrives.wait()
        await sound(self, *call)

    monkeypatch.setattr(Rest, "edit", late)
    settle = with_role.client.shell.deployment.systems["eventbot"].parts.scheduled["settle-event"]
    slow = asyncio.create_task(settle({"guild_id": GUILD_ID, "event_id": event.event_id}))  # type: ignore[arg-type]
    await is_on_its_way.wait()
    monkeypatch.setattr(Rest, "edit", sound)
    await with_role.service.joining.join(REN.actor, event.event_id)
    for _ in range(3):
        await with_role.work(LEASE.total_seconds() / 2)
        renewed_often.clear()
        await renewed_often.wait()
    arrives.set()
    await slow
    assert await holders(with_role) == {REN.id}
