"""Slash commands."""

from __future__ import annotations

import re
from dataclasses import replace

from sekkei_fakes.discord.client import AppClient
from sekkei_fakes.discord.end import APPLICATION
from sekkei_fakes.discord.limits import problems_of_commands
from sekkei_systems.eventbot.demo import guild
from sekkei_systems.eventbot.demo.guild import ATTENDEE_ROLE, GUILD_ID, MODERATOR_ROLE, ORGANISER_ROLE, RECRUIT, Person
from sekkei_systems.eventbot.ports.discord.permissions import Permission
from sekkei_systems.eventbot.rules.drafts import NewNotice
from sekkei_systems.eventbot.webhooks.commands import COMMANDS
from tests.systems.eventbot.conftest import AOI, MEI, REN, SOTA, Bot

JAPANESE = re.compile(r"[぀-ヿ一-鿿]")


async def test_english_on_request(quick: Bot) -> None:
    """Whoever has Discord in English is answered in English, what is wrong with a form included."""
    app = AppClient(quick.local, quick.app._signer, quick.app._deliver, APPLICATION, quick.clock, "en-GB")
    opened = await app.command(AOI, RECRUIT, "event create", {})
    assert opened.modal is not None
    assert opened.modal["title"] == "New event"
    for values, said in (
        ({"title": " ", "start": "tomorrow 9pm"}, "Please give the title."),
        ({"title": "x", "location": "y" * 101}, "At most 100 characters for the place"),
        ({"title": "x", "start": "someday"}, "could not be read as a date"),
    ):
        wrong = await app.submit(AOI, RECRUIT, opened.modal["custom_id"], values)
        assert said in wrong.response["data"]["content"]
        assert not JAPANESE.search(wrong.response["data"]["content"])
    made = await app.submit(AOI, RECRUIT, opened.modal["custom_id"], {"title": "Party", "start": "next Friday 8pm"})
    assert "It will appear in" in made.response["data"]["content"]
    assert "<t:1769166000:F>" in made.response["data"]["content"], "the date, as it was read"
    [event] = await quick.service.events.of_guild(GUILD_ID)
    for verb in ("event list", "event mine", "event help", "event settings", "event web"):
        answer = await app.command(AOI, RECRUIT, verb, {})
        assert not JAPANESE.search(str(answer.response["data"].get("content"))), verb
    panel = await app.command(AOI, RECRUIT, "event manage", {"event": event.event_id[4:]})
    assert not JAPANESE.search(str(panel.response))


async def test_every_command_answers(quick: Bot) -> None:
    from sekkei_systems.eventbot.webhooks.commands import COMMANDS

    event = await quick.event()
    for command in COMMANDS:
        for sub in command["options"]:
            words = f"{command['name']} {sub['name']}"
            options = {"event": event.event_id[4:]} if any(one["name"] == "event" for one in sub["options"]) else {}
            outcome = await quick.app.command(AOI, RECRUIT, words, options)
            assert outcome.ok, (words, outcome.reason)
            said = str(outcome.response.get("data", {}).get("content", ""))
            assert "使えません" not in said, (words, said)
            assert "うまくいきません" not in said, (words, said)


async def test_autocomplete_finds_events_by_what_is_typed(quick: Bot) -> None:
    for title in ("読書会", "もくもく会", "ボウリング"):
        await quick.event(title=title)
        quick.clock.advance(6)
    found = await quick.app.complete(REN, RECRUIT, "event show", {"event": "会"})
    assert sorted(one["name"][:3] for one in found.choices) == ["もくも", "読書会"]


