"""What pages have in common: who looks, when, and what their handlers are given."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated

import msgspec

from sekkei.clock import Clock
from sekkei.kit.typed import Line, Token
from sekkei.web import User
from sekkei_systems import days
from sekkei_systems.days import JST
from sekkei_systems.lessons.design import Contact
from sekkei_systems.lessons.rules.slots import FIRST_DAY, LAST_DAY, Slot, parse_slot
from sekkei_systems.lessons.rules.studios import Sellers
from sekkei_systems.lessons.service.access import Access, Member, Staff, member_of
from sekkei_systems.lessons.service.contacts import Contacts

Typed = Annotated[str, Line(20, 0)]
"""A time as it is typed; `rules.entered` reads it."""


@dataclass(frozen=True, slots=True)
class View:
    """Who looks at a page, and when."""

    member: Member
    now: datetime
    names: dict[str, str]
    """Studios, by code."""
    desk: str | None
    """The first studio that they run, for the menu."""
    language: str

    @property
    def today(self) -> date:
        return days.day_of(self.now)

    def hour(self, moment: datetime) -> str:
        """In Japan's time, with the day when it is not today."""
        local = moment.astimezone(JST)
        return f"{local:%H:%M}" if local.date() == self.today else f"{local.month}/{local.day} {local:%H:%M}"


async def view_of(user: User, access: Access, sellers: Sellers, clock: Clock, language: str) -> View:
    await sellers.fresh()
    member = member_of(user)
    run = await access.run_by(member)
    return View(member, days.now(clock), access.names, run[0].code if run else None, language)


async def contact_of(user: User, contacts: Contacts, language: str) -> Contact:
    """Whoever registers for something is to hear of it, even if they never said how."""
    return await contacts.ensure(user.id, user.name, user.email if user.verified else "", language)


def slot_at(slot: str) -> Slot:
    return parse_slot(slot)


async def staff_at(member: Member, access: Access, code: str) -> Staff:
    return await access.staff(member, code)


class AskedDay(msgspec.Struct, rename={"asked": "date"}):
    asked: Token = ""
    studio: Token = ""

    def day(self, otherwise: date) -> date:
        """The day that is asked for; what is no day is none."""
        try:
            found = date.fromisoformat(self.asked)
        except ValueError:
            return otherwise
        return found if FIRST_DAY <= found <= LAST_DAY else otherwise
