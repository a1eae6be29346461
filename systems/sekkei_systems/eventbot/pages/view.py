"""What every page of a guild needs: who looks at it, and by which clocks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct

from sekkei.kit.typed import Line, Text
from sekkei.runtime.refusals import NotThere
from sekkei.web import Html, User
from sekkei_systems.eventbot.design import Event, GuildSettings
from sekkei_systems.eventbot.rules.identifiers import is_snowflake, is_uuid
from sekkei_systems.eventbot.rules.render import event_state, why
from sekkei_systems.eventbot.rules.views import EventView
from sekkei_systems.eventbot.rules.zones import zone_label, zone_of
from sekkei_systems.eventbot.service.access import Access, Actor, Host, Manager, Organiser
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.service.guilds import Guilds

Short = Annotated[str, Line(200, 0)]
Long = Annotated[str, Text(4000)]
Snowflake = Annotated[str, Meta(pattern="^[0-9]{1,20}$")]


@dataclass(frozen=True, slots=True)
class Simulated:
    """Whether Discord is the one of our own, so that a link to the simulator helps."""

    yes: bool


@dataclass(frozen=True, slots=True)
class View:
    """Who looks at the pages of a guild, and how the guild's people write dates."""

    actor: Actor
    settings: GuildSettings
    now: datetime
    """As the clocks of the guild show it."""
    simulated: bool

    def page(self, template: str, status: int = 200, /, **values: Any) -> Html:
        zone = self.settings.time_zone
        values |= {"zone": zone_of(zone), "zone_label": zone_label(zone), "simulated": self.simulated, "why": why}
        return Html(f"eventbot/{template}", status, actor=self.actor, **values)


async def _actor_of(user: User, guild_id: str, guilds: Guilds) -> Actor:
    """Who the signed-in account is in this guild; a guild that one has no link to does not exist."""
    actor = await guilds.actor(user.id, guild_id) if is_snowflake(guild_id) else None
    if actor is None:
        raise NotThere()
    return actor


async def _organiser_of(actor: Actor, access: Access) -> Organiser:
    return await access.organiser(actor)


async def _manager_of(actor: Actor, access: Access) -> Manager:
    return access.manager(actor)


async def _host_of(actor: Actor, event: str, access: Access) -> Host:
    """Somebody who may look after the event of the path: their own, or any for an organiser."""
    if not is_uuid(event):
        raise NotThere()
    return await access.host(actor, f"EVT#{event}")


async def view_of(actor: Actor, desk: Desk, simulated: Simulated) -> View:
    settings = await desk.settings(actor.guild_id)
    return View(actor, settings, desk.now().astimezone(zone_of(settings.time_zone)), simulated.yes)


PROVIDERS: dict[type, Callable[..., Awaitable[object]]] = {
    Actor: _actor_of,
    Organiser: _organiser_of,
    Manager: _manager_of,
    Host: _host_of,
    View: view_of,
}
"""What handlers may ask for, and what makes it for a request."""


def state_of(event: Event, now: datetime) -> str:
    """open, full, closed, started, cancelled"""
    state = event_state(EventView(event, (), (), (), ()), now)[0]
    if state == "" and event.capacity is not None and event.member_count >= event.capacity:
        return "full"
    return state or "open"


def texts_of(form: Struct) -> dict[str, str]:
    """Return what a form was sent with, as texts, without the inputs that it did not have."""
    values = {name: getattr(form, name) for name in form.__struct_fields__}
    return {name: "" if value is None else str(value) for name, value in values.items() if value is not UNSET}
