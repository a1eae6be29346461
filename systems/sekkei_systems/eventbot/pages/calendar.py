"""A guild's events for calendar programs, which cannot sign in: the address itself is the secret."""

from __future__ import annotations

from starlette.responses import Response

from sekkei.runtime.refusals import NotThere
from sekkei.web import Pages, calendar_feed
from sekkei_systems.eventbot.rules import files
from sekkei_systems.eventbot.rules.identifiers import is_snowflake
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.service.events import Events
from sekkei_systems.eventbot.service.guilds import Guilds
from sekkei_systems.eventbot.texts import t

pages = Pages()


@pages.get("/calendar/{guild_id}/{key}.ics", name="calendar")
async def feed(guild_id: str, key: str, guilds: Guilds, events: Events, desk: Desk) -> Response:
    if not is_snowflake(guild_id) or not guilds.calendar_allowed(guild_id, key):
        raise NotThere()
    return calendar_feed(files.feed(t("pages.calendar-name"), await events.all_of_guild(guild_id), desk.now()))
