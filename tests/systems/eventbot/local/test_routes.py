"""The local Discord refuses what the real one refuses, with the same codes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import orjson
import pytest

from sekkei_fakes.discord import client
from sekkei_fakes.discord.client import AppClient
from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import (
    ATTENDEE_ROLE,
    BOT_ID,
    BOT_ROLE,
    CHAT,
    GUILD_ID,
    MANAGER_ROLE,
    NOTICES,
    RECRUIT,
)
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.ports.discord.rest import Refused, Rest, Unavailable
from tests.systems.eventbot.conftest import MEI, REN, Bot

FIELD = {"type": 18, "label": "名", "component": {"type": 4, "style": 1, "custom_id": "y"}}
FORM = {"title": "題", "custom_id": "x", "components": [FIELD]}
HELLO = {"content": "やあ", "allowed_mentions": {"parse": []}}


@pytest.fixture
def rest(quick: Bot) -> Rest:
    found: Rest = quick.client.shell.deployment.systems["eventbot"].parts.transports["discord"].rest  # type: ignore[attr-defined]
    return found


async def code_of(work: Any) -> int:
    with pytest.raises(Refused) as refused:
        await work
    return refused.value.code


def native(quick: Bot, **changes: Any) -> dict[str, Any]:
    start = quick.service.desk.now() + timedelta(hours=3)
    given = {
        "name": "会",
        "privacy_level": 2,
        "entity_type": 3,
        "scheduled_start_time": start.isoformat(),
        "scheduled_end_time": (start + timedelta(hours=1)).isoformat(),
        "entity_metadata": {"location": "渋谷"},
    }
    return {**given, **changes}


async def test_unknown_things(quick: Bot, rest: Rest) -> None:
    assert await code_of(rest.post("123", HELLO)) == 10003
    assert await code_of(rest.edit(RECRUIT, "123", HELLO)) == 10008
    assert await code_of(rest.delete(RECRUIT, "123")) == 10008
    assert await code_of(rest.guild("123")) == 10004
    assert await code_of(rest.member(GUILD_ID, "123")) == 10007
    assert await code_of(rest.give_role(GUILD_ID, REN.id, "123")) == 10011
    assert await code_of(rest.give_role(GUILD_ID, "123", ATTENDEE_ROLE)) == 10007
    assert await code_of(rest.edit_scheduled_event(GUILD_ID, "123", native(quick))) == 10070
    assert await code_of(rest.delete_scheduled_event(GUILD_ID, "123")) == 10070
    assert await code_of(rest.follow_up("nonsense", HELLO)) == 10015
    assert await code_of(rest.direct_channel("nobody")) == 50035


async def test_channels_that_the_bot_may_not_see_or_write_in(quick: Bot, rest: Rest) -> None:
    server = quick.local.server
    server.overwrite(CHAT, BOT_ROLE, deny=permissions.Permission.VIEW_CHANNEL)
    assert await code_of(rest.post(CHAT, HELLO)) == 50001
    server.overwrite(CHAT, BOT_ROLE, deny=permissions.Permission.EMBED_LINKS)
    assert await code_of(rest.post(CHAT, {**HELLO, "embeds": [{"title": "題"}]})) == 50013
    assert await rest.post(CHAT, HELLO)
    server.overwrite(NOTICES, BOT_ROLE, deny=permissions.Permission.SEND_MESSAGES)
    assert await code_of(rest.post(NOTICES, HELLO)) == 50013
    said = await quick.local.post(RECRUIT, {"content": "人の"}, author=REN.id)
    assert await code_of(rest.edit(RECRUIT, said.message_id, HELLO)) == 50005
    assert await code_of(rest.delete(RECRUIT, said.message_id)) == 50013


async def test_one_thread_for_a_message_and_none_in_a_thread(quick: Bot, rest: Rest) -> None:
    message = await rest.post(RECRUIT, HELLO)
    assert await rest.start_thread(RECRUIT, message, "話") == message
    assert await code_of(rest.start_thread(RECRUIT, message, "話")) == 160004
    inside = await rest.post(message, HELLO)
    assert await code_of(rest.start_thread(message, inside, "話")) == 50024
    await quick.local.keep("thread", message, {"parent_id": RECRUIT, "name": "話", "archived": True, "locked": False})
    assert await code_of(rest.edit(message, inside, HELLO)) == 50083
    await rest.post(message, HELLO)
    await rest.edit(message, inside, HELLO)
    quick.local.server.let(
        BOT_ROLE, deny=permissions.Permission.SEND_MESSAGES_IN_THREADS | permissions.Permission.CREATE_PUBLIC_THREADS
    )
    quick.clock.advance(5)
    assert await code_of(rest.post(message, HELLO)) == 50013
    other = await rest.post(RECRUIT, HELLO)
    assert await code_of(rest.start_thread(RECRUIT, other, "話")) == 50013
    await quick.local.forget("thread", message)
    assert await code_of(rest.post(message, HELLO)) == 10003


@pytest.mark.parametrize("archived", [False, True])
async def test_a_locked_thread_is_for_moderators(quick: Bot, rest: Rest, archived: bool) -> None:
    message = await rest.post(RECRUIT, HELLO)
    await rest.start_thread(RECRUIT, message, "話")
    inside = await rest.post(message, HELLO)
    thread = {"parent_id": RECRUIT, "name": "話", "archived": archived, "locked": True}
    await quick.local.keep("thread", message, thread)
    assert await code_of(rest.post(message, HELLO)) == 160005
    assert await code_of(rest.edit(message, inside, HELLO)) == (50083 if archived else 160005)
    quick.local.server.let(BOT_ROLE, allow=permissions.Permission.MANAGE_THREADS)
    await rest.post(message, HELLO)
    await rest.edit(message, inside, HELLO)
    assert await quick.local.thing("thread", message) == {**thread, "archived": False}


async def test_roles_keep_their_order(quick: Bot, rest: Rest) -> None:
    await rest.give_role(GUILD_ID, REN.id, ATTENDEE_ROLE)
    assert REN.id in await quick.local.holders(ATTENDEE_ROLE)
    for role in (MANAGER_ROLE, BOT_ROLE, GUILD_ID):  # above the bot, its own, everybody's
        assert await code_of(rest.give_role(GUILD_ID, MEI.id, role)) == 50013
    await rest.take_role(GUILD_ID, MEI.id, ATTENDEE_ROLE)  # whoever has it not, loses nothing
    quick.clock.advance(5)
    quick.local.server.let(BOT_ROLE, deny=permissions.Permission.MANAGE_ROLES)
    assert await code_of(rest.take_role(GUILD_ID, REN.id, ATTENDEE_ROLE)) == 50013


async def test_native_events(quick: Bot, rest: Rest) -> None:
    id = await rest.make_scheduled_event(GUILD_ID, native(quick))
    past = (quick.service.desk.now() - timedelta(hours=1)).isoformat()
    for wrong in ({"scheduled_start_time": past}, {"description": ""}, {"entity_metadata": {}}, {"name": "長" * 101}):
        assert await code_of(rest.make_scheduled_event(GUILD_ID, native(quick, **wrong))) == 50035
    await rest.edit_scheduled_event(GUILD_ID, id, {"name": "別の名"})
    [(_, event)] = await quick.local.things("scheduled-event")
    assert (event["name"], event["entity_metadata"]["location"]) == ("別の名", "渋谷")
    quick.clock.advance(5 * 3600)
    assert await code_of(rest.edit_scheduled_event(GUILD_ID, id, {"name": "終わった"})) == 180000


async def test_native_events_need_permissions_also_to_be_changed(quick: Bot, rest: Rest) -> None:
    """Its own with either of the two, another's only with the one for all; made with the one for making."""
    server, own = quick.local.server, await rest.make_scheduled_event(GUILD_ID, native(quick))
    others = "77"
    await quick.local.keep("scheduled-event", others, {**native(quick), "creator_id": REN.id})
    assert await code_of(rest.edit_scheduled_event(GUILD_ID, others, {"name": "別"})) == 50013
    assert await code_of(rest.delete_scheduled_event(GUILD_ID, others)) == 50013
    server.let(BOT_ROLE, deny=permissions.Permission.CREATE_EVENTS)
    assert await code_of(rest.edit_scheduled_event(GUILD_ID, own, {"name": "別"})) == 50013
    assert await code_of(rest.delete_scheduled_event(GUILD_ID, own)) == 50013
    server.let(BOT_ROLE, allow=permissions.Permission.MANAGE_EVENTS)
    assert await code_of(rest.make_scheduled_event(GUILD_ID, native(quick))) == 50013
    for id in (own, others):
        await rest.edit_scheduled_event(GUILD_ID, id, {"name": "別"})
        await rest.delete_scheduled_event(GUILD_ID, id)


