"""Identifiers, calendar, spreadsheet, demo data, and the bot as a Lambda function."""

from __future__ import annotations

import asyncio
import csv
import io
from datetime import datetime, timedelta

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.aws.eventbridge import EventBridgeSchedules
from sekkei.runtime.aws.eventbridge import schedule_name as checked_name
from sekkei.runtime.days import JST
from sekkei.runtime.identifiers import uuid7
from sekkei.store import Embedded
from sekkei_systems.eventbot import SYSTEM, calendar, spreadsheet
from sekkei_systems.eventbot.discord.signature import Signer
from sekkei_systems.eventbot.entities import Member
from sekkei_systems.eventbot.identifiers import custom_id, new_event_id, nonce, read_custom_id, schedule_name
from sekkei_systems.eventbot.service import EventView
from tests.systems.eventbot.conftest import AOI, REN, START, Bot, bot_on
from tests.systems.eventbot.test_limits import NOW, event


def test_ids_sort_by_time_and_fit_where_they_go(clock: ManualClock) -> None:
    made = []
    for _ in range(20):
        clock.advance(0.002)
        made.append(uuid7(clock))
    assert made == sorted(made)
    assert {one[14] for one in made} == {"7"}
    id = new_event_id(clock)
    for kind in ("r", "s", "d", "settle"):
        assert checked_name(schedule_name(id, kind)) == schedule_name(id, kind)
    assert len(nonce(id, 123456)) <= 25
    press = read_custom_id(custom_id("members", id, 3))
    assert press is not None
    assert (press.verb, f"EVT#{press.uuid}", press.more) == ("members", id, "3")


def test_the_calendar_is_what_rfc_5545_asks_for() -> None:
    found = calendar.feed(
        "会",
        [event(title="長い題; と, 記号\\" * 5, description="一行目\n二行目\x00" * 40), event(cancelled_at=NOW)],
        NOW,
    ).decode()
    assert "\x00" not in found
    assert found.endswith("END:VCALENDAR\r\n")
    lines = found.split("\r\n")
    assert max(len(line.encode()) for line in lines) <= 75
    unfolded = found.replace("\r\n ", "")
    assert "DTSTART:20260117T063000Z" in unfolded
    assert "一行目\\n二行目" in unfolded
    assert "長い題\\; と\\, 記号\\\\" in unfolded
    assert unfolded.count("BEGIN:VEVENT") == unfolded.count("END:VEVENT") == 2
    assert "STATUS:CANCELLED" in unfolded


def test_names_cannot_become_formulas() -> None:
    member = Member(guild_id="1", event_id=event().event_id, user_id="2", username='=HYPERLINK("x")', joined_at=NOW)
    body = spreadsheet.members_csv(EventView(event(), (member,), (), (), ()))
    rows = list(csv.reader(io.StringIO(body.decode("utf-8-sig"))))
    assert rows[1][3] == '\'=HYPERLINK("x")'


async def test_the_demo_fills_every_table(clock: ManualClock) -> None:
    store = Embedded(clock=clock)
    async with bot_on(store, clock) as bot:
        opened = bot.client.shell.deployment.systems["eventbot"]
        await SYSTEM.demo(opened.context, opened.parts)
        for table in SYSTEM.design.tables.values():
            found = await store.call("Scan", {"TableName": table.name, "Limit": 5})
            assert found["Count"] > 0, table.name
        await bot.work()
        titles = [body["embeds"][0]["title"] for _, body in await bot.posts() if body.get("embeds")]
        assert titles == ["【満員】オンラインもくもく会", "ボウリング大会"]
        listed = await bot.service.events.of_guild("900000000000000001", past=True)
        assert [one.title for one in listed] == ["読書会『達人プログラマー』"]
    await store.close()


async def test_reminders_go_to_eventbridge_where_it_is_set_up(quick: Bot) -> None:
    from sekkei_systems.eventbot.gateway import schedules_of

    context = quick.client.shell.deployment.systems["eventbot"].context
    assert schedules_of(context) is context.schedules
    from dataclasses import replace

    values = {"schedule_target": "arn:aws:lambda:x:1:function:bot", "schedule_role": "arn:aws:iam::1:role/r"}
    settings = replace(context.settings, values=values)
    assert isinstance(schedules_of(replace(context, settings=settings)), EventBridgeSchedules)


def test_the_bot_as_a_lambda_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """Discord's PING through a function URL, and a minute's tick, on a store of its own."""
    signer = Signer(b"0" * 32)
    monkeypatch.setenv("SEKKEI_SYSTEMS", "eventbot")
    monkeypatch.setenv("SEKKEI_STORE", ":memory:")
    monkeypatch.setenv("SEKKEI_SECRET", "long enough to be one")
    monkeypatch.setenv("SEKKEI_PUBLIC_URL", "https://bot.example.com")
    monkeypatch.setenv("SEKKEI_DISCORD_BOT_TOKEN", "secret")
    monkeypatch.setenv("SEKKEI_DISCORD_APPLICATION_ID", "42")
    monkeypatch.setenv("SEKKEI_DISCORD_PUBLIC_KEY", signer.public_key)
    from sekkei.runtime.aws.functions import _loop
    from sekkei.web import on_lambda

    on_lambda.functions.cache_clear()
    deployment = on_lambda.functions().deployment
    _loop().run_until_complete(deployment.make_tables())
    body = orjson.dumps({"type": 1})
    event = {
        "version": "2.0",
        "rawPath": "/eventbot/interactions",
        "headers": {"host": "bot.example.com", **signer.headers(body, datetime.now(JST).timestamp())},
        "requestContext": {"http": {"method": "POST", "sourceIp": "203.0.113.7"}},
        "body": body.decode(),
    }
    event["headers"]["content-length"] = str(len(body))
    answer = on_lambda.http(event, None)
    assert answer["statusCode"] == 200
    event["headers"]["x-signature-ed25519"] = "0" * 128
    assert on_lambda.http(event, None)["statusCode"] == 401
    assert on_lambda.http({**event, "rawPath": "/eventbot/simulator"}, None)["statusCode"] == 404
    on_lambda.work({}, None)
    _loop().run_until_complete(deployment.store.close())
    on_lambda.functions.cache_clear()
    asyncio.set_event_loop(None)
    _loop.cache_clear()


async def test_a_permission_that_comes_back_is_used(quick: Bot) -> None:
    """What was forbidden for a while is edited again at the next change, without anybody asking."""
    from sekkei_systems.eventbot.discord.local import Fault

    made = await quick.event(start=quick.service.desk.now() + timedelta(hours=9))
    quick.local.faults.append(Fault("forbidden", 1))
    await quick.service.joining.join(REN.actor, made.event_id)
    await quick.work(6)
    assert (await quick.service.events.get(made.guild_id, made.event_id)).delivery_error is not None
    await quick.service.joining.join(AOI.actor, made.event_id)
    await quick.work(6)
    now = await quick.service.events.get(made.guild_id, made.event_id)
    assert now.delivery_error is None
    assert now.recruit_message_id == made.recruit_message_id
    assert quick.clock.now() > START
