"""What belongs to a guild: settings, templates, and who may use the web pages for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sekkei.design import ConditionFailed, Database
from sekkei.kit.signing import BadToken
from sekkei.kit.text import one_line
from sekkei.runtime.data_subjects import Exported, Person, Personal, as_data
from sekkei.runtime.identifiers import uuid7
from sekkei.runtime.jobs import Payload, Progress
from sekkei.runtime.settings import Secrets
from sekkei_systems import days
from sekkei_systems.eventbot import design
from sekkei_systems.eventbot.design import (
    GuildSettings,
    OrganiserLink,
    Preference,
    Template,
    guild_settings,
    guilds_of_account,
    organiser_links,
    preferences,
    templates,
)
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.ports.discord.oauth import Identified
from sekkei_systems.eventbot.ports.discord.rest import NOT_HERE, DiscordError, Refused, Rest
from sekkei_systems.eventbot.refusals import (
    BadLink,
    BadRole,
    DiscordSilent,
    Missing,
    NoSuchMember,
    NoSuchTemplate,
    NotManager,
    NotPinger,
    NotRoleManager,
    RoleTooHigh,
    RoleTooPowerful,
    SeveralMembers,
    TooManyTemplates,
)
from sekkei_systems.eventbot.rules import drafts
from sekkei_systems.eventbot.rules.drafts import SHARED
from sekkei_systems.eventbot.rules.identifiers import is_snowflake
from sekkei_systems.eventbot.rules.zones import zone_of
from sekkei_systems.eventbot.service.access import Access, Actor, Host, Organiser
from sekkei_systems.eventbot.service.desk import Desk

_LINK_SECONDS = 600
_LINK_LIFE = timedelta(days=30)
_FRESH = timedelta(minutes=5)
_STALE_MAX = timedelta(hours=1)
"""Roles change in Discord: they are asked for every five minutes. While it is silent, the old ones hold for an hour."""
_TEMPLATES_MAX = 25
_GUILDS_MAX = 200
"""As many as Discord tells at once, and as somebody can be in."""
_POSTABLE = (0, 5)
"""Text and announcement channels."""


_ROLES = frozenset({"organiser_role_id", "attendee_role_id", "creator_role_id", "member_role_id"})
_CHANNELS = frozenset({"recruit_channel_id", "notice_channel_id"})
"""Settings that need Discord's own permission to manage roles, or the server."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Who somebody is in a guild right now, and the guild."""

    actor: Actor
    guild_name: str
    position: int = 0
    """Of their highest role."""
    roles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """All roles of the guild as Discord describes them, by id."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What people choose from: ids and names of channels to post in, of roles, and of roles that the bot may give."""

    channels: tuple[tuple[str, str], ...]
    roles: tuple[tuple[str, str], ...]
    givable: tuple[tuple[str, str], ...]


@dataclass
class Membership:
    """What Discord answers at this moment: pages go by it, not by what a link once held. Raises DiscordError."""

    rest: Rest

    async def choices(self, guild_id: str) -> Choices:
        """Text and announcement channels, and roles, by name."""
        guild = await self.rest.guild(guild_id)
        found = await self.rest.channels(guild_id)
        channels = [(str(one["id"]), str(one["name"])) for one in found if one.get("type") in _POSTABLE]
        roles = sorted(guild.get("roles") or (), key=lambda one: -int(one.get("position", 0)))
        named = tuple((str(one["id"]), str(one["name"])) for one in roles if not one.get("managed"))
        givable = {
            str(one["id"])
            for one in roles
            if not permissions.bits(one.get("permissions")) & permissions.Permission.ADMINISTRATIVE
            and one["id"] != guild_id
        }
        return Choices(tuple(channels), named, tuple(one for one in named if one[0] in givable))

    async def emojis(self, guild_id: str) -> frozenset[str]:
        """Ids of the guild's own."""
        guild = await self.rest.guild(guild_id)
        return frozenset(str(one["id"]) for one in guild.get("emojis") or () if one.get("available", True))

    async def search(self, guild_id: str, text: str) -> list[tuple[str, str]]:
        """Ids and names of members whose name begins so."""
        found = await self.rest.search_members(guild_id, text)
        return [(str(one["user"]["id"]), _name(one)) for one in found if not one["user"].get("bot")]

    async def __call__(self, guild_id: str, user_id: str) -> Standing | None:
        """A person's standing; None when they have left, or the bot has been thrown out."""
        try:
            guild = await self.rest.guild(guild_id)
            member = await self.rest.member(guild_id, user_id)
        except Refused as refused:
            if refused.code in NOT_HERE:
                return None
            raise
        actor = Actor(
            guild_id,
            user_id,
            _name(member),
            frozenset(map(str, member.get("roles") or ())),
            permissions.of_member(guild, member),
        )
        roles = {str(role["id"]): role for role in guild.get("roles") or ()}
        return Standing(actor, str(guild.get("name", ""))[:100], permissions.top_position(guild, member), roles)