async def test_settings_by_command(quick: Bot) -> None:
    await quick.app.command(AOI, RECRUIT, "event settings", {"remind": 30, "language": "en", "thread": True})
    settings = await quick.service.guilds.settings(GUILD_ID)
    assert (settings.remind_minutes_before, settings.locale, settings.make_thread) == (30, "en", True)
    event = await quick.event()
    assert event.thread_id is not None
    await quick.work(6)
    shown = {one.message_id: body for one, body in await quick.posts()}
    assert "Join" in str(shown[str(event.recruit_message_id)]["components"])
    assert f"<#{event.thread_id}>" in str(shown[str(event.recruit_message_id)])


async def test_the_organisers_role_is_no_way_to_a_moderators_role(quick: Bot) -> None:
    """Settings, an event, a press: nobody gets a role by that who could not have given it."""
    await quick.service.guilds.change_settings(await quick.organiser(AOI), organiser_role_id=ORGANISER_ROLE)
    tried = await quick.app.command(REN, RECRUIT, "event settings", {"attendee": MODERATOR_ROLE})
    assert "ロールの管理" in tried.response["data"]["content"]
    event = await quick.event()
    await quick.press(REN, event, "join")
    for _ in range(3):
        await quick.work(6)
    assert REN.id not in await quick.local.holders(MODERATOR_ROLE)


async def test_creating_is_for_those_whom_discord_lets_and_the_roles_of_the_settings(quick: Bot) -> None:
    async def may(person: Person) -> bool:
        return (await quick.app.command(person, RECRUIT, "event create", {})).modal is not None

    creator = replace(MEI, permissions=MEI.permissions | Permission.CREATE_EVENTS)
    assert [await may(person) for person in (AOI, REN, SOTA, creator)] == [True, False, False, True]
    await quick.app.command(AOI, RECRUIT, "event settings", {"organiser": ORGANISER_ROLE})
    assert await may(REN)
    await quick.app.command(AOI, RECRUIT, "event settings", {"creator": GUILD_ID})
    assert await may(SOTA)
    await quick.app.command(AOI, RECRUIT, "event settings", {"creator": ATTENDEE_ROLE})
    assert not await may(SOTA)
    refused = await quick.app.submit(SOTA, RECRUIT, "e1:create:", {"title": "勝手に", "start": "明日 21時"})
    assert "作成できる" in refused.response["data"]["content"]
    assert await quick.service.events.of_guild(GUILD_ID) == []


async def test_joining_may_be_for_one_role(quick: Bot) -> None:
    await quick.app.command(AOI, RECRUIT, "event settings", {"member": ORGANISER_ROLE})
    event = await quick.event()
    for person, joined in ((SOTA, 0), (REN, 1), (AOI, 2)):  # a stranger to the role, a holder, an organiser
        await quick.press(person, event, "join")
        assert (await quick.service.events.get(GUILD_ID, event.event_id)).member_count == joined
    await quick.app.command(AOI, RECRUIT, "event settings", {"member": GUILD_ID})
    open_to_all = await quick.event()
    await quick.press(SOTA, open_to_all, "join")
    assert (await quick.service.events.get(GUILD_ID, open_to_all.event_id)).member_count == 1


async def test_suggestions_show_the_clocks_of_the_guild(quick: Bot) -> None:
    await quick.service.guilds.change_settings(await quick.organiser(AOI), time_zone="Europe/Berlin")
    await quick.event(title="もくもく会")  # 21:30 in Japan
    found = await quick.app.complete(REN, RECRUIT, "event show", {"event": ""})
    assert [one["name"] for one in found.choices] == ["もくもく会（01/14 13:30）"]


async def test_a_name_that_was_typed_and_not_picked_is_looked_up(quick: Bot) -> None:
    for title in ("読書会", "読書会（夜の部）", "ボウリング"):
        await quick.event(title=title)
        quick.clock.advance(6)

    async def said(typed: str) -> str:
        return str((await quick.app.command(AOI, RECRUIT, "event show", {"event": typed})).response["data"]["content"])

    assert "ボウリング" in await said("ボウリング")
    assert "ボウリング" in await said("ボウ")
    assert "読書会**" in await said("読書会"), "the very name comes before names that contain it"
    assert "いくつもあります" in await said("書会")
    assert "もうありません" in await said("卓球")
    assert "もうありません" in await said("")
    await quick.service.guilds.save_template(await quick.host(AOI, (await quick.event()).event_id), "定例")
    opened = await quick.app.command(AOI, RECRUIT, "event create", {"template": "定例"})
    assert opened.modal is not None
    assert opened.modal["components"][0]["component"]["value"] == "もくもく会"


