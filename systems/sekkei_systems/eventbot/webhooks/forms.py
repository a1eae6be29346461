"""Forms that were filled in."""

from __future__ import annotations

from sekkei_systems.eventbot.ports.discord.permissions import may_post
from sekkei_systems.eventbot.refusals import CannotPost
from sekkei_systems.eventbot.rules import modals, render
from sekkei_systems.eventbot.rules.identifiers import Press, read_custom_id
from sekkei_systems.eventbot.webhooks import answers
from sekkei_systems.eventbot.webhooks.answers import Answer
from sekkei_systems.eventbot.webhooks.desk import Asked, Tools


class Forms:
    """One method a form."""

    def __init__(self, tools: Tools) -> None:
        self._service = tools.service
        self._verbs = {
            "create": self.create,
            "edit": self.edit,
            "details": self.details,
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
            return answers.message(render.private(asked.words("bot.old-button")))
        return await handler(asked, press, values)

    async def create(self, asked: Asked, press: Press, values: dict[str, str]) -> Answer:
        settings = await self._service.guilds.settings(asked.actor.guild_id)
        here = settings.recruit_channel_id in (None, asked.interaction.channel_id)
        if here and not may_post(asked.interaction.app_permissions):
            raise CannotPost()
        draft = modals.read_draft(values, await self._service.desk.wall_clock(asked.actor.guild_id))
        creator = await self._service.access.creator(asked.actor)
        event = await self._service.events.create(creator, draft, asked.interaction.channel_id)
        said = asked.words("bot.created", title=event.title, channel=event.recruit_channel_id)
        return answers.message(render.private(said))

    async def edit(self, asked: Asked, press: Press, values: dict[str, str]) -> Answer:
        desk = self._service.desk
        draft = modals.read_draft(values, await desk.wall_clock(asked.actor.guild_id))
        host = await self._service.access.host(asked.actor, f"EVT#{press.uuid}")
        event = await self._service.events.edit(host, draft, _version(press))
        view = await self._service.events.view(event.guild_id, event.event_id)
        message = render.panel_message(view, desk.now(), asked.words, asked.words("bot.saved"))
        return answers.update(message) if asked.interaction.from_private else answers.message(message)

    async def details(self, asked: Asked, press: Press, values: dict[str, str]) -> Answer:
        desk = self._service.desk
        host = await self._service.access.host(asked.actor, f"EVT#{press.uuid}")
        details = modals.read_details(values, host.event, await desk.wall_clock(asked.actor.guild_id))
        event = await self._service.events.set_details(host, details, _version(press))
        view = await self._service.events.view(event.guild_id, event.event_id)
        message = render.panel_message(view, desk.now(), asked.words, asked.words("bot.saved"))
        return answers.update(message) if asked.interaction.from_private else answers.message(message)

    async def new_notice(self, asked: Asked, press: Press, values: dict[str, str]) -> Answer:
        host = await self._service.access.host(asked.actor, f"EVT#{press.uuid}")
        new = modals.read_notice(values, host.event, await self._service.desk.wall_clock(asked.actor.guild_id))
        notice = await self._service.notices.post(host, new)
        return answers.message(render.private(asked.words("bot.done-notice", title=notice.title)))

    async def template(self, asked: Asked, press: Press, values: dict[str, str]) -> Answer:
        host = await self._service.access.host(asked.actor, f"EVT#{press.uuid}")
        saved = await self._service.guilds.save_template(host, values.get("name", ""))
        return answers.message(render.private(asked.words("bot.done-template", name=saved.name)))


def _version(press: Press) -> int | None:
    return int(press.more) if press.more.isascii() and press.more.isdigit() and len(press.more) < 12 else None
