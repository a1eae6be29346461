"""The organiser's hands: who takes part is changed one by one."""

from __future__ import annotations

from msgspec import Struct

from sekkei.runtime.refusals import NotThere, Refusal
from sekkei.web import Pages, Redirect
from sekkei_systems.eventbot.pages.edit import to_event
from sekkei_systems.eventbot.pages.view import Snowflake
from sekkei_systems.eventbot.refusals import NoSuchMember
from sekkei_systems.eventbot.rules.identifiers import is_snowflake
from sekkei_systems.eventbot.service import Guilds, Host, Joining

pages = Pages()
MEMBERS = "/guilds/{guild_id}/events/{event}/members"


class NewMember(Struct):
    user_id: Snowflake


@pages.post(MEMBERS)
async def add(host: Host, joining: Joining, guilds: Guilds, form: NewMember) -> Redirect:
    """Anybody on the server, by their id in Discord."""
    try:
        name = await guilds.member_name(host.event.guild_id, form.user_id)
        await joining.seat(host, form.user_id, name)
    except Refusal as refusal:
        return to_event(host.event).flash(refusal)
    return to_event(host.event).flash("event.done-add", name=name)


@pages.post(MEMBERS + "/{user_id}/{verb}")
async def do(host: Host, joining: Joining, user_id: str, verb: str) -> Redirect:
    """seat, remove"""
    if not is_snowflake(user_id) or verb not in ("seat", "remove"):
        raise NotThere()
    try:
        if verb == "remove":
            await joining.unseat(host, user_id)
        elif user_id in {one.user_id for one in await joining.waiting(host.event.guild_id, host.event.event_id)}:
            await joining.seat(host, user_id, "")
        else:
            raise NoSuchMember()
    except Refusal as refusal:
        return to_event(host.event).flash(refusal)
    return to_event(host.event).flash(f"event.done-{verb}")