@pytest.mark.parametrize("status", [3, 4])
async def test_a_native_event_that_was_ended_or_called_off_by_hand_is_over(quick: Bot, rest: Rest, status: int) -> None:
    id = await rest.make_scheduled_event(GUILD_ID, native(quick))
    await quick.local.keep("scheduled-event", id, {**native(quick), "creator_id": BOT_ID, "status": status})
    assert await rest.scheduled_events(GUILD_ID) == []
    assert await code_of(rest.edit_scheduled_event(GUILD_ID, id, {"name": "別"})) == 180000
    assert await code_of(rest.delete_scheduled_event(GUILD_ID, id)) == 180000


async def test_what_only_one_person_sees_is_in_no_channel(quick: Bot, rest: Rest) -> None:
    private = (await quick.app.command(REN, RECRUIT, "event help", {})).message_id
    assert await code_of(rest.edit(RECRUIT, str(private), HELLO)) == 10008
    assert await code_of(rest.delete(RECRUIT, str(private))) == 10008
    assert await code_of(rest.call("GET", f"/channels/{RECRUIT}/messages/{private}")) == 10008
    assert await code_of(rest.start_thread(RECRUIT, str(private), "話")) == 10008


@pytest.mark.parametrize("nothing", [{}, {"content": " \n\u3000"}, {"embeds": [{}]}, {"embeds": [{"title": " "}]}])
async def test_a_message_that_says_nothing(quick: Bot, rest: Rest, nothing: dict[str, Any]) -> None:
    assert await code_of(rest.post(RECRUIT, nothing)) == 50006


