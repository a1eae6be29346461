"""Slash commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from sekkei_systems.eventbot.design import Event, Template
from sekkei_systems.eventbot.refusals import NoSuchEvent, SeveralEvents
from sekkei_systems.eventbot.rules import modals, panels, render
from sekkei_systems.eventbot.rules.identifiers import is_snowflake, is_uuid, uuid_of
from sekkei_systems.eventbot.rules.views import is_over
from sekkei_systems.eventbot.rules.zones import zone_of
from sekkei_systems.eventbot.service import Service
from sekkei_systems.eventbot.service.members import members_in_order, view_of_event
from sekkei_systems.eventbot.texts import say
from sekkei_systems.eventbot.webhooks import interactions
from sekkei_systems.eventbot.webhooks.interactions import AUTOCOMPLETE, Answer, Asked, Handler, Tools, welcome

Options = Mapping[str, Any]
_CHOICES_MAX = 25


_HEADS: dict[str, tuple[str, str]] = {
    "list": ("bot.events-head", "bot.no-events"),
    "mine": ("bot.mine-head", "bot.no-events"),
    "past": ("bot.past-head", "bot.no-past"),
}


async def events_list(service: Service, asked: Asked, verb: str, page: int) -> render.Payload:
    """The guild's events to come, those that this person takes part in or has made, or those that are over."""
    listed = await service.events.of_guild(asked.actor.guild_id, past=verb == "past")
    if verb == "mine":
        joined = await service.joining.joined(asked.actor, listed)
        listed = [one for one in listed if one.event_id in joined or one.created_by == asked.actor.user_id]
    head, none = _HEADS[verb]
    if not listed:
        return render.private(asked.words(none))
    return render.events_message(listed, page, asked.words(head, n=len(listed)), verb, asked.words)


