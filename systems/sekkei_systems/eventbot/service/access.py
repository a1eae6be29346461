"""The proofs of access: values that only `Access` makes, and that the rest of the service demands by type.

Actor        somebody in a guild, as Discord signed it in this request, or as a web link proved lately
  Creator    may make events
  Organiser  may look after every event of the guild
  Manager    may manage the server itself
Host         an actor who may look after one event, and that event as it was read
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TypeVar

from sekkei_systems.eventbot.design import Event
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.refusals import NotCreator, NotManager, NotOrganiser
from sekkei_systems.eventbot.service.desk import Desk, Request

A = TypeVar("A", bound="Actor")


@dataclass(frozen=True, slots=True)
class Actor:
    """Whoever asks for something."""

    guild_id: str
    user_id: str
    name: str
    roles: frozenset[str] = field(default_factory=frozenset)
    permissions: int = 0
    request: Request | None = field(default=None, compare=False)
    """None for whoever comes by the web pages."""


class Creator(Actor):
    """May make events: by Discord's own permission, the organisers' role, or the role of the settings."""


class Organiser(Actor):
    """May look after all events: by the organisers' role, or because Discord lets them manage events."""


class Manager(Actor):
    """May manage the server."""


@dataclass(frozen=True, slots=True)
class Host:
    """May look after this event: its creator, or any organiser."""

    actor: Actor
    event: Event


@dataclass
class Access:
    """Makes the proofs. Raises NotOrganiser and its sisters, NoSuchEvent."""

    desk: Desk

    async def may_organise(self, actor: Actor, event: Event | None = None) -> bool:
        if event is not None and event.created_by == actor.user_id:
            return True
        if isinstance(actor, Organiser) or actor.permissions & permissions.Permission.ORGANISING:
            return True
        role = (await self.desk.settings(actor.guild_id)).organiser_role_id
        return role is not None and role in actor.roles

    async def organiser(self, actor: Actor) -> Organiser:
        if not await self.may_organise(actor):
            raise NotOrganiser()
        return _proven(Organiser, actor)

    async def host(self, actor: Actor, event_id: str) -> Host:
        event = await self.desk.event(actor.guild_id, event_id)
        if not await self.may_organise(actor, event):
            raise NotOrganiser()
        return Host(actor, event)

    async def host_of_notice(self, actor: Actor, notice_id: str) -> Host:
        notice = await self.desk.notice(actor.guild_id, notice_id)
        return await self.host(actor, notice.event_id)

    async def creator(self, actor: Actor) -> Creator:
        if not actor.permissions & permissions.Permission.CREATING:
            settings = await self.desk.settings(actor.guild_id)
            allowed = {settings.organiser_role_id, settings.creator_role_id}
            if not allowed & {*actor.roles, actor.guild_id}:
                raise NotCreator()
        return _proven(Creator, actor)

    def manager(self, actor: Actor) -> Manager:
        if not actor.permissions & permissions.Permission.MANAGING_GUILD:
            raise NotManager()
        return _proven(Manager, actor)


def _proven(proof: type[A], actor: Actor) -> A:
    return proof(**{each.name: getattr(actor, each.name) for each in fields(Actor)})
