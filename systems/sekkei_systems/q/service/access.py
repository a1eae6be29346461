"""The proofs of access: values that only `Access` makes, and that the rest of the service demands by type.

    Joined           has a row, in whatever state
      Member         is neither suspended nor about to leave
        Author       has chosen an ID, and may post
        Admin        runs Q., from this address
          ProvenAdmin  has just shown again that it is they

Each is read anew for every request, so that a ban ends everything at once, whatever session somebody has.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime import days
from sekkei.runtime.refusals import ProofNeeded
from sekkei.web import is_recent
from sekkei_systems.q.design.models import User
from sekkei_systems.q.design.tables import users
from sekkei_systems.q.refusals import AppIdNeeded, Banned, Leaving, NotAdmin, NotJoined


@dataclass(frozen=True, slots=True)
class Joined:
    user: User

    @property
    def id(self) -> str:
        return self.user.user_id


class Member(Joined):
    """Whoever may look around, follow and react."""


class Author(Member):
    """A member who may post."""


@dataclass(frozen=True, slots=True)
class Admin(Member):
    """An administrator at work, as the log names them."""

    address: str | None = None


class ProvenAdmin(Admin):
    """One who may lock others out."""


class Access:
    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def joined(self, who: str) -> Joined:
        found = await self._db.get(users(who).consistent())
        if found is None:
            raise NotJoined()
        return Joined(found)

    async def member(self, who: str) -> Member:
        user = (await self.joined(who)).user
        if user.is_banned:
            raise Banned()
        if user.deleting_at is not None:
            raise Leaving()
        return Member(user)

    async def author(self, who: str) -> Author:
        user = (await self.member(who)).user
        if user.app_id is None:
            raise AppIdNeeded()
        return Author(user)

    async def admin(self, who: str, address: str | None = None) -> Admin:
        user = (await self.member(who)).user
        if not user.is_admin:
            raise NotAdmin()
        return Admin(user, address)

    async def proven_admin(self, who: str, address: str | None = None, *, proved_at: datetime | None) -> ProvenAdmin:
        found = await self.admin(who, address)
        if not is_recent(proved_at, days.now(self._clock)):
            raise ProofNeeded()
        return ProvenAdmin(found.user, address)