@dataclass
class Guilds:
    """`secrets` sign links that Discord users carry to the web pages."""

    desk: Desk
    secrets: Secrets
    look_up: Membership

    def __post_init__(self) -> None:
        self._links, self._calendars = self.secrets.signer("eventbot links"), self.secrets.signer("eventbot calendars")

    async def settings(self, guild_id: str) -> GuildSettings:
        return await self.desk.settings(guild_id)

    async def choices(self, guild_id: str) -> Choices | None:
        """None while Discord is silent; ids can still be typed."""
        try:
            return await self.look_up.choices(guild_id)
        except DiscordError:
            return None

    async def member_name(self, guild_id: str, user_id: str) -> str:
        """What somebody is called on the server; raises NoSuchMember."""
        try:
            standing = await self.look_up(guild_id, user_id)
        except DiscordError:
            raise DiscordSilent() from None
        if standing is None:
            raise NoSuchMember()
        return standing.actor.name

    async def find_member(self, guild_id: str, text: str) -> tuple[str, str]:
        """Somebody's id and name, by their id or by a name; raises NoSuchMember, SeveralMembers."""
        text = text.strip().removeprefix("@")
        if is_snowflake(text):
            return text, await self.member_name(guild_id, text)
        try:
            found = await self.look_up.search(guild_id, text) if text else []
        except DiscordError:
            raise DiscordSilent() from None
        exact = [one for one in found if one[1].casefold() == text.casefold()]
        found = exact or found
        if not found:
            raise NoSuchMember()
        if len(found) > 1:
            raise SeveralMembers(names="、".join(name for _, name in found[:5]))
        return found[0]

    async def welcome(self, guild_id: str, locale: str, zone: str) -> GuildSettings:
        """The settings; a guild that nobody has used yet begins with a language and a zone."""
        desk = self.desk
        found = await desk.db.get(design.settings_of_guild(guild_id))
        if found is not None:
            return found
        if await desk.db.first(design.events_of_guild(guild_id)) is not None:
            return GuildSettings(guild_id=guild_id)  # it has been at home in Japan's time before
        try:
            new = GuildSettings(guild_id=guild_id, locale=locale, time_zone=zone)
            return await desk.db.write(guild_settings.create(new))
        except ConditionFailed:
            return await desk.settings(guild_id)

    async def change_settings(self, actor: Organiser, **changes: Any) -> GuildSettings:
        """Organisers say how; where to, and who gets which role, is for those who manage these in Discord."""
        current = await self.desk.settings(actor.guild_id)
        given = {name: _role(actor, name, value) if name in _ROLES else value for name, value in changes.items()}
        changed = GuildSettings(**{**vars(current), **given})
        zone_of(changed.time_zone)
        moved = {name for name, value in vars(changed).items() if value != getattr(current, name)}
        if moved & _CHANNELS and not actor.permissions & permissions.Permission.MANAGING_GUILD:
            raise NotManager()
        if moved & _ROLES and not actor.permissions & permissions.Permission.MANAGING_ROLES:
            raise NotRoleManager()
        if "attendee_role_id" in moved and changed.attendee_role_id is not None:
            position = await self._givable(actor, changed.attendee_role_id)
            chosen = {"attendee_role_by": actor.user_id, "attendee_role_position": position}
            changed = GuildSettings(**{**vars(changed), **chosen})
        await self.desk.transact(guild_settings.put(changed), by=actor)
        return changed

    async def _givable(self, actor: Actor, role_id: str) -> int:
        """Its position. The bot never hands out what stands above the person who says so, nor anything with powers."""
        try:
            standing = await self.look_up(actor.guild_id, actor.user_id)
        except DiscordError:
            raise DiscordSilent() from None
        role = standing.roles.get(role_id) if standing is not None else None
        if standing is None or role is None or role.get("managed"):
            raise BadRole(field="attendee_role_id")
        if int(role.get("position", 0)) >= standing.position:
            raise RoleTooHigh(field="attendee_role_id")
        if permissions.bits(role.get("permissions")) & permissions.Permission.ADMINISTRATIVE:
            raise RoleTooPowerful(field="attendee_role_id")
        return int(role.get("position", 0))

    async def may_ping(self, actor: Actor, role_id: str) -> None:
        """Rings a role only for whoever may ring it themselves; raises NotPinger."""
        if actor.permissions & permissions.Permission.RINGING:
            return
        try:
            standing = await self.look_up(actor.guild_id, actor.user_id)
        except DiscordError:
            raise DiscordSilent() from None
        role = standing.roles.get(role_id) if standing is not None else None
        if role is None or role_id == actor.guild_id or not role.get("mentionable"):
            raise NotPinger()

    # What people want

    async def set_directs(self, actor: Actor, wanted: bool) -> None:
        """Reminders by direct message too, or no more."""
        preference = Preference(guild_id=actor.guild_id, user_id=actor.user_id, direct=wanted)
        await self.desk.transact(preferences.put(preference), by=actor)

    async def no_directs(self, guild_id: str, user_id: str) -> None:
        """Discord says that somebody takes no direct messages."""
        await self.desk.db.write(preferences.delete(guild_id, user_id))

    # Templates

    async def templates(self, guild_id: str) -> list[Template]:
        found = await self.desk.db.all(design.templates_of_guild(guild_id))
        return sorted(found, key=lambda one: one.name)

    async def template(self, guild_id: str, template_id: str) -> Template:
        found = await self.desk.db.get(templates(guild_id, template_id).consistent())
        if found is None:
            raise NoSuchTemplate()
        return found

    async def save_template(self, host: Host, name: str) -> Template:
        actor, event = host.actor, host.event
        name = one_line(name)[:80]
        if not name:
            raise Missing(field="name")
        existing = await self.templates(actor.guild_id)
        same = next((one for one in existing if one.name == name), None)
        if same is None and len(existing) >= _TEMPLATES_MAX:
            raise TooManyTemplates(most=_TEMPLATES_MAX)
        template = Template(
            guild_id=actor.guild_id,
            template_id=same.template_id if same else f"TPL#{uuid7(self.desk.clock)}",
            name=name,
            **{name: getattr(event, name) for name in SHARED},
            options=drafts.option_lines(event.options),
            created_by=actor.user_id,
            created_at=self.desk.now(),
        )
        await self.desk.transact(templates.put(template), by=actor)
        return template

    async def delete_template(self, actor: Organiser, template_id: str) -> None:
        try:
            await self.desk.db.write(templates.delete(actor.guild_id, template_id).must_exist())
        except ConditionFailed as failed:
            if not failed.unsure:  # else it is gone, as was asked for
                raise NoSuchTemplate() from None

    # The way to the web pages

    async def link(self, actor: Organiser) -> str:
        """A token for the web pages, good for ten minutes."""
        content = {
            "g": actor.guild_id,
            "u": actor.user_id,
            "n": actor.name,
            "r": sorted(actor.roles)[:50],
            "p": str(actor.permissions),
        }
        return self._links.sign(content, until=int(self.desk.clock.now()) + _LINK_SECONDS)

    async def accept_link(self, account_id: str, token: str) -> OrganiserLink:
        """The signed-in account stands for that Discord user from now on, for a month."""
        try:
            content = self._links.read(token, self.desk.clock.now())
        except BadToken:
            raise BadLink() from None
        link = OrganiserLink(
            account_id=account_id,
            guild_id=content["g"],
            user_id=content["u"],
            user_name=content["n"],
            roles=content["r"],
            permissions=content["p"],
            expires=self.desk.now() + _LINK_LIFE,
            checked_at=self.desk.now(),
        )
        return await self.desk.db.write(organiser_links.put(link))

    async def link_user(self, access: Access, account_id: str, user: Identified) -> list[OrganiserLink]:
        """The account stands for a Discord user in every guild that the bot serves and that they may organise in."""
        known = await self.desk.db.get_many(guild_settings(id) for id in user.guild_ids[:_GUILDS_MAX])
        made = []
        for settings in known:
            standing = await self._standing(settings.guild_id, user.user_id) if settings is not None else None
            if standing is not None and await access.may_organise(standing.actor):
                made.append(await self.desk.db.write(organiser_links.put(self._link_of(account_id, standing))))
        return made

    async def _standing(self, guild_id: str, user_id: str) -> Standing | None:
        try:
            return await self.look_up(guild_id, user_id)
        except DiscordError:
            raise DiscordSilent() from None

    def _link_of(self, account_id: str, standing: Standing) -> OrganiserLink:
        actor = standing.actor
        return OrganiserLink(
            account_id=account_id,
            guild_id=actor.guild_id,
            guild_name=standing.guild_name,
            user_id=actor.user_id,
            user_name=actor.name,
            roles=sorted(actor.roles),
            permissions=str(actor.permissions),
            checked_at=self.desk.now(),
            expires=self.desk.now() + _LINK_LIFE,
        )

    async def links(self, account_id: str) -> list[OrganiserLink]:
        """The guilds that an account may look after."""
        return await self.desk.db.all(design.guilds_of_account(account_id))

    async def name(self, account_id: str, guild_id: str) -> str:
        """What a guild is called, as far as the account's link knows."""
        found = await self.desk.db.get(organiser_links(account_id, guild_id))
        return (found.guild_name if found else "") or guild_id

    async def actor(self, account_id: str, guild_id: str) -> Actor | None:
        """The Discord user that an account stands for in a guild, if it does, with the roles of today."""
        found = await self.desk.db.get(organiser_links(account_id, guild_id).consistent())
        if found is None or found.expires <= self.desk.now():
            return None
        age = self.desk.now() - (found.checked_at or datetime.fromtimestamp(0, days.JST))
        if age >= _FRESH:
            return await self._looked_up(found, age)
        return _actor(found)

    async def _looked_up(self, link: OrganiserLink, age: timedelta) -> Actor | None:
        try:
            standing = await self.look_up(link.guild_id, link.user_id)
        except DiscordError:
            if age >= _STALE_MAX:
                raise DiscordSilent() from None
            standing = Standing(_actor(link), link.guild_name)
        else:
            await self._renew(link, standing)
        return None if standing is None else standing.actor

    async def _renew(self, link: OrganiserLink, standing: Standing | None) -> None:
        if standing is None:
            await self.unlink(link.account_id, link.guild_id)
            return
        actor = standing.actor
        update = organiser_links.update(link.account_id, link.guild_id).set(OrganiserLink.checked_at, self.desk.now())
        update = update.set(OrganiserLink.roles, sorted(actor.roles)).set(OrganiserLink.user_name, actor.name)
        update = update.set(OrganiserLink.permissions, str(actor.permissions))
        try:
            await self.desk.db.write(update.set(OrganiserLink.guild_name, standing.guild_name))
        except ConditionFailed:
            pass  # unlinked meanwhile

    async def unlink(self, account_id: str, guild_id: str) -> None:
        await self.desk.db.write(organiser_links.delete(account_id, guild_id))

    def calendar_key(self, guild_id: str) -> str:
        """What makes the address of a guild's calendar unguessable."""
        return self._calendars.mark(guild_id)

    def calendar_allowed(self, guild_id: str, key: str) -> bool:
        return self._calendars.matches(key, guild_id)


