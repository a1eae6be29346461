"""Believable sample data: a server of people who meet to work, play and talk."""

from __future__ import annotations

from datetime import datetime, timedelta

from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.system import Context, Parts
from sekkei_systems.eventbot.demo import guild
from sekkei_systems.eventbot.design import (
    Ack,
    Answer,
    Event,
    GuildSettings,
    Member,
    Notice,
    OrganiserLink,
    Repeat,
    Status,
    acks,
    events,
    guild_settings,
    members,
    notices,
    organiser_links,
)
from sekkei_systems.eventbot.rules import drafts
from sekkei_systems.eventbot.rules.drafts import Details, Draft, NewNotice
from sekkei_systems.eventbot.rules.identifiers import new_event_id, new_notice_id
from sekkei_systems.eventbot.service import Service


async def demo(context: Context, parts: Parts) -> None:
    service: Service = parts.service
    await _settings(service)
    await _coming(service)
    await _raid(service)
    await _past(service)


async def _settings(service: Service) -> None:
    db = service.desk.db
    settings = GuildSettings(
        guild_id=guild.GUILD_ID,
        recruit_channel_id=guild.RECRUIT,
        notice_channel_id=guild.NOTICES,
        organiser_role_id=guild.ORGANISER_ROLE,
        attendee_role_id=guild.ATTENDEE_ROLE,
        remind_minutes_before=60,
    )
    await db.write(guild_settings.put(settings))
    for account in DEMO_PEOPLE[:2]:
        person = guild.person_of_account(account.id)
        assert person is not None
        link = OrganiserLink(
            account_id=account.id,
            guild_id=guild.GUILD_ID,
            guild_name=guild.GUILD_NAME,
            user_id=person.id,
            user_name=person.name,
            roles=list(person.roles),
            permissions=str(person.permissions),
            expires=service.desk.now() + timedelta(days=365),
        )
        await db.write(organiser_links.put(link))


def _evening(service: Service, days_ahead: int, hour: int) -> datetime:
    return (service.desk.now() + timedelta(days=days_ahead)).replace(hour=hour, minute=0, second=0)


async def _coming(service: Service) -> None:
    aoi, ren, mei, sota, yui = (person.actor for person in guild.PEOPLE.values())
    start = _evening(service, 2, 21)
    weekly = await service.events.create(
        await service.access.creator(aoi),
        Draft(
            "オンラインもくもく会",
            "各自の作業を持ち寄って、21 時から静かに進めます。\n最後の 15 分で成果を話しましょう。",
            "ボイスチャンネル「作業部屋」",
            4,
            start=start,
            end=start + timedelta(hours=2),
        ),
    )
    details = Details(
        deadline=start - timedelta(hours=3),
        remind_at=start - timedelta(hours=1),
        end=start + timedelta(hours=2),
        repeat=Repeat.WEEKLY,
    )
    weekly = await service.events.set_details(await service.access.host(aoi, weekly.event_id), details)
    await service.guilds.save_template(await service.access.host(aoi, weekly.event_id), "もくもく会")
    for actor in (aoi, ren, mei, yui):
        await service.joining.join(actor, weekly.event_id)
    await service.joining.join(sota, weekly.event_id)
    notice = await service.notices.post(
        await service.access.host(aoi, weekly.event_id),
        NewNotice(
            "自己紹介の準備をお願いします", "最初に一人 1 分で、今日やることを話します。", start - timedelta(hours=6)
        ),
    )
    for actor in (ren, mei):
        await service.notices.confirm(actor, notice.notice_id)

    bowling_start = _evening(service, 9, 14)
    bowling = await service.events.create(
        await service.access.creator(ren),
        Draft(
            "ボウリング大会",
            "2 ゲームの合計で競います。",
            "渋谷",
            12,
            start=bowling_start,
            end=bowling_start + timedelta(hours=3),
        ),
    )
    await service.guilds.save_template(await service.access.host(ren, bowling.event_id), "ボウリング")
    await service.guilds.set_directs(sota, True)
    for actor in (ren, sota):
        await service.joining.join(actor, bowling.event_id)
    await service.joining.answer(mei, bowling.event_id, Answer.MAYBE)
    await service.joining.answer(yui, bowling.event_id, Answer.NO)


async def _raid(service: Service) -> None:
    """One with sign-up options: a tank short, a healer waiting, somebody late."""
    aoi, ren, mei, sota, yui = (person.actor for person in guild.PEOPLE.values())
    start = _evening(service, 5, 20)
    written = tuple(drafts.read_options("🛡️ タンク 2\n💚 ヒーラー 1\n⚔️ アタッカー 4"))
    raid = await service.events.create(
        await service.access.creator(ren),
        Draft(
            "土曜レイド",
            "初参加も歓迎です。",
            "ボイスチャンネル「冒険」",
            start=start,
            end=start + timedelta(hours=3),
            options=written,
        ),
    )
    await service.guilds.save_template(await service.access.host(ren, raid.event_id), "レイド（役割つき）")
    for actor, option in ((ren, "01"), (mei, "02"), (sota, "02"), (aoi, "03")):
        await service.joining.choose(actor, raid.event_id, option)
    await service.joining.choose(yui, raid.event_id, "03", late=True)


async def _past(service: Service) -> None:
    """One that is over, with everything that was said about it."""
    db, now = service.desk.db, service.desk.now()
    start = _evening(service, -6, 19)
    aoi, *others = guild.PEOPLE.values()
    event = Event(
        guild_id=guild.GUILD_ID,
        event_id=new_event_id(service.desk.clock),
        title="読書会『達人プログラマー』",
        status=Status.CLOSED,
        created_by=aoi.id,
        created_by_name=aoi.name,
        created_at=now - timedelta(days=14),
        event_start_at=start,
        event_end_at=start + timedelta(hours=2),
        event_remind_at=start - timedelta(hours=1),
        reminded_at=start - timedelta(hours=1),
        description="第 3 章まで読んできてください。",
        location="会議室 B",
        member_count=4,
        attended_count=3,
    )
    await db.write(events.create(event))
    for number, person in enumerate((aoi, *others[:3])):
        member = Member(
            guild_id=guild.GUILD_ID,
            event_id=event.event_id,
            user_id=person.id,
            username=person.name,
            joined_at=now - timedelta(days=13, minutes=-7 * number),
            attended=number != 2,
        )
        await db.write(members.create(member))
    notice = Notice(
        guild_id=guild.GUILD_ID,
        notice_id=new_notice_id(service.desk.clock),
        event_id=event.event_id,
        status=Status.CLOSED,
        title="会場が変わりました",
        body="会議室 A から会議室 B に変わりました。",
        created_by=aoi.id,
        created_by_name=aoi.name,
        created_at=start - timedelta(days=2),
    )
    await db.write(notices.create(notice))
    for number, person in enumerate((aoi, *others[:2])):
        ack = Ack(
            guild_id=guild.GUILD_ID,
            notice_id=notice.notice_id,
            event_id=event.event_id,
            user_id=person.id,
            username=person.name,
            acked_at=start - timedelta(days=2, minutes=-11 * (number + 1)),
        )
        await db.write(acks.create(ack))
