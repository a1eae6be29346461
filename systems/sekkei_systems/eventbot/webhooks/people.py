"""The organiser's hands in Discord: people are chosen from menus, then added, removed or moved; who came is noted."""

from __future__ import annotations

from sekkei_systems.eventbot.refusals import NoSuchMember, NoSuchOption
from sekkei_systems.eventbot.rules import panels
from sekkei_systems.eventbot.rules.identifiers import Press, is_snowflake
from sekkei_systems.eventbot.rules.markdown import escaped
from sekkei_systems.eventbot.rules.mentions import mention
from sekkei_systems.eventbot.service import Host
from sekkei_systems.eventbot.service.views import view_of_event
from sekkei_systems.eventbot.webhooks import answers
from sekkei_systems.eventbot.webhooks.answers import Answer
from sekkei_systems.eventbot.webhooks.desk import Asked, PressHandler, Tools


def chosen(asked: Asked) -> list[str]:
    """The values of a menu."""
    values = asked.interaction.data.get("values")
    return [one for one in values if isinstance(one, str)] if isinstance(values, list) else []


class People:
    """One method a verb."""

    def __init__(self, tools: Tools) -> None:
        self._service = tools.service
        self.verbs: dict[str, PressHandler] = {
            "people": self.people,
            "person": self.person,
            "pseat": self.seat,
            "pseatin": self.seat,
            "premove": self.remove,
            "pmove": self.move,
            "attend": self.attendance,
            "attended": self.attended,
        }

    async def _host(self, asked: Asked, press: Press) -> Host:
        return await self._service.access.host(asked.actor, f"EVT#{press.uuid}")

    async def people(self, asked: Asked, press: Press) -> Answer:
        return answers.message(panels.people_message((await self._host(asked, press)).event, asked.words))

    async def person(self, asked: Asked, press: Press) -> Answer:
        host, values = await self._host(asked, press), chosen(asked)
        if len(values) != 1 or not is_snowflake(values[0]):
            raise NoSuchMember()
        return await self._shown(asked, host, values[0])

    async def _shown(self, asked: Asked, host: Host, user_id: str, said: str = "") -> Answer:
        view = await self._service.events.view(host.event.guild_id, host.event.event_id)
        return answers.update(panels.person_message(view, user_id, asked.words, said))

    def _who(self, press: Press) -> str:
        if not is_snowflake(press.more):
            raise NoSuchMember()
        return press.more

    async def seat(self, asked: Asked, press: Press) -> Answer:
        host, user_id, values = await self._host(asked, press), self._who(press), chosen(asked)
        name = await self._service.guilds.member_name(host.event.guild_id, user_id)
        await self._service.hands.seat(host, user_id, name, values[0] if values else None)
        return await self._shown(asked, host, user_id, asked.words("bot.person-added", mention=mention(user_id)))

    async def remove(self, asked: Asked, press: Press) -> Answer:
        host, user_id = await self._host(asked, press), self._who(press)
        await self._service.hands.unseat(host, user_id)
        return await self._shown(asked, host, user_id, asked.words("bot.person-removed", mention=mention(user_id)))

    async def move(self, asked: Asked, press: Press) -> Answer:
        host, user_id, values = await self._host(asked, press), self._who(press), chosen(asked)
        if not values or values[0] not in host.event.options:
            raise NoSuchOption()
        await self._service.hands.move(host, user_id, values[0])
        name = escaped(host.event.options[values[0]].name)
        said = asked.words("bot.person-moved", mention=mention(user_id), name=name)
        return await self._shown(asked, host, user_id, said)

    async def attendance(self, asked: Asked, press: Press) -> Answer:
        view = await view_of_event(self._service.desk.db, (await self._host(asked, press)).event)
        message = panels.attendance_message(view, page_number(press), asked.words)
        turning = asked.interaction.from_private and press.more != "0"
        return answers.update(message) if turning else answers.message(message)

    async def attended(self, asked: Asked, press: Press) -> Answer:
        """Those of the page who are chosen were there; the others of the page were not."""
        host, page = await self._host(asked, press), page_number(press)
        view = await view_of_event(self._service.desk.db, host.event)
        among = {one.user_id for one in panels.attendance_page(view, page)}
        count = await self._service.hands.attend(host, set(chosen(asked)), among)
        view = await self._service.events.view(host.event.guild_id, host.event.event_id)
        said = asked.words("bot.done-attend", n=count)
        return answers.update(panels.attendance_message(view, page, asked.words, said))


def page_number(press: Press) -> int:
    return int(press.more) if press.more.isascii() and press.more.isdigit() and len(press.more) < 6 else 0