async def test_a_nonce_is_remembered_although_its_message_was_deleted(quick: Bot, rest: Rest) -> None:
    said = {**HELLO, "nonce": "n1", "enforce_nonce": True}
    first = await rest.post(RECRUIT, said)
    await rest.delete(RECRUIT, first)
    assert await rest.post(RECRUIT, said) == first
    assert await code_of(rest.edit(RECRUIT, first, HELLO)) == 10008
    quick.clock.advance(301)
    assert await rest.post(RECRUIT, said) != first


async def test_without_allowed_mentions_everybody_named_is_rung(quick: Bot, rest: Rest) -> None:
    text = f"<@{REN.id}> <@&{ATTENDEE_ROLE}> @everyone"
    await rest.post(RECRUIT, {"content": text})
    await rest.post(RECRUIT, {"content": text, "allowed_mentions": {"users": [REN.id]}})
    await rest.post(RECRUIT, {"content": text, "allowed_mentions": {"parse": []}})
    quick.local.server.let(BOT_ROLE, allow=permissions.Permission.MENTION_EVERYONE)
    await rest.post(RECRUIT, {"content": text})
    rung = [one.pinged for one, _ in await quick.posts()]
    assert rung == [[REN.id, f"&{ATTENDEE_ROLE}"], [REN.id], [], [REN.id, f"&{ATTENDEE_ROLE}", "everyone"]]


async def test_direct_messages_where_people_take_them(quick: Bot, rest: Rest) -> None:
    channel = await rest.direct_channel(REN.id)
    assert await rest.direct_channel(REN.id) == channel
    await rest.post(channel, HELLO)
    quick.local.server.closed_to_bots.add(REN.id)
    assert await code_of(rest.post(channel, HELLO)) == 50007


