"""Who may do what: a member works on tasks and reads; an admin also manages the team, members, tags, invitations.

The proof is a value. An operation takes it as an argument, so who may do something is checked by its type.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, TypeVar

from sekkei.design import Database, Ref
from sekkei_systems.tasks.design import KEY, Role, Team, TeamUser, Totals, members_of, one_team, team_users, totals_of
from sekkei_systems.tasks.refusals import NoSuchTeam, NotAdmin

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Member:
    """Proof, read in this request, that somebody belongs to a team. Only `Access` makes one."""

    team_id: str
    user_id: str
    name: str
    role: Role
    key: str = KEY
    """Of the team: what stands before the numbers of its tasks."""
    keys: frozenset[str] = frozenset({KEY})
    """And those that stood there before."""


class Admin(Member):
    """Proof that they may also manage it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Room:
    """A team as a page needs it: the proof, the team, its totals and everybody in it."""

    member: Member
    team: Team
    totals: Totals
    members: list[TeamUser]
    """Admins first, then by when they came."""


@dataclass
class Access:
    """To strangers, and once it is being deleted, a team does not exist."""

    db: Database

    async def member(self, who: str, team_id: str) -> Member:
        """An `Admin` for an admin. Somebody who was removed a moment ago is none any more."""
        return (await self._proved(who, team_id))[0]

    async def member_and(self, who: str, team_id: str, ref: Ref[M]) -> tuple[Member, M | None]:
        """The proof and something else of the team, in one call."""
        member, (found,) = await self._proved(who, team_id, ref)
        return member, found

    async def _proved(self, who: str, team_id: str, *refs: Ref[Any]) -> tuple[Member, list[Any]]:
        wanted: list[Ref[Any]] = [one_team(team_id).consistent(), team_users(team_id, who).consistent(), *refs]
        team, membership, *others = await self.db.get_many(wanted)
        if team is None or membership is None or team.closing:
            raise NoSuchTeam()
        return proof(membership, team), others

    async def admin(self, who: str, team_id: str) -> Admin:
        return as_admin(await self.member(who, team_id))

    async def room(self, who: str, team_id: str) -> Room:
        """Two calls, and the proof is in them."""
        wanted: list[Ref[Any]] = [one_team(team_id).consistent(), totals_of(team_id).consistent()]
        (team, totals), members = await asyncio.gather(
            self.db.get_many(wanted), self.db.all(members_of(team_id).consistent())
        )
        membership = next((one for one in members if one.user_id == who), None)
        if team is None or membership is None or team.closing:
            raise NoSuchTeam()
        return Room(proof(membership, team), team, totals or Totals(team_id=team_id), in_order(members))


def proof(membership: TeamUser, team: Team) -> Member:
    kind = Admin if membership.role is Role.ADMIN else Member
    name, keys = membership.user_name, team.former_keys | {team.key}
    return kind(team.team_id, membership.user_id, name, membership.role, team.key, keys)


def as_admin(member: Member) -> Admin:
    if not isinstance(member, Admin):
        raise NotAdmin()
    return member


def in_order(members: list[TeamUser]) -> list[TeamUser]:
    return sorted(members, key=lambda one: (one.role is not Role.ADMIN, one.joined_on, one.user_name))
