"""The organiser's hands: who takes part is changed one by one; who was there is noted; everybody is told something."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from sekkei.kit.typed import Token
from sekkei.runtime.refusals import NotThere, Refusal
from sekkei.web import Pages, Redirect
from sekkei_systems.eventbot.pages.edit import to_event
from sekkei_systems.eventbot.pages.view import Long, Short
from sekkei_systems.eventbot.refusals import NoSuchMember
from sekkei_systems.eventbot.rules.identifiers import is_snowflake
from sekkei_systems.eventbot.service.access import Host
from sekkei_systems.eventbot.service.guilds import Guilds
from sekkei_systems.eventbot.service.members import Hands, Queue

pages = Pages()
EVENT = "/guilds/{guild_id}/events/{event}"
MEMBERS = EVENT + "/members"


class NewMember(Struct):
    user_id: Short
    """Or a name."""
    option: Token = ""


class Chosen(Struct):
    option: Token = ""


class Present(Struct):
    present: Annotated[list[Token], Meta(max_length=10_000)] = []


class Told(Struct):
    text: Long = ""
    option: Token = ""


@pages.post(MEMBERS)
async def add(host: Host, hands: Hands, guilds: Guilds, form: NewMember) -> Redirect:
    """Anybody on the server, by their name or their id in Discord."""
    try:
        user_id, name = await guilds.find_member(host.event.guild_id, form.user_id)
        await hands.seat(host, user_id, name, form.option or None)
    except Refusal as refusal:
        return to_event(host.event).flash(refusal)
    return to_event(host.event).flash("event.done-add", name=name)


@pages.post(MEMBERS + "/{user_id}/{verb}")
async def do(host: Host, hands: Hands, queue: Queue, user_id: str, verb: str, form: Chosen) -> Redirect:
    """seat, remove, move"""
    if not is_snowflake(user_id) or verb not in ("seat", "remove", "move"):
        raise NotThere()
    try:
        if verb == "remove":
            await hands.unseat(host, user_id)
        elif verb == "move":
            await hands.move(host, user_id, form.option)
        elif user_id in {one.user_id for one in await queue.waiting(host.event.guild_id, host.event.event_id)}:
            await hands.seat(host, user_id, "", form.option or None)
        else:
            raise NoSuchMember()
    except Refusal as refusal:
        return to_event(host.event).flash(refusal)
    return to_event(host.event).flash(f"event.done-{verb}")


@pages.post(EVENT + "/attendance")
async def attendance(host: Host, hands: Hands, form: Present) -> Redirect:
    """Who was there: those who are ticked, and nobody else."""
    try:
        count = await hands.attend(host, set(form.present))
    except Refusal as refusal:
        return to_event(host.event).flash(refusal)
    return to_event(host.event).flash("event.done-attendance", n=count)


@pages.post(EVENT + "/message")
async def message(host: Host, hands: Hands, form: Told) -> Redirect:
    """One message that rings those who joined."""
    try:
        count = await hands.tell(host, form.text, form.option or None)
    except Refusal as refusal:
        return to_event(host.event).flash(refusal)
    return to_event(host.event).flash("event.done-message", n=count)