@dataclass
class Commands:
    """One method a subcommand; the names are those of `COMMANDS`."""

    tools: Tools

    def __post_init__(self) -> None:
        self._names: dict[str, Handler] = {
            "event create": self.create,
            "event list": self.list,
            "event mine": self.mine,
            "event past": self.past,
            "event show": self.show,
            "event manage": self.manage,
            "event notify": self.notify,
            "event settings": self.settings,
            "event web": self.web,
            "event help": self.help,
            "notice create": self.create_notice,
            "notice list": self.list_notices,
        }

    async def handle(self, asked: Asked) -> Answer:
        name, options = _read_command(asked.interaction.data)
        if asked.interaction.type == AUTOCOMPLETE:
            return await self.complete(asked, options)
        handler = self._names.get(name)
        if handler is None:
            return interactions.message(render.private(asked.words("bot.old-button")))
        return await handler(asked)

    async def create(self, asked: Asked) -> Answer:
        await self.tools.service.access.creator(asked.actor)
        template = await self._template(asked, str(_options(asked).get("template", "")).strip())
        settings = await welcome(self.tools.service, asked)
        ping = str(_options(asked).get("ping", ""))
        if ping:
            await self.tools.service.guilds.may_ping(asked.actor, ping)
        return interactions.modal(modals.create_modal(asked.words, settings.time_zone, template, ping))

    async def notify(self, asked: Asked) -> Answer:
        """Reminders by direct message, for whoever asks."""
        wanted = _options(asked).get("dm") is True
        await self.tools.service.guilds.set_directs(asked.actor, wanted)
        return interactions.message(render.private(asked.words("bot.directs-on" if wanted else "bot.directs-off")))

    async def _template(self, asked: Asked, chosen: str) -> Template | None:
        """The one that was picked, or the one of the name that was typed."""
        guilds, guild_id = self.tools.service.guilds, asked.actor.guild_id
        if is_uuid(chosen):
            return await guilds.template(guild_id, f"TPL#{chosen}")
        return next((one for one in await guilds.templates(guild_id) if one.name == chosen), None) if chosen else None

    async def list(self, asked: Asked) -> Answer:
        return interactions.message(await events_list(self.tools.service, asked, "list", 0))

    async def mine(self, asked: Asked) -> Answer:
        return interactions.message(await events_list(self.tools.service, asked, "mine", 0))

    async def past(self, asked: Asked) -> Answer:
        return interactions.message(await events_list(self.tools.service, asked, "past", 0))

    async def show(self, asked: Asked) -> Answer:
        view = await self.tools.service.events.view(asked.actor.guild_id, await self._event_id(asked))
        return interactions.message(render.members_message(view, 0, asked.words))

    async def manage(self, asked: Asked) -> Answer:
        host = await self.tools.service.access.host(asked.actor, await self._event_id(asked))
        view = await view_of_event(self.tools.service.desk.db, host.event)
        return interactions.message(panels.panel_message(view, self.tools.service.desk.now(), asked.words))

    async def settings(self, asked: Asked) -> Answer:
        options = _options(asked)
        await welcome(self.tools.service, asked)
        named = {
            "recruit": "recruit_channel_id",
            "notice": "notice_channel_id",
            "organiser": "organiser_role_id",
            "attendee": "attendee_role_id",
            "creator": "creator_role_id",
            "member": "member_role_id",
        }
        changes: dict[str, Any] = {
            attribute: str(options[name]) for name, attribute in named.items() if is_snowflake(options.get(name))
        }
        if isinstance(options.get("remind"), int):
            changes["remind_minutes_before"] = min(max(options["remind"], 0), 7 * 24 * 60)
        if options.get("language") in ("ja", "en"):
            changes["locale"] = options["language"]
        if isinstance(options.get("zone"), str):
            changes["time_zone"] = options["zone"].strip()
        flags = {"thread": "make_thread", "mirror": "mirror_events", "one_notice": "one_open_notice"}
        changes |= {flags[name]: options[name] for name in flags if isinstance(options.get(name), bool)}
        organiser = await self.tools.service.access.organiser(asked.actor)
        saved = await self.tools.service.guilds.change_settings(organiser, **changes)

        def shown(id: str | None, form: str) -> str:
            return form.format(id) if id else "—"

        text = asked.words(
            "bot.settings-now",
            recruit=shown(saved.recruit_channel_id, "<#{}>"),
            notice=shown(saved.notice_channel_id, "<#{}>"),
            role=shown(saved.organiser_role_id, "<@&{}>"),
            attendee=shown(saved.attendee_role_id, "<@&{}>"),
            creator="@everyone" if saved.creator_role_id == saved.guild_id else shown(saved.creator_role_id, "<@&{}>"),
            member=shown(saved.member_role_id, "<@&{}>"),
            minutes=saved.remind_minutes_before,
            locale=saved.locale,
            zone=saved.time_zone,
            thread="✅" if saved.make_thread else "—",
            mirror="✅" if saved.mirror_events else "—",
        )
        head = asked.words("bot.settings-saved") + "\n" if changes else ""
        return interactions.message(render.private(head + text))

    async def web(self, asked: Asked) -> Answer:
        token = await self.tools.service.guilds.link(await self.tools.service.access.organiser(asked.actor))
        base = f"{self.tools.settings.public_url}/eventbot"
        guild = asked.actor.guild_id
        calendar = f"{base}/calendar/{guild}/{self.tools.service.guilds.calendar_key(guild)}.ics"
        buttons = render.row(render.link(asked.words("bot.calendar"), calendar))
        text = f"{asked.words('bot.web')}\n[{asked.words('bot.web-open')}](<{base}/link?token={token}>)"
        return interactions.message(render.private(text, components=[buttons]))

    async def help(self, asked: Asked) -> Answer:
        return interactions.message(render.private(asked.words("bot.help")))

    async def create_notice(self, asked: Asked) -> Answer:
        host = await self.tools.service.access.host(asked.actor, await self._event_id(asked))
        settings = await self.tools.service.guilds.settings(asked.actor.guild_id)
        return interactions.modal(modals.notice_modal(host.event, asked.words, settings.time_zone))

    async def list_notices(self, asked: Asked) -> Answer:
        service = self.tools.service
        event = await service.events.get(asked.actor.guild_id, await self._event_id(asked))
        organising = await service.access.may_organise(asked.actor, event)
        listed = await service.notices.of_event(event, hidden=organising)
        members = await members_in_order(service.desk.db, event)
        counts = await service.notices.counts(members, listed[: render.NOTICES_PER_PAGE])
        return interactions.message(render.notices_message(event, listed, counts, 0, organising, asked.words))

    async def _event_id(self, asked: Asked) -> str:
        """The event that was picked from the suggestions, or the one whose name was typed."""
        chosen = str(_options(asked).get("event", "")).strip()
        if is_uuid(chosen):
            return f"EVT#{chosen}"
        guild_id = asked.actor.guild_id
        found = _matching(await self.tools.service.events.of_guild(guild_id), chosen) if chosen else []
        if not found and chosen:
            found = _matching(await self.tools.service.events.of_guild(guild_id, past=True), chosen)
        if len(found) > 1:
            raise SeveralEvents(names="、".join(one.title for one in found[:5]))
        if not found:
            raise NoSuchEvent()
        return found[0].event_id

    async def _listed(self, asked: Asked) -> Sequence[Event]:
        """Those to come, then those that are over, latest first: attendance is noted afterwards."""
        every, now = await self.tools.service.events.all_of_guild(asked.actor.guild_id), self.tools.service.desk.now()
        over = [one for one in every if is_over(one, now)]
        return [*(one for one in every if not is_over(one, now)), *over[::-1]]

    async def complete(self, asked: Asked, options: Options) -> Answer:
        """Events or templates whose name contains what has been typed."""
        guild_id = asked.actor.guild_id
        if "template" in options:
            typed = str(options["template"]).lower()
            templates = await self.tools.service.guilds.templates(guild_id)
            found = [(one.name, uuid_of(one.template_id)) for one in templates if typed in one.name.lower()]
        else:
            typed = str(options.get("event", "")).lower()
            listed = await self._listed(asked)
            zone = zone_of((await self.tools.service.guilds.settings(guild_id)).time_zone)
            found = [(_label(one, zone), uuid_of(one.event_id)) for one in listed if typed in one.title.lower()]
        return interactions.choices(found[:_CHOICES_MAX])