async def test_whoever_shares_no_server_with_the_bot_is_found_and_not_reached(quick: Bot, rest: Rest) -> None:
    known, stranger = await rest.direct_channel(REN.id), await rest.direct_channel("940000000000000001")
    del quick.local.server.members[REN.id]
    assert await rest.direct_channel(REN.id) == known
    assert [await code_of(rest.post(one, HELLO)) for one in (known, stranger)] == [50278] * 2


@pytest.mark.parametrize(
    ("answer", "late", "codes"),
    [
        ({"type": 4, "data": {**HELLO, "flags": 64}}, 0.0, [None, None]),
        ({"type": 6}, 0.0, [None, None]),
        ({"type": 9, "data": FORM}, 0.0, [None, 10008]),
        ({"type": 4, "data": {"content": ""}}, 0.0, [10015, 10015]),
        ({"type": 6}, 5.0, [10015, 10015]),
        (None, 0.0, [10015, 10015]),
    ],
    ids=["answered", "put off", "a form", "nonsense", "too late", "500"],
)
async def test_a_token_is_good_once_its_interaction_was_answered_in_time(
    quick: Bot, rest: Rest, monkeypatch: pytest.MonkeyPatch, answer: Any, late: float, codes: list[int | None]
) -> None:
    monkeypatch.setattr(client, "DEADLINE_SECONDS", 0.05 if late else 60.0)
    pressed, tokens = await rest.post(RECRUIT, {"content": "募集"}), list[str]()

    async def deliver(body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        tokens.append(orjson.loads(body)["token"])
        assert await code_of(rest.follow_up(tokens[0], HELLO)) == 10015
        assert await code_of(rest.edit_original(tokens[0], HELLO)) == 10015
        await asyncio.sleep(late)
        return (500, b"") if answer is None else (200, orjson.dumps(answer))

    app = AppClient(quick.local, quick.app._signer, deliver, quick.local.application_id, quick.clock)
    outcome = await app.press(REN, RECRUIT, pressed, "e1:join:")
    assert outcome.ok is (codes[0] is None)
    done: list[int | None] = []
    for work in (rest.follow_up(tokens[0], HELLO), rest.edit_original(tokens[0], HELLO)):
        try:
            await work
            done.append(None)
        except Refused as refused:
            done.append(refused.code)
    assert done == codes
    shown = {one.message_id: body["content"] for one, body in await quick.posts(viewer=REN)}
    assert shown[pressed] == ("やあ" if answer == {"type": 6} and not late else "募集"), "what was pressed"
    if outcome.ok:
        quick.clock.advance(15 * 60 + 1)
        assert await code_of(rest.follow_up(tokens[0], HELLO)) == 50027


async def test_a_lost_answer_is_done_all_the_same(quick: Bot, rest: Rest) -> None:
    quick.local.faults.append(Fault("lost", 1, on="POST .*/messages"))
    assert (await rest.guild(GUILD_ID))["id"] == GUILD_ID
    with pytest.raises(Unavailable):
        await rest.post(RECRUIT, HELLO)
    assert len(await quick.posts()) == 1


async def test_thrown_out_of_the_server(quick: Bot, rest: Rest) -> None:
    del quick.local.server.members[BOT_ID]
    assert await code_of(rest.guild(GUILD_ID)) == 50001
    assert await code_of(rest.give_role(GUILD_ID, REN.id, ATTENDEE_ROLE)) == 50001
    assert await code_of(rest.post(RECRUIT, HELLO)) == 50001


async def test_who_may_knock(quick: Bot) -> None:
    good = {"Authorization": "Bot local", "User-Agent": "DiscordBot (https://example.com, 1)"}
    path = f"/channels/{RECRUIT}/messages"
    body = orjson.dumps(HELLO)

    async def status(headers: dict[str, str], content: bytes = body) -> int:
        return (await quick.local.send("POST", path, headers, content)).status

    typed = {**good, "Content-Type": "application/json"}
    assert await status({**typed, "Authorization": "Bot other"}) == 401
    assert await status({**typed, "User-Agent": "curl"}) == 403
    assert await status(good) == 400
    assert await status(typed, b"{") == 400
    assert await status(typed) == 200
