"""A year of a guild in simulated time: two series across both changes of summer time, 300 members, and a Discord that
fails in every way it knows. Roles, counts and reminders equal a recount; nothing is sent twice."""

from __future__ import annotations

import random
import re
from collections import Counter
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from sekkei_fakes.discord import demo
from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import ATTENDEE_ROLE, BOT_ROLE, GUILD_ID, NOTICES, RECRUIT
from sekkei_systems.eventbot.design import Event, Repeat, members_of_event
from sekkei_systems.eventbot.jobs.events import is_lost
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.refusals import AlreadyIn, AlreadyWaiting, Cancelled, Closed, NotIn, Started
from sekkei_systems.eventbot.rules.drafts import Details, Draft
from sekkei_systems.eventbot.rules.views import is_over
from tests.systems.eventbot.conftest import AOI, Bot, somebody

BERLIN = ZoneInfo("Europe/Berlin")
PEOPLE = [somebody(number) for number in range(300)]
WEEKS = 52
FAULTS = (
    ("lost", "PUT .*/roles/"),
    ("lost", "DELETE .*/roles/"),
    ("lost", "POST .*/threads"),
    ("lost", "POST .*/scheduled-events"),
    ("lost", "POST .*/messages"),
    ("lost", "PATCH .*/messages"),
    ("error", ""),
    ("rate", ""),
    ("global", ""),
    ("old-edits", "PATCH .*/messages"),
)


async def settle(bot: Bot, rounds: int = 14) -> None:
    for _ in range(rounds):
        await bot.work(11)


async def begin(bot: Bot) -> None:
    """Wednesdays at eight in the evening, and the last day of each month."""
    for person in PEOPLE:
        bot.local.server.members[person.id] = demo.member(person)
    await bot.service.guilds.change_settings(
        await bot.organiser(AOI),
        time_zone="Europe/Berlin",
        make_thread=True,
        mirror_events=True,
        attendee_role_id=ATTENDEE_ROLE,
        notice_channel_id=NOTICES,
    )
    bot.clock.advance(datetime(2026, 1, 20, 12, tzinfo=BERLIN).timestamp() - bot.clock.now())
    for title, day, repeat in (("水曜の会", 21, Repeat.WEEKLY), ("月末の会", 31, Repeat.MONTHLY)):
        start = datetime(2026, 1, day, 20, tzinfo=BERLIN)
        draft = Draft(title, start=start, end=start + timedelta(hours=2), capacity=30)
        made = await bot.service.events.create(await bot.creator(AOI), draft, RECRUIT)
        details = Details(repeat=repeat, end=made.event_end_at, remind_at=made.event_remind_at)
        await bot.service.events.set_details(await bot.host(AOI, made.event_id), details)


async def crowd(bot: Bot, dice: random.Random, coming: list[Event]) -> None:
    for event in coming:
        for person in dice.sample(PEOPLE, 12):
            try:
                if dice.random() < 0.75:
                    await bot.service.joining.join(person.actor, event.event_id)
                else:
                    await bot.service.joining.leave(person.actor, event.event_id)
            except (AlreadyIn, AlreadyWaiting, Cancelled, Closed, NotIn, Started):
                pass


async def trouble(bot: Bot, dice: random.Random, coming: list[Event]) -> None:
    """By hand in Discord, or by Discord itself."""
    kind, on = dice.choice(FAULTS)
    bot.local.faults.append(Fault(kind, dice.randrange(1, 4), dice.uniform(1, 20), on))
    event, server = dice.choice(coming), bot.local.server
    what = dice.choice(("native", "thread", "roles", "call off", "post", "kicked", "raised", "closed", "nothing"))
    if what == "native" and event.scheduled_event_id:
        await bot.local.forget("scheduled-event", event.scheduled_event_id)
    elif what == "thread" and event.thread_id:
        await bot.local.forget("thread", event.thread_id)
    elif what == "roles":
        server.let(BOT_ROLE, deny=permissions.Permission.MANAGE_ROLES)
    elif what == "post" and event.recruit_message_id:
        await bot.local.delete(RECRUIT, event.recruit_message_id)
    elif what == "kicked":
        server.members.pop(server.bot_id)
    elif what == "raised":
        server.role(ATTENDEE_ROLE)["position"] = 8  # type: ignore[index]
    elif what == "closed":
        server.overwrite(RECRUIT, GUILD_ID, deny=permissions.Permission.VIEW_CHANNEL)
    elif what == "call off":
        await bot.service.events.cancel(await bot.host(AOI, event.event_id))