def _role(actor: Actor, name: str, role_id: str | None) -> str | None:
    """@everyone, whose id is the guild's, means nobody in particular; of creators it means all."""
    return None if role_id == actor.guild_id and name != "creator_role_id" else role_id


def _actor(link: OrganiserLink) -> Actor:
    return Actor(link.guild_id, link.user_id, link.user_name, frozenset(link.roles), permissions.bits(link.permissions))


def _name(member: Mapping[str, Any]) -> str:
    """What somebody is called on the server."""
    user = member.get("user") or {}
    names = (member.get("nick"), user.get("global_name"), user.get("username"))
    return next((seen for one in names if (seen := one_line(str(one or "")))), "?")[:100]


# Accounts that take their data along, or leave: the ties of an account to guilds. What people do in Discord is theirs
# there, with an account or without.


_ABOUT = {
    "ja": "主催者ページと Discord のつながりが消えます。Discord で作ったイベントや参加はそのまま残り、"
    "Discord から取り消せます。",
    "en": "The link between your organiser pages and Discord is deleted. Events you made or joined in Discord stay; "
    "you can cancel them in Discord.",
}


@dataclass
class EventPeople:
    db: Database

    def personal(self) -> Personal:
        return Personal(_ABOUT, self.export, [("links", self._links)])

    async def export(self, person: Person) -> AsyncIterator[Exported]:
        links = await self.db.all(guilds_of_account(person.user_id))
        if links:
            yield "guilds.json", [as_data(link) for link in links]

    async def _links(self, payload: Payload, cursor: str | None) -> Progress:
        links = await self.db.all(guilds_of_account(payload["user_id"]))
        await self.db.write_many(organiser_links.delete(one.account_id, one.guild_id) for one in links)
        return Progress(len(links))
