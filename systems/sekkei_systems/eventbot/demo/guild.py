"""The server of the demo: its channels, roles and people."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei_systems.eventbot.ports.discord import permissions
from sekkei_systems.eventbot.service.access import Actor

GUILD_ID = "900000000000000001"
GUILD_NAME = "もくもく倶楽部"
ORGANISER_ROLE = "910000000000000001"
ATTENDEE_ROLE = "910000000000000002"
MANAGER_ROLE = "910000000000000003"
RECRUIT, NOTICES, CHAT = "920000000000000001", "920000000000000002", "920000000000000003"
CHANNELS = {RECRUIT: "イベント募集", NOTICES: "連絡", CHAT: "雑談"}
MODERATOR_ROLE = "910000000000000004"
BOT_ROLE, BOT_ID = "910000000000000005", "8000000000000000001"
BOT_PERMISSIONS = (
    permissions.Permission.POSTING
    | permissions.Permission.READ_MESSAGE_HISTORY
    | permissions.Permission.MANAGE_ROLES
    | permissions.Permission.CREATE_PUBLIC_THREADS
    | permissions.Permission.SEND_MESSAGES_IN_THREADS
    | permissions.Permission.CREATE_EVENTS
)
"""What docs/eventbot.md tells people to give it."""
EVERYBODY = permissions.Permission.VIEW_CHANNEL | permissions.Permission.SEND_MESSAGES
MANAGER = (
    permissions.Permission.MANAGE_EVENTS | permissions.Permission.MANAGE_GUILD | permissions.Permission.MANAGE_ROLES
)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody on the server."""

    id: str
    username: str
    name: str
    roles: tuple[str, ...] = ()
    permissions: int = EVERYBODY

    @property
    def actor(self) -> Actor:
        return Actor(GUILD_ID, self.id, self.name, frozenset(self.roles), self.permissions)


def _people() -> dict[str, Person]:
    found: dict[str, Person] = {}
    for number, one in enumerate(DEMO_PEOPLE, 1):
        id = f"93000000000000000{number}"
        rights = EVERYBODY | MANAGER if number == 1 else EVERYBODY
        roles = {1: (MANAGER_ROLE,), 2: (ORGANISER_ROLE,)}.get(number, ())
        found[id] = Person(id, one.romaji.split()[0].lower(), one.name, roles, rights)
    return found


PEOPLE = _people()
"""The people of every demo: the first manages the server, the second has the organisers' role, the rest are members."""


def person_of_account(account_id: str) -> Person | None:
    """Who a demo account is on the server."""
    position = next((at for at, one in enumerate(DEMO_PEOPLE) if one.id == account_id), None)
    return None if position is None else list(PEOPLE.values())[position]
