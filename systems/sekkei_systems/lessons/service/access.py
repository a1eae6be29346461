"""Who may do what. A proof of access is a value that only `Access` makes, and that the service demands by type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.settings import Settings
from sekkei.web import User
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Role
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.studios import Studio

DEMO_STAFF = DEMO_PEOPLE[0].email


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
    given: dict[str, set[str]] = {"": {DEMO_STAFF} if settings.demo else set()}
    for part in settings.get("lessons_staff").split(","):
        code, _, email = part.rpartition(":")
        if email.strip():
            given.setdefault(code.strip(), set()).add(email.strip().lower())
    return StaffList({code: frozenset(emails) for code, emails in given.items()})


class Roster(Protocol):
    """Who runs which studio, as the table has it."""

    async def role(self, email: str, studio_code: str) -> Role | None: ...


class Access:
    """Knows the studios and who runs them, by the environment and by the table, and makes the proofs."""

    def __init__(
        self, studios: Sequence[Studio] = (), staff: StaffList | None = None, roster: Roster | None = None
    ) -> None:
        self.studios = list(studios)
        self.names = {studio.code: studio.name for studio in studios}
        self._staff = staff or StaffList()
        self._roster = roster

    def studio(self, code: str) -> Studio:
        found = next((studio for studio in self.studios if studio.code == code), None)
        if found is None:
            raise refusals.NoSuchStudio()
        return found

    async def role(self, member: Member, studio_code: str) -> Role | None:
        """The environment names managers."""
        if self._staff.runs(member.email, studio_code):
            return Role.MANAGER
        if self._roster is None or not member.email:
            return None
        return await self._roster.role(member.email.lower(), studio_code)

    async def staff(self, member: Member, studio_code: str) -> Staff:
        role = await self.role(member, studio_code)
        if role is None:
            raise refusals.NotStaff()
        return Staff(member.user_id, self.studio(studio_code), role)

    async def run_by(self, member: Member) -> list[Studio]:
        """The studios that somebody runs."""
        return [studio for studio in self.studios if await self.role(member, studio.code) is not None]
