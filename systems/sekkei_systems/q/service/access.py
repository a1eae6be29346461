"""Who is asking: somebody who has joined, is not suspended and does not leave. Every operation begins here."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.design import Database
from sekkei_systems.q.design.models import User
from sekkei_systems.q.design.tables import users
from sekkei_systems.q.refusals import AppIdNeeded, Banned, Leaving, NotAdmin, NotJoined


@dataclass(frozen=True, slots=True)
class Admin:
    """An administrator at work, as the log names them."""

    id: str
    email: str
    address: str | None = None


class Access:
    """Read anew for every request, so that a ban ends everything at once, whatever session somebody has."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def row(self, who: str) -> User:
        """Somebody who has joined, in whatever state."""
        found = await self._db.get(users(who).consistent())
        if found is None:
            raise NotJoined()
        return found

    async def member(self, who: str) -> User:
        found = await self.row(who)
        if found.is_banned:
            raise Banned()
        if found.deleting_at is not None:
            raise Leaving()
        return found

    async def author(self, who: str) -> User:
        """A member who may post."""
        found = await self.member(who)
        if found.app_id is None:
            raise AppIdNeeded()
        return found

    async def admin(self, who: str, address: str | None = None) -> Admin:
        found = await self.member(who)
        if not found.is_admin:
            raise NotAdmin()
        return Admin(found.user_id, found.email, address)
