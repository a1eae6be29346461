"""Making and changing an event on the web."""

from __future__ import annotations

from sekkei_systems.eventbot.demo.guild import GUILD_ID, RECRUIT
from sekkei_systems.eventbot.design import Status
from tests.systems.eventbot.conftest import AOI, MEI, REN, Bot, linked


async def test_organising_by_web(quick: Bot) -> None:
    await quick.service.guilds.change_settings(await quick.organiser(AOI), recruit_channel_id=RECRUIT)
    client = await linked(quick, "organiser@example.com", AOI)
    wrong = await client.post(f"/eventbot/guilds/{GUILD_ID}/events", {"title": "会", "start": "いつか"})
    assert wrong.status == 422
    assert "いつか" in wrong.text
    made = await client.post(
        f"/eventbot/guilds/{GUILD_ID}/events", {"title": "<b>会</b>", "start": "明日 21時", "capacity": "3"}
    )
    assert made.status == 303
    shown = await client.get(made.location)
    assert "&lt;b&gt;会&lt;/b&gt;" in shown.text
    assert "<b>会</b>" not in shown.text
    await quick.work()
    [event] = await quick.service.events.of_guild(GUILD_ID)
    for person in (REN, MEI):
        await quick.service.joining.join(person.actor, event.event_id)
    sheet = await client.get(made.location + "/members.csv")
    assert sheet.body.startswith(b"\xef\xbb\xbf")
    assert REN.name in sheet.text
    assert (await client.post(made.location + "/do/close")).status == 303
    assert (await quick.service.events.get(GUILD_ID, event.event_id)).status is Status.CLOSED
    stale = await client.post(made.location + "/edit", {"title": "古い", "start": "明日 21時", "version": "1"})
    assert stale.status == 412
    assert (await client.post(made.location + "/do/nonsense")).status == 404
    assert 'value="None"' not in (await client.get(f"/eventbot/guilds/{GUILD_ID}/settings")).text
    feed = await client.get(f"/eventbot/calendar/{GUILD_ID}/{quick.service.guilds.calendar_key(GUILD_ID)}.ics")
    assert "SUMMARY:<b>会</b>" in feed.text
    assert (await client.get(f"/eventbot/calendar/{GUILD_ID}/{'0' * 32}.ics")).status == 404
