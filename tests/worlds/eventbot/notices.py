"""Notices of an event: an organiser posts and closes them, members confirm with the button that Discord shows them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from sekkei.worlds import Person, World
from sekkei_fakes.discord.client import Outcome
from sekkei_fakes.discord.discord import No
from sekkei_systems.eventbot.demo.guild import RECRUIT
from sekkei_systems.eventbot.design import Event, Notice
from sekkei_systems.eventbot.rules.identifiers import Press, read_custom_id
from tests.worlds.eventbot import WORLD, app_of, discord_of, in_minutes, new_title, pressed, some_event, told

THINKING_SECONDS = 2.0
"""Between what somebody sees and what they press; meanwhile it may have become another."""


def notices_of(world: World) -> list[Notice]:
    return sorted((one for one in world.decoded("Notices") if isinstance(one, Notice)), key=lambda one: one.notice_id)


def components_in(body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Buttons and menus of a message that can be used."""
    for row in body.get("components") or ():
        yield from (one for one in row["components"] if "custom_id" in one and not one.get("disabled"))


def verb_of(component: Mapping[str, Any]) -> Press:
    found = read_custom_id(component["custom_id"])
    assert found is not None, f"{component['custom_id']} is no button of ours"
    return found


async def shown(me: Person, channel_id: str, message_id: str, *verbs: str) -> list[dict[str, Any]]:
    """The buttons with these verbs that somebody sees on a message; none where that is gone."""
    try:
        message = await discord_of(me.world).message(channel_id, message_id)
    except No:
        return []
    found = [one for one in components_in(orjson.loads(message.body)) if verb_of(one).verb in verbs]
    await asyncio.sleep(me.dice.seconds(THINKING_SECONDS))
    return found


async def uses(me: Person, outcome: Outcome, component: Mapping[str, Any], chosen: list[str] | None = None) -> Outcome:
    """What a message offers that an answer has just shown."""
    return await app_of(me).press(me.memory["as"], RECRUIT, str(outcome.message_id), component["custom_id"], chosen)


async def fills_in(me: Person, event: Event, verb: str, **changes: str) -> str:
    """Opens a form, changes something in it and sends it with everything that stood in it."""
    outcome = await pressed(me, event, f"e1:{verb}:{event.event_id.partition('#')[2]}")
    if isinstance(outcome, str) or outcome.modal is None:
        return outcome if isinstance(outcome, str) else told(outcome)
    fields = [label["component"] for label in outcome.modal["components"]]
    values = {one["custom_id"]: _standing(one) for one in fields} | changes
    await asyncio.sleep(me.dice.seconds(THINKING_SECONDS))
    return told(await app_of(me).submit(me.memory["as"], RECRUIT, outcome.modal["custom_id"], values))


def _standing(field: Mapping[str, Any]) -> str:
    """What a form has in one of its fields before anybody types."""
    chosen = [one["value"] for one in field.get("options", ()) if one.get("default")]
    return str(chosen[0] if chosen else field.get("value", ""))


@WORLD.does("helper", 1.2)
@WORLD.does("organiser", 1.2)
async def posts_a_notice(me: Person) -> str | None:
    event = some_event(me)
    if event is None:
        return None
    title, remind = (
        new_title(me, "連絡"),
        me.dice.choice(["", in_minutes(me, 0), in_minutes(me, 0), in_minutes(me, 20)]),
    )
    said = await fills_in(me, event, "newnotice", title=title, body="持ち物を見てください", remind=remind)
    return f"posts {title} of {event.title}, to be reminded of at {remind[-5:] or 'no time'}: {said}"


@WORLD.does("helper", 1.5)
@WORLD.does("member", 5)
async def confirms(me: Person) -> str | None:
    posted = [one for one in notices_of(me.world) if one.notice_message_id]
    mine = {one.event_id for one in me.world.decoded("EventMembers") if one.user_id == me.memory["as"].id}
    concerned = [one for one in posted if one.event_id in mine or me.dice.chance(0.05)]
    if not concerned:
        return None
    notice = me.dice.choice(concerned[-3:])
    channel_id, message_id = str(notice.notice_channel_id), str(notice.notice_message_id)
    for button in await shown(me, channel_id, message_id, "ack"):
        try:
            outcome = await app_of(me).press(me.memory["as"], channel_id, message_id, button["custom_id"])
        except No as no:
            return f"finds no {notice.title} to confirm: {no}"
        return f"confirms {notice.title}: {told(outcome)}"
    return None


@WORLD.does("helper", 0.7)
@WORLD.does("organiser", 0.7)
async def closes_or_hides_a_notice(me: Person) -> str | None:
    event = some_event(me)
    if event is None or not any(one.event_id == event.event_id for one in notices_of(me.world)):
        return None
    listed = await pressed(me, event, f"e1:notices:{event.event_id.partition('#')[2]}:0")
    if isinstance(listed, str) or listed.message_id is None or listed.response["type"] != 4:
        return f"finds no notices: {listed if isinstance(listed, str) else told(listed)}"
    verbs = me.dice.choice([("nclose",), ("nclose",), ("nhide", "nshow")])
    buttons = await shown(me, RECRUIT, listed.message_id, *verbs)
    if not buttons:
        return None
    button = me.dice.choice(buttons)
    return f"presses {verb_of(button).verb} of a notice: {told(await uses(me, listed, button))}"
