"""Who may do what. A proof of access is a value that only `Access` makes, and that the service demands by type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime import days
from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.settings import Settings
from sekkei.web import User
from sekkei.web.identity.accounts import email_of
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Role, StaffMember, staff_members, staff_of_chain
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.studios import Studio, Studios

CHAIN = "all"
_KEPT_SECONDS = 10.0
_DEMO_STAFF = DEMO_PEOPLE[0].email


@dataclass(frozen=True, slots=True)
class Member:
    """Proof that somebody is who they say: signed in, or holding a link that was sent to them."""

    user_id: str
    email: str = ""
    """Proven to be theirs; empty when it is not."""


def member_of(user: User) -> Member:
    """The signed-in user."""
    return Member(user.id, user.email if user.verified else "")


@dataclass(frozen=True, slots=True)
class Staff:
    """Proof that somebody runs a studio."""

    user_id: str
    studio: Studio
    role: Role = Role.MANAGER

    def managing(self) -> Staff:
        """Proof that they may also set rules, schedules, staff and secrets."""
        if self.role is not Role.MANAGER:
            raise refusals.NotManager()
        return self

    def own(self, slot: Slot) -> Slot:
        """A slot of this studio; there is no other one here."""
        if slot.studio_code != self.studio.code:
            raise refusals.NoSuchLesson()
        return slot


@dataclass(frozen=True, slots=True)
class StaffList:
    """Who runs which studio, by proven mail address; under "" those who run all."""

    by_studio: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def runs(self, email: str, studio_code: str) -> bool:
        places = (self.by_studio.get(code, frozenset()) for code in ("", studio_code))
        return bool(email) and any(email in place for place in places)


def staff_of(settings: Settings) -> StaffList:
    """`SEKKEI_LESSONS_STAFF=a@example.com,gnz:b@example.com`: a runs all studios, b one. In the demo, its first person
    runs all."""
    given: dict[str, set[str]] = {"": {_DEMO_STAFF} if settings.demo else set()}
    for part in settings.get("lessons_staff").split(","):
        code, _, email = part.rpartition(":")
        if email.strip():
            given.setdefault(code.strip(), set()).add(email.strip().lower())
    return StaffList({code: frozenset(emails) for code, emails in given.items()})


@dataclass
class Roster:
    """The staff of a chain, in the table: who runs which studio, and in what role. Read again every few seconds."""

    db: Database
    clock: Clock
    _kept: dict[tuple[str, str], Role] = field(default_factory=dict, init=False)
    _read_at: float = field(default=float("-inf"), init=False)

    async def role(self, email: str, studio_code: str) -> Role | None:
        if self.clock.now() - self._read_at > _KEPT_SECONDS:
            found = await self.db.all(staff_of_chain(CHAIN).consistent())
            self._kept = {(one.email, one.studio_code): one.role for one in found}
            self._read_at = self.clock.now()
        return self._kept.get((email, studio_code))

    async def of(self, staff: Staff) -> list[StaffMember]:
        found = await self.db.all(staff_of_chain(CHAIN).consistent())
        return [one for one in found if one.studio_code == staff.managing().studio.code]

    async def add(self, staff: Staff, email: str, role: Role) -> StaffMember:
        """Whoever proves this address when signing in; with another role, they have that one."""
        made = StaffMember(
            studio_code=staff.managing().studio.code,
            email=email_of(email),
            role=role,
            added_by=staff.user_id,
            added_at=days.now(self.clock),
        )
        await self.db.write(staff_members.put(made))
        self._read_at = float("-inf")
        return made

    async def remove(self, staff: Staff, member: Member, email: str) -> None:
        """Not oneself, so that somebody is left who can take it back."""
        if email == member.email.lower():
            raise refusals.NotYourself()
        await self.db.write(staff_members.delete(CHAIN, staff.managing().studio.code, email))
        self._read_at = float("-inf")


@dataclass
class Access:
    """Knows the studios and who runs them, by the environment and by the table, and makes the proofs."""

    studios: Studios
    environment: StaffList
    roster: Roster

    @property
    def names(self) -> dict[str, str]:
        return {studio.code: studio.name for studio in self.studios}

    def studio(self, code: str) -> Studio:
        found = next((studio for studio in self.studios if studio.code == code), None)
        if found is None:
            raise refusals.NoSuchStudio()
        return found

    async def role(self, member: Member, studio_code: str) -> Role | None:
        """The environment names managers."""
        if self.environment.runs(member.email, studio_code):
            return Role.MANAGER
        return await self.roster.role(member.email.lower(), studio_code) if member.email else None

    async def staff(self, member: Member, studio_code: str) -> Staff:
        role = await self.role(member, studio_code)
        if role is None:
            raise refusals.NotStaff()
        return Staff(member.user_id, self.studio(studio_code), role)

    async def run_by(self, member: Member) -> list[Studio]:
        """The studios that somebody runs."""
        return [studio for studio in self.studios if await self.role(member, studio.code) is not None]
