"""The acceptance checks of the specification, on every store and in bad weather."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import orjson

from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import GUILD_ID, RECRUIT
from sekkei_systems.eventbot.design import Status
from sekkei_systems.eventbot.jobs.reminders import Reminders
from sekkei_systems.eventbot.refusals import AlreadyIn, Full
from sekkei_systems.eventbot.rules.drafts import Details, Draft, NewNotice
from tests.systems.eventbot.conftest import AOI, MEI, REN, Bot, somebody


async def test_200_concurrent_joins_at_capacity_50(bot: Bot) -> None:
    event = await bot.event(capacity=50)
    await bot.service.events.set_details(await bot.host(AOI, event.event_id), Details(waiting_list=False))

    async def join(number: int) -> str:
        try:
            await bot.service.joining.join(somebody(number).actor, event.event_id)
        except Full:
            return "full"
        return "in"

    answers = await asyncio.gather(*(join(number) for number in range(200)))
    assert sorted(answers) == ["full"] * 150 + ["in"] * 50
    view = await bot.service.events.view(GUILD_ID, event.event_id)
    assert len(view.members) == 50
    assert view.event.member_count == 50


async def test_the_same_rush_with_a_waiting_list_keeps_both_counts(bot: Bot) -> None:
    event = await bot.event(capacity=10)
    await asyncio.gather(*(bot.service.joining.join(somebody(n).actor, event.event_id) for n in range(30)))
    view = await bot.service.events.view(GUILD_ID, event.event_id)
    assert (len(view.members), len(view.waiting)) == (10, 20)
    assert (view.event.member_count, view.event.waiting_count) == (10, 20)
    leaving = list(view.members[:5])
    people = {somebody(n).id: somebody(n) for n in range(30)}
    await asyncio.gather(*(bot.service.joining.leave(people[one.user_id].actor, event.event_id) for one in leaving))
    await bot.calm()
    after = await bot.service.events.view(GUILD_ID, event.event_id)
    assert (len(after.members), len(after.waiting)) == (10, 15)
    assert (after.event.member_count, after.event.waiting_count) == (10, 15)
    first = [one.user_id for one in view.waiting[:5]]
    assert {one.user_id for one in after.members} == {one.user_id for one in view.members[5:]} | set(first)


async def test_a_double_press_joins_once(bot: Bot) -> None:
    event = await bot.event()

    async def join() -> bool:
        try:
            await bot.service.joining.join(REN.actor, event.event_id)
        except AlreadyIn:
            return False
        return True

    assert sorted(await asyncio.gather(join(), join(), join())) == [False, False, True]
    assert (await bot.service.events.get(GUILD_ID, event.event_id)).member_count == 1


async def test_edited_while_30_acks_arrive_the_last_render_is_right(bot: Bot) -> None:
    event = await bot.event()
    people = [somebody(number) for number in range(30)]
    await asyncio.gather(*(bot.service.joining.join(one.actor, event.event_id) for one in people))
    notice = await bot.service.notices.post(await bot.host(AOI, event.event_id), NewNotice("集合", "21 時に"))
    await bot.calm()
    notice = await bot.service.desk.notice(GUILD_ID, notice.notice_id)
    assert notice.notice_message_id is not None

    async def acknowledge(number: int) -> None:
        pressed = await bot.app.press(
            people[number], RECRUIT, str(notice.notice_message_id), f"e1:ack:{notice.notice_id[4:]}"
        )
        assert pressed.ok, pressed.reason

    async def edit() -> None:
        current = await bot.service.events.get(GUILD_ID, event.event_id)
        draft = Draft("もくもく会（改）", start=current.event_start_at)
        await bot.service.events.edit(await bot.host(AOI, event.event_id), draft, current.version)

    await asyncio.gather(*(acknowledge(number) for number in range(30)), edit())
    await bot.calm()
    shown = {one.message_id: body for one, body in await bot.posts()}
    assert "**30 / 30**" in str(shown[notice.notice_message_id])
    assert "もくもく会（改）" in str(shown[notice.notice_message_id])
    assert shown[str(event.recruit_message_id)]["embeds"][0]["title"] == "もくもく会（改）"
    assert "✅ 参加 30" in str(shown[str(event.recruit_message_id)])


async def test_a_429_is_waited_for_and_nothing_is_lost(bot: Bot) -> None:
    event = await bot.event()
    bot.local.faults.append(Fault("rate", 1, 30.0))
    await bot.service.joining.join(REN.actor, event.event_id)
    await bot.work(2)
    assert bot.local.log[0]["status"] == 429
    requests = len(bot.local.log)
    await bot.work(20)
    assert len(bot.local.log) == requests, "something was sent before retry_after had passed"
    await bot.work(11)
    assert bot.local.log[0]["status"] == 200
    shown = {one.message_id: body for one, body in await bot.posts()}
    assert REN.id in str(shown[str(event.recruit_message_id)])


async def test_a_restart_between_storing_and_posting_loses_nothing(bot: Bot) -> None:
    """The post is written down with the event, so whoever works next makes it, and only once."""
    made = await bot.service.events.create(
        await bot.creator(AOI), Draft("夜の会", start=bot.service.desk.now() + timedelta(hours=5)), RECRUIT
    )
    assert made.recruit_message_id is None
    bot.local.faults.append(Fault("error", 2))
    await bot.work(1)
    assert (await bot.service.events.get(GUILD_ID, made.event_id)).recruit_message_id is None
    for _ in range(5):
        await bot.work(30)
    event = await bot.service.events.get(GUILD_ID, made.event_id)
    posts = [one for one, body in await bot.posts() if "夜の会" in str(body)]
    assert [one.message_id for one in posts] == [event.recruit_message_id]


async def test_posted_but_not_remembered_is_not_posted_twice(bot: Bot) -> None:
    """The worker dies after Discord has the message: the nonce finds it again."""
    event = await bot.event()
    from sekkei_systems.eventbot.design import Event, events

    await bot.service.desk.db.write(
        events.update(GUILD_ID, event.event_id).remove(Event.recruit_message_id).keeping_version()
    )
    await bot.service.desk.transact(bot.service.desk.settle_event(GUILD_ID, event.event_id))
    await bot.calm()
    again = await bot.service.events.get(GUILD_ID, event.event_id)
    assert again.recruit_message_id == event.recruit_message_id
    assert len(await bot.posts()) == 1


async def test_a_scheduler_that_fires_twice_reminds_once(bot: Bot) -> None:
    event = await bot.event(start=bot.service.desk.now() + timedelta(hours=3))
    for person in (REN, MEI):
        await bot.service.joining.join(person.actor, event.event_id)
    await bot.work()
    assert event.event_remind_at is not None
    payload = {"guild_id": GUILD_ID, "event_id": event.event_id, "at": event.event_remind_at.isoformat()}
    await bot.work(2 * 3600 + 5)
    reminders = Reminders(bot.service.desk, bot.service.notices)
    await asyncio.gather(reminders.remind_event(payload), reminders.remind_event(payload))
    await bot.calm()
    posted = [body for _, body in await bot.posts() if "まもなく" in body.get("content", "")]
    assert len(posted) == 1
    assert sorted(posted[0]["allowed_mentions"]["users"]) == [REN.id, MEI.id]


async def test_notices_of_30_page_four_by_four(bot: Bot) -> None:
    event = await bot.event()
    await bot.service.guilds.change_settings(await bot.organiser(AOI), one_open_notice=False)
    for number in range(30):
        bot.clock.advance(1)
        await bot.service.notices.post(await bot.host(AOI, event.event_id), NewNotice(f"連絡{number:02d}", "本文"))
    bot.clock.advance(2)  # the index shows what is a moment old
    opened = await bot.press(AOI, event, "notices")
    seen: list[str] = []
    answer = opened
    for page in range(8):
        fields = answer.response["data"]["embeds"][0]["fields"]
        assert len(fields) == (4 if page < 7 else 2)
        seen += [field["name"][-4:] for field in fields]
        turning = answer.response["data"]["components"][-1]["components"]
        assert turning[1]["label"] == f"{page + 1} / 8"
        assert opened.message_id is not None
        if page < 7:
            answer = await bot.app.press(AOI, RECRUIT, opened.message_id, turning[2]["custom_id"])
    assert seen == [f"連絡{number:02d}"[-4:] for number in reversed(range(30))]


async def test_forged_replayed_and_stale_requests_change_nothing(bot: Bot) -> None:
    event = await bot.event()
    app = bot.app
    data = {"custom_id": f"e1:join:{event.event_id[4:]}", "component_type": 2}
    body = orjson.dumps(app.interaction(3, REN, RECRUIT, data, "token"))
    good = app._signer.headers(body, bot.clock.now())

    async def send(headers: dict[str, str], content: bytes = body) -> int:
        return (await bot.client.request("POST", "/eventbot/interactions", content, headers)).status

    wrong = {**good, "x-signature-ed25519": "0" * 128}
    assert await send(wrong) == 401
    assert await send({}) == 401
    assert await send({**good, "x-signature-ed25519": "zz" * 64}) == 401
    assert await send({**good, "x-signature-ed25519": good["x-signature-ed25519"][:-2]}) == 401
    assert await send({**good, "x-signature-timestamp": str(int(good["x-signature-timestamp"]) + 1)}) == 401
    assert await send(good, body + b" ") == 401
    assert await send(wrong, b'{"type":1}') == 401
    ping = b'{"type":1}'
    assert await send(app._signer.headers(ping, bot.clock.now()), ping) == 200
    stale = app._signer.headers(body, bot.clock.now() - 301)
    assert await send(stale) == 401
    assert (await bot.service.events.get(GUILD_ID, event.event_id)).member_count == 0
    assert await send(good) == 200
    await bot.service.joining.leave(REN.actor, event.event_id)
    assert await send(good) == 409, "a replay"
    assert (await bot.service.events.get(GUILD_ID, event.event_id)).member_count == 0


async def test_an_event_that_is_removed_takes_everything_with_it(bot: Bot) -> None:
    event = await bot.event(capacity=2)
    for person in (AOI, REN, MEI):
        await bot.service.joining.join(person.actor, event.event_id)
    notice = await bot.service.notices.post(await bot.host(AOI, event.event_id), NewNotice("連絡", "本文"))
    await bot.work()
    await bot.service.notices.confirm(REN.actor, notice.notice_id)
    asked = await bot.press(AOI, event, "deleteyes")
    assert asked.ok
    await bot.calm()
    from sekkei_systems.eventbot import design

    db = bot.service.desk.db
    assert await db.get(design.event(GUILD_ID, event.event_id)) is None
    assert await db.all(design.members_of_event(GUILD_ID, event.event_id)) == []
    assert await db.all(design.replies_of_event(GUILD_ID, event.event_id)) == []
    assert await db.get(design.notice(GUILD_ID, notice.notice_id)) is None
    assert await db.all(design.acks_of_notice(GUILD_ID, notice.notice_id)) == []
    assert (await bot.service.queue.waiting(GUILD_ID, event.event_id)) == []


async def test_the_start_closes_the_event_and_its_notice(bot: Bot) -> None:
    event = await bot.event(start=bot.service.desk.now() + timedelta(hours=3))
    notice = await bot.service.notices.post(await bot.host(AOI, event.event_id), NewNotice("連絡", "本文"))
    await bot.work()
    for _ in range(3):
        await bot.work(3600 + 5)
    await bot.calm()
    now = await bot.service.events.get(GUILD_ID, event.event_id)
    assert now.status is Status.CLOSED
    assert now.open_notice_id is None
    assert (await bot.service.desk.notice(GUILD_ID, notice.notice_id)).status is Status.CLOSED
    shown = {one.message_id: body for one, body in await bot.posts()}
    buttons = shown[str(event.recruit_message_id)]["components"][0]["components"]
    assert all(button["disabled"] for button in buttons)
