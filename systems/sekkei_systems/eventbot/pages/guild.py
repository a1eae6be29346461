"""A guild's events, its templates, and the end of all its data."""

from __future__ import annotations

from msgspec import Struct

from sekkei.kit.typed import Token
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.refusals import NotThere
from sekkei.web import Events as Happenings
from sekkei.web import Html, Pages, Redirect, User
from sekkei_systems.eventbot.jobs.removal import PURGE
from sekkei_systems.eventbot.pages.view import View, state_of
from sekkei_systems.eventbot.rules.identifiers import is_uuid
from sekkei_systems.eventbot.service.access import Actor, Manager, Organiser
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.service.events import Events
from sekkei_systems.eventbot.service.guilds import Guilds

pages = Pages()


class GuildQuery(Struct):
    show: Token = ""


@pages.get("/guilds/{guild_id}", name="guild")
async def guild(
    user: User, organiser: Organiser, view: View, events: Events, guilds: Guilds, query: GuildQuery
) -> Html:
    past = query.show == "past"
    listed = await events.of_guild(organiser.guild_id, past=past)
    return view.page(
        "guild.html",
        name=await guilds.name(user.id, organiser.guild_id),
        listed=[(event, state_of(event, view.now)) for event in listed],
        past=past,
        feed=f"/eventbot/calendar/{organiser.guild_id}/{guilds.calendar_key(organiser.guild_id)}.ics",
        templates=await guilds.templates(organiser.guild_id),
    )


@pages.get("/guilds/{guild_id}/live")
async def live(actor: Actor) -> Happenings:
    return Happenings(f"eventbot/{actor.guild_id}")


@pages.post("/guilds/{guild_id}/purge")
async def purge(manager: Manager, jobs: Jobs, desk: Desk) -> Redirect:
    """Everything that the bot knows of a guild goes, in a job of its own."""
    started = f"purge/{manager.guild_id}/{int(desk.clock.now())}"
    await jobs.start(PURGE, {"guild_id": manager.guild_id}, id=started)
    return Redirect("eventbot:guild", guild_id=manager.guild_id).flash("settings.purging")


@pages.post("/guilds/{guild_id}/templates/{template}/delete")
async def delete_template(organiser: Organiser, guilds: Guilds, template: str) -> Redirect:
    if not is_uuid(template):
        raise NotThere()
    await guilds.delete_template(organiser, f"TPL#{template}")
    return Redirect("eventbot:guild", guild_id=organiser.guild_id)
