"""Forms that were filled in."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from sekkei_systems.eventbot.design import Event
from sekkei_systems.eventbot.ports.discord.permissions import may_post
from sekkei_systems.eventbot.ports.discord.rest import DiscordError
from sekkei_systems.eventbot.refusals import CannotPost
from sekkei_systems.eventbot.rules import drafts, modals, panels, render
from sekkei_systems.eventbot.rules.identifiers import Press, custom_id, is_snowflake, read_custom_id
from sekkei_systems.eventbot.rules.markdown import escaped
from sekkei_systems.eventbot.rules.zones import zone_of
from sekkei_systems.eventbot.webhooks import interactions
from sekkei_systems.eventbot.webhooks.interactions import Answer, Asked, Tools, welcome


@dataclass
class Forms:
    """One method a form."""

    tools: Tools

    def __post_init__(self) -> None:
        self._verbs = {
            "create": self.create,
            "edit": self.edit,
            "editone": self.edit,
            "details": self.details,
            "options": self.options,
            "tell": self.tell,
            "newnotice": self.new_notice,
            "template": self.template,
        }

    def read(self, asked: Asked) -> tuple[Press | None, dict[str, str]]:
        press = read_custom_id(str(asked.interaction.data.get("custom_id", "")))
        return press, modals.read_values(asked.interaction.data)

    async def handle(self, asked: Asked) -> Answer:
        press, values = self.read(asked)
        handler = self._verbs.get(press.verb) if press else None
        if press is None or handler is None:
            return interactions.message(render.private(asked.words("bot.old-button")))
        return await handler(asked, press, values)

    async def create(self, asked: Asked, press: Press, values: dict[str, str]) -> Answer:
        creator = await self.tools.service.access.creator(asked.actor)
        settings = await welcome(self.tools.service, asked)
        here = settings.recruit_channel_id in (None, asked.interaction.channel_id)
        if here and not may_post(asked.interaction.app_permissions):
            raise CannotPost()
        now = self.tools.service.desk.now().astimezone(zone_of(settings.time_zone))
        if press.uuid:
            template = await self.tools.service.guilds.template(asked.actor.guild_id, f"TPL#{press.uuid}")
            values = {**drafts.values_of(template), **values, "options": "\n".join(template.options)}
        draft = modals.read_draft(values, now)
        if is_snowflake(press.more):
            await self.tools.service.guilds.may_ping(asked.actor, press.more)
            draft = replace(draft, ping=press.more)
        event = await self.tools.service.events.create(creator, draft, asked.interaction.channel_id)
        return await self._posted(asked, event)

    async def _posted(self, asked: Asked, event: Event) -> Answer:
        """Posted at once, so that whoever made it hears of a channel that is closed to the bot."""
        try:
            await self.tools.settling.settle_event({"guild_id": event.guild_id, "event_id": event.event_id})
        except DiscordError:
            pass  # Discord is silent; the row that stands beside the event has it posted later
        event = await self.tools.service.events.get(event.guild_id, event.event_id)
        title, channel = escaped(event.title), event.recruit_channel_id
        if event.delivery_error is None:
            read_back = f"\n{render.moment(event.event_start_at)}" if event.event_start_at else ""
            said = asked.words("bot.created", title=title, channel=channel)
            return interactions.message(render.private(said + read_back))
        said = asked.words("bot.created-unposted", title=title, channel=channel, error=event.delivery_error)
        again = render.button(asked.words("bot.repost"), custom_id("repost", event.event_id), render.PRIMARY)
        return interactions.message(render.private(said, components=[render.row(again)]))

    async def edit(self, asked: Asked, press: Press, values: dict[str, str]) -> Answer:
        desk = self.tools.service.desk
        draft = modals.read_draft(values, await desk.wall_clock(asked.actor.guild_id))
        host = await self.tools.service.access.host(asked.actor, f"EVT#{press.uuid}")
        event = await self.tools.service.events.edit(host, draft, _version(press), only=press.verb == "editone")
        view = await self.tools.service.events.view(event.guild_id, event.event_id)
        message = panels.panel_message(view, desk.now(), asked.words, asked.words("bot.saved"))
        return interactions.update(message) if asked.interaction.from_private else interactions.message(message)

    async def options(self, asked: Asked, press: Press, values: dict[str, str]) -> Answer:
        host = await self.tools.service.access.host(asked.actor, f"EVT#{press.uuid}")
        wanted = drafts.read_options(values.get("options", ""))
        event = await self.tools.service.events.set_options(host, wanted, _version(press))
        view = await self.tools.service.events.view(event.guild_id, event.event_id)
        message = panels.panel_message(view, self.tools.service.desk.now(), asked.words, asked.words("bot.saved"))
        return interactions.update(message) if asked.interaction.from_private else interactions.message(message)

    async def details(self, asked: Asked, press: Press, values: dict[str, str]) -> Answer:
        desk = self.tools.service.desk
        host = await self.tools.service.access.host(asked.actor, f"EVT#{press.uuid}")
        details = modals.read_details(values, host.event, await desk.wall_clock(asked.actor.guild_id))
        event = await self.tools.service.events.set_details(host, details, _version(press))
        view = await self.tools.service.events.view(event.guild_id, event.event_id)
        message = panels.panel_message(view, desk.now(), asked.words, asked.words("bot.saved"))
        return interactions.update(message) if asked.interaction.from_private else interactions.message(message)

    async def new_notice(self, asked: Asked, press: Press, values: dict[str, str]) -> Answer:
        host = await self.tools.service.access.host(asked.actor, f"EVT#{press.uuid}")
        new = modals.read_notice(values, host.event, await self.tools.service.desk.wall_clock(asked.actor.guild_id))
        notice = await self.tools.service.notices.post(host, new)
        return interactions.message(render.private(asked.words("bot.done-notice", title=notice.title)))

    async def tell(self, asked: Asked, press: Press, values: dict[str, str]) -> Answer:
        host = await self.tools.service.access.host(asked.actor, f"EVT#{press.uuid}")
        audience = values.get("audience", "all")
        count = await self.tools.service.hands.tell(
            host, values.get("text", ""), None if audience == "all" else audience
        )
        return interactions.message(render.private(asked.words("bot.done-tell", n=count)))

    async def template(self, asked: Asked, press: Press, values: dict[str, str]) -> Answer:
        host = await self.tools.service.access.host(asked.actor, f"EVT#{press.uuid}")
        saved = await self.tools.service.guilds.save_template(host, values.get("name", ""))
        return interactions.message(render.private(asked.words("bot.done-template", name=saved.name)))


def _version(press: Press) -> int | None:
    return int(press.more) if press.more.isascii() and press.more.isdigit() and len(press.more) < 12 else None