def _matching(listed: Sequence[Event], typed: str) -> Sequence[Event]:
    """One that is called so, or those whose name has it inside."""
    named = [one for one in listed if one.title.casefold() == typed.casefold()][:1]
    return named or [one for one in listed if typed.casefold() in one.title.casefold()]


def _label(event: Event, zone: tzinfo) -> str:
    start = event.event_start_at
    return f"{event.title[:80]}（{start.astimezone(zone):%m/%d %H:%M}）" if start else event.title[:90]


def _read_command(data: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The words of the command, and its options by name."""
    words = [str(data.get("name", ""))]
    options = data.get("options") or []
    while isinstance(options, list) and options and isinstance(options[0], dict) and options[0].get("type") in (1, 2):
        words.append(str(options[0].get("name", "")))
        options = options[0].get("options") or []
    values = {str(one["name"]): one.get("value") for one in options if isinstance(one, dict) and "name" in one}
    return " ".join(words), values


def _options(asked: Asked) -> dict[str, Any]:
    return _read_command(asked.interaction.data)[1]


# The bot's slash commands as Discord registers them. Registered on deploy, not at start; names and words are texts.


Payload = dict[str, Any]
_SUBCOMMAND, _STRING, _INTEGER, _BOOLEAN, _CHANNEL, _ROLE = 1, 3, 4, 5, 7, 8
_TEXT_CHANNELS = [0, 5]
_GUILD_ONLY = {"type": 1, "contexts": [0], "integration_types": [0]}
_LANGUAGES = [{"name": "日本語", "value": "ja"}, {"name": "English", "value": "en"}]
_EVENT = {"event": {"type": _STRING, "required": True, "autocomplete": True}}

_SETTINGS: dict[str, Payload] = {
    "recruit": {"type": _CHANNEL, "channel_types": _TEXT_CHANNELS},
    "notice": {"type": _CHANNEL, "channel_types": _TEXT_CHANNELS},
    "organiser": {"type": _ROLE},
    "attendee": {"type": _ROLE},
    "creator": {"type": _ROLE},
    "member": {"type": _ROLE},
    "remind": {"type": _INTEGER, "min_value": 0, "max_value": 10080},
    "language": {"type": _STRING, "choices": _LANGUAGES},
    "zone": {"type": _STRING},
    "thread": {"type": _BOOLEAN},
    "mirror": {"type": _BOOLEAN},
    "one_notice": {"type": _BOOLEAN},
}
_TREE: dict[str, dict[str, dict[str, Payload]]] = {
    "event": {
        "create": {"template": {"type": _STRING, "autocomplete": True}, "ping": {"type": _ROLE}},
        "list": {},
        "mine": {},
        "past": {},
        "show": _EVENT,
        "manage": _EVENT,
        "notify": {"dm": {"type": _BOOLEAN, "required": True}},
        "settings": _SETTINGS,
        "web": {},
        "help": {},
    },
    "notice": {"create": _EVENT, "list": _EVENT},
}
"""Commands, their subcommands, and the options of these."""


def _named(*path: str, **more: Any) -> Payload:
    key = f"command.{'.'.join(path)}"
    return {
        "name": path[-1],
        "name_localizations": {"ja": say("ja", key)},
        "description": say("en", f"{key}.about"),
        "description_localizations": {"ja": say("ja", f"{key}.about")},
        **more,
    }


def _subcommand(command: str, name: str, options: dict[str, Payload]) -> Payload:
    listed = [_named(command, name, option, **shape) for option, shape in options.items()]
    return _named(command, name, type=_SUBCOMMAND, options=listed)


COMMANDS: list[Payload] = [
    _named(command, **_GUILD_ONLY, options=[_subcommand(command, name, options) for name, options in subs.items()])
    for command, subs in _TREE.items()
]