async def test_titles_cannot_smuggle_links_into_lists(quick: Bot) -> None:
    title = "[無料](https://evil.example) **太** https://evil.example <@&910000000000000004>"
    event = await quick.event(title=title)
    await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice(title, "本文"))
    quick.clock.advance(2)
    shown = []
    for words, options in (
        ("event list", {}),
        ("event mine", {}),
        ("event show", {"event": event.event_id[4:]}),
        ("event manage", {"event": event.event_id[4:]}),
        ("notice list", {"event": event.event_id[4:]}),
    ):
        data = (await quick.app.command(AOI, RECRUIT, words, options)).response["data"]
        shown.append(str([data.get("content"), data.get("embeds")]))
    assert all("](https://evil" not in one and " https://evil" not in one for one in shown)
    assert all("**太**" not in one for one in shown)
    await quick.service.joining.join(REN.actor, event.event_id)
    await quick.work(6)
    await quick.service.events.cancel(await quick.host(AOI, event.event_id))
    await quick.work(6)
    told = [body["content"] for _, body in await quick.posts() if "中止" in body.get("content", "")]
    assert told
    assert all("](https://evil" not in one for one in told)


async def test_a_post_rings_a_role_only_for_those_who_may(quick: Bot) -> None:
    role = guild.ATTENDEE_ROLE
    refused = await quick.app.command(AOI, RECRUIT, "event create", {"ping": role})
    assert "呼び出せる" in refused.response["data"]["content"]
    forged = await quick.app.submit(AOI, RECRUIT, f"e1:create::{role}", {"title": "会", "start": "明日 21時"})
    assert "呼び出せる" in forged.response["data"]["content"], "the form is not believed"
    loud = replace(AOI, permissions=AOI.permissions | Permission.MENTION_EVERYONE)
    for ping in (role, GUILD_ID):
        opened = await quick.app.command(loud, RECRUIT, "event create", {"ping": ping})
        assert opened.modal is not None
        values = {"title": f"会 {ping}", "start": "明日 21時"}
        await quick.app.submit(loud, RECRUIT, opened.modal["custom_id"], values)
    quick.local.server.let(guild.BOT_ROLE, allow=Permission.MENTION_EVERYONE)
    values = {"title": "みんなの会", "start": "明日 21時"}
    await quick.app.submit(loud, RECRUIT, f"e1:create::{GUILD_ID}", values)
    await quick.work()
    rung = {body["embeds"][0]["title"]: one.pinged for one, body in await quick.posts() if body.get("embeds")}
    assert rung == {f"会 {role}": [f"&{role}"], f"会 {GUILD_ID}": [], "みんなの会": ["everyone"]}
    made = next(one for one in await quick.service.events.of_guild(GUILD_ID) if one.title == "みんなの会")
    assert made.recruit_message_id is not None
    edited = await quick.local.message(RECRUIT, made.recruit_message_id)
    assert edited.pinged == ["everyone"]


async def test_a_mentionable_role_may_be_rung_by_anybody_who_creates(quick: Bot) -> None:
    found = quick.local.server.role(guild.ATTENDEE_ROLE)
    assert found is not None
    found["mentionable"] = True
    opened = await quick.app.command(AOI, RECRUIT, "event create", {"ping": guild.ATTENDEE_ROLE})
    assert opened.modal is not None


# The commands against Discord's documented limits.


def test_commands() -> None:
    assert problems_of_commands(COMMANDS) == []