async def mend(bot: Bot, seen: dict[str, Event]) -> None:
    """Somebody invites the bot again, gives permissions back, and presses «try again» where there was trouble."""
    whole, server = demo.server(), bot.local.server
    server.members[server.bot_id] = whole.members[server.bot_id]
    server.guild["roles"] = whole.guild["roles"]
    server.overwrite(RECRUIT, GUILD_ID)
    for event in list(seen.values()):
        current = await bot.service.events.get(GUILD_ID, event.event_id)
        if is_lost(current.delivery_error):
            await bot.service.events.repost(await bot.host(AOI, event.event_id))
        elif current.troubles.keys() & {"role", "mirror", "thread"} or current.delivery_error:
            await bot.service.events.retry(await bot.host(AOI, event.event_id))


async def recount(bot: Bot, seen: dict[str, Event]) -> None:
    holders: set[str] = set()
    for event in list(seen.values()):
        current = await bot.service.events.get(GUILD_ID, event.event_id)
        members = await bot.service.desk.db.all(members_of_event(GUILD_ID, event.event_id).consistent())
        assert current.member_count == len(members)
        if not is_over(current, bot.service.desk.now()):
            holders |= {one.user_id for one in members}
    assert await bot.local.holders(ATTENDEE_ROLE) == holders


@pytest.mark.timeout(600)  # fifteen seconds of work, which a busy machine takes its time over
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.torture) for seed in range(2, 7))])
async def test_a_year(quick: Bot, seed: int) -> None:
    dice, seen = random.Random(seed), dict[str, Event]()
    await begin(quick)
    for _ in range(WEEKS):
        await settle(quick, 4)
        coming = await quick.service.events.of_guild(GUILD_ID)
        seen |= {one.event_id: one for one in coming}
        await trouble(quick, dice, coming)
        await crowd(quick, dice, coming)
        await settle(quick, 4)
        await mend(quick, seen)
        await settle(quick)
        seen |= {one.event_id: one for one in await quick.service.events.of_guild(GUILD_ID)}
        await recount(quick, seen)
        quick.local.faults.clear()
        for _ in range(
            14
        ):  # the rest of the week, in steps so long that no nonce would be remembered from one to the next
            await quick.work(12 * 3600 - 5 * 33)
            await settle(quick, 3)
            seen |= {one.event_id: one for one in await quick.service.events.all_of_guild(GUILD_ID)}
    await weigh(quick, seen)


async def weigh(bot: Bot, seen: dict[str, Event]) -> None:
    """The whole year: no series lost its hour, nobody was reminded twice, nothing was posted twice."""
    starts = [one.event_start_at.astimezone(BERLIN) for one in seen.values() if one.event_start_at]
    assert {f"{start:%H:%M}" for start in starts} == {"20:00"}
    months = sorted(start for start in starts if start.weekday() != 2 or start.day > 28)
    assert {start.day for start in months if start.month == 2} <= {25, 28}
    assert len(starts) >= WEEKS
    threads = [id for id, _ in await bot.local.things("thread")]
    posts = [one for place in (RECRUIT, NOTICES, *threads) for one, _ in await bot.posts_of(place)]
    reminders = Counter(re.findall(r"まもなく始まります。 <t:(\d+):R>", " ".join(one.body for one in posts)))
    assert reminders
    assert max(reminders.values()) <= 2, "one for each of two series at the same hour"
    messages = [one.recruit_message_id for one in seen.values() if one.recruit_message_id]
    assert len(messages) == len(set(messages))
    drawn = [one for one in posts if '"embeds"' in one.body]
    assert len({one.message_id for one in drawn}) == len(drawn) == len(seen)
    natives = Counter(one["name"] + one["scheduled_start_time"] for _, one in await bot.local.things("scheduled-event"))
    assert not natives or max(natives.values()) == 1
