"""The staff of a chain, in the table: who runs which studio, and in what role. Read again every few seconds."""

from __future__ import annotations

from collections.abc import Callable

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime import days
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Role, StaffMember, staff_members, staff_of_chain
from sekkei_systems.lessons.service.access import Member, Staff

CHAIN = "all"
KEPT_SECONDS = 10.0


class StoredRoster:
    def __init__(self, db: Database, clock: Clock, address_of_mail: Callable[[str], str]) -> None:
        self._db = db
        self._clock = clock
        self._address_of_mail = address_of_mail
        self._kept: dict[tuple[str, str], Role] = {}
        self._read_at = float("-inf")

    async def role(self, email: str, studio_code: str) -> Role | None:
        if self._clock.now() - self._read_at > KEPT_SECONDS:
            found = await self._db.all(staff_of_chain(CHAIN).consistent())
            self._kept = {(one.email, one.studio_code): one.role for one in found}
            self._read_at = self._clock.now()
        return self._kept.get((email, studio_code))

    async def of(self, staff: Staff) -> list[StaffMember]:
        found = await self._db.all(staff_of_chain(CHAIN).consistent())
        return [one for one in found if one.studio_code == staff.managing().studio.code]

    async def add(self, staff: Staff, email: str, role: Role) -> StaffMember:
        """Whoever proves this address when signing in; with another role, they have that one."""
        made = StaffMember(
            studio_code=staff.managing().studio.code,
            email=self._address_of_mail(email),
            role=role,
            added_by=staff.user_id,
            added_at=days.now(self._clock),
        )
        await self._db.write(staff_members.put(made))
        self._read_at = float("-inf")
        return made

    async def remove(self, staff: Staff, member: Member, email: str) -> None:
        """Not oneself, so that somebody is left who can take it back."""
        if email == member.email.lower():
            raise refusals.NotYourself()
        await self._db.write(staff_members.delete(CHAIN, staff.managing().studio.code, email))
        self._read_at = float("-inf")
