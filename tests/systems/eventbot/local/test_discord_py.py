"""discord.py, which is not ours, reads what the bot sends and uses the local Discord as if it were the real one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from socket import create_server
from typing import Any

import discord
import pytest
import uvicorn
from discord.app_commands import AppCommand
from discord.components import _component_factory

from sekkei.clock import SYSTEM
from sekkei.runtime.http import Http
from sekkei.runtime.live import Live
from sekkei.store import Embedded
from sekkei_fakes.discord import demo, objects
from sekkei_fakes.discord.discord import LocalDiscord
from sekkei_fakes.discord.served import API, Served
from sekkei_systems.eventbot.demo import guild
from sekkei_systems.eventbot.design import Answer
from sekkei_systems.eventbot.ports.discord.signature import Signer
from sekkei_systems.eventbot.rules.drafts import NewNotice
from sekkei_systems.eventbot.rules.render import scheduled_event
from sekkei_systems.eventbot.webhooks.commands import COMMANDS
from tests.systems.eventbot.conftest import AOI, MEI, RECRUIT, REN, YUI, Bot

TOKEN = "a.token.of-discord"


def reads_message(message: dict[str, Any]) -> None:
    """What discord.py takes from it, it gives back."""
    for embed in message.get("embeds") or ():
        _is_within(embed, discord.Embed.from_dict(embed).to_dict())
    for component in message.get("components") or ():
        reads_component(component)
    for name in message.get("allowed_mentions") or {}:
        assert name in discord.AllowedMentions.all().to_dict() or name in ("users", "roles")


def reads_component(component: dict[str, Any]) -> None:
    read = _component_factory(component)  # type: ignore[arg-type]
    assert read is not None
    written: Any = read.to_dict()
    _is_within(component, written)


def _is_within(sent: Any, read: Any) -> None:
    """Nothing that was sent is lost on the way."""
    if isinstance(sent, dict):
        for name, value in sent.items():
            _is_within(value, read[name])
    elif isinstance(sent, list):
        assert len(sent) == len(read)
        for one, other in zip(sent, read, strict=True):
            _is_within(one, other)
    else:
        assert sent == read


def reads_answer(answer: dict[str, Any]) -> None:
    assert discord.InteractionResponseType(answer["type"]).value == answer["type"]
    data = answer.get("data") or {}
    reads_message(data)
    for choice in data.get("choices", ()):
        discord.app_commands.Choice(name=choice["name"], value=choice["value"])


@pytest.fixture
async def reader() -> discord.Client:
    client = discord.Client(intents=discord.Intents.none())
    await client._async_setup_hook()
    me: Any = objects.user(demo.server(), guild.BOT_ID)
    client._connection.user = discord.ClientUser(state=client._connection, data=me)
    return client


async def test_whatever_the_bot_answers_and_posts_is_read(quick: Bot) -> None:
    app = quick.app
    for words in ("event create", "event list", "event mine", "event settings", "event web", "event help"):
        reads_answer((await app.command(AOI, RECRUIT, words, {})).response)
    event = await quick.event(capacity=2)
    uuid = event.event_id[4:]
    for person, verb in ((REN, "join"), (MEI, "join"), (YUI, "join"), (AOI, "maybe")):
        reads_answer((await quick.press(person, event, verb)).response)
    for verb in ("members", "notices", "panel", "edit", "details", "newnotice", "template", "cancel", "delete"):
        reads_answer((await quick.press(AOI, event, verb)).response)
    for words in ("event show", "event manage", "notice create", "notice list"):
        reads_answer((await app.command(AOI, RECRUIT, words, {"event": uuid})).response)
        reads_answer((await app.complete(AOI, RECRUIT, words, {"event": "も"})).response)
    await quick.service.notices.post(await quick.host(AOI, event.event_id), NewNotice("持ち物", "ノート PC"))
    await quick.service.joining.answer(REN.actor, event.event_id, Answer.NO)
    await quick.work()
    posted = [body for channel in (RECRUIT, guild.NOTICES) for _, body in await quick.posts_of(channel)]
    assert len(posted) >= 3
    for body in posted:
        reads_message(body)


async def test_interactions_are_those_of_discord(quick: Bot, reader: discord.Client) -> None:
    event = await quick.event()
    assert event.recruit_message_id is not None
    data = {"custom_id": "e1:join:1", "component_type": 2}
    sent: Any = quick.app.interaction(3, AOI, RECRUIT, data, "token")
    message = await quick.local.message(RECRUIT, event.recruit_message_id)
    sent["message"] = objects.message(quick.local.server, message)
    read: discord.Interaction[Any] = discord.Interaction(data=sent, state=reader._connection)
    assert read.type is discord.InteractionType.component
    assert isinstance(read.user, discord.Member)
    assert (str(read.user.id), read.user.display_name) == (AOI.id, AOI.name)
    assert read.permissions.manage_events
    assert read.app_permissions.send_messages
    assert read.message is not None
    assert read.message.embeds[0].title == event.title
    assert [len(row.children) for row in read.message.components if isinstance(row, discord.ActionRow)] == [4, 3]


async def test_commands_and_native_events(quick: Bot, reader: discord.Client) -> None:
    for command in COMMANDS:
        made: Any = objects.command("1", "2", None, command)
        read: Any = AppCommand(data=made, state=reader._connection).to_dict()
        assert [one["name"] for one in read["options"]] == [one["name"] for one in command["options"]]
    event = await quick.event()
    native: Any = objects.scheduled_event(quick.local.server, "1", scheduled_event(event))
    found = discord.ScheduledEvent(state=reader._connection, data=native)
    assert (found.name, found.start_time) == (event.title, event.event_start_at)
    assert found.entity_type is discord.EntityType.external


@asynccontextmanager
async def served() -> AsyncIterator[str]:
    """The local Discord on a port of its own."""
    store = Embedded()
    local = LocalDiscord(store, "test", SYSTEM, Live(), demo.server(), guild.BOT_ID, TOKEN)
    app = Served(local, Signer(b"k" * 32), SYSTEM, Http()).application()
    socket = create_server(("127.0.0.1", 0))  # it listens from here on
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    serving = asyncio.create_task(server.serve([socket]))
    try:
        yield f"http://127.0.0.1:{socket.getsockname()[1]}{API}"
    finally:
        server.should_exit = True
        await serving
        await store.close()


@pytest.fixture
async def client(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[discord.Client]:
    async with served() as url, discord.Client(intents=discord.Intents.none()) as found:
        monkeypatch.setattr(discord.http.Route, "BASE", url)
        await found.login(TOKEN)
        yield found


async def refused(work: Any) -> int:
    with pytest.raises(discord.HTTPException) as problem:
        await work
    return problem.value.code


async def test_discord_py_posts_edits_and_deletes(client: discord.Client) -> None:
    assert client.user is not None
    assert str(client.user.id) == guild.BOT_ID
    channel = await client.fetch_channel(int(RECRUIT))
    assert isinstance(channel, discord.TextChannel)
    embed = discord.Embed(title="もくもく会", description="21 時から").add_field(name="場所", value="渋谷")
    view = discord.ui.View().add_item(discord.ui.Button(label="参加する", custom_id="x"))
    posted = await channel.send(embed=embed, view=view, nonce="n-1")
    assert posted.embeds[0].fields[0].value == "渋谷"
    edited = await posted.edit(content=f"<@{AOI.id}>", embed=None)
    assert [one.id for one in edited.mentions] == [int(AOI.id)]
    assert edited.edited_at is not None
    assert (await channel.fetch_message(posted.id)).components[0].to_dict()["type"] == 1
    thread = await posted.create_thread(name="話す")
    assert thread.parent_id == int(RECRUIT)
    assert await refused(posted.create_thread(name="また")) == 160004
    await posted.delete()
    assert await refused(channel.fetch_message(posted.id)) == 10008


async def test_discord_py_keeps_a_server(client: discord.Client) -> None:
    found = await client.fetch_guild(int(guild.GUILD_ID))
    assert {one.name for one in await found.fetch_channels()} == set(guild.CHANNELS.values())
    ren, roles = await found.fetch_member(int(REN.id)), {str(one.id): one for one in found.roles}
    await ren.add_roles(roles[guild.ATTENDEE_ROLE])
    assert guild.ATTENDEE_ROLE in {str(one.id) for one in (await found.fetch_member(ren.id)).roles}
    assert await refused(ren.add_roles(roles[guild.MODERATOR_ROLE])) == 50013
    start = datetime.now().astimezone() + timedelta(hours=1)
    made = await found.create_scheduled_event(
        name="会",
        start_time=start,
        end_time=start + timedelta(hours=1),
        entity_type=discord.EntityType.external,
        privacy_level=discord.PrivacyLevel.guild_only,
        location="渋谷",
    )
    assert [one.name for one in await found.fetch_scheduled_events()] == ["会"]
    assert (await made.edit(name="別の会", location="新宿")).name == "別の会"
    await made.delete()
    assert await refused(made.delete()) == 10070
    direct = await ren.create_dm()
    assert (await direct.send("こんにちは")).content == "こんにちは"


async def test_discord_py_registers_commands(client: discord.Client) -> None:
    found: Any = COMMANDS
    made = await client.http.bulk_upsert_global_commands(int(guild.BOT_ID), found)
    assert [one["name"] for one in made] == ["event", "notice"]
    bad: Any = [{**COMMANDS[0], "name": "Event"}]
    assert await refused(client.http.bulk_upsert_guild_commands(int(guild.BOT_ID), int(guild.GUILD_ID), bad)) == 50035


async def test_a_wrong_token_is_no_login(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served() as url, discord.Client(intents=discord.Intents.none()) as client:
        monkeypatch.setattr(discord.http.Route, "BASE", url)
        with pytest.raises(discord.LoginFailure):
            await client.login("another")
