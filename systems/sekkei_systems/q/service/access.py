"""The proofs of access: values that only `Access` makes, and that the rest of the service demands by type.

    Joined           has a row, in whatever state
      Member         is neither suspended nor about to leave, and has agreed to the terms in force
        Author       has chosen an ID, and may post
        Admin        runs Q., from this address
          ProvenAdmin  has just shown again that it is they

Each is read anew for every request, so that a ban ends everything at once, whatever session somebody has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.runtime import days
from sekkei.runtime.refusals import ProofNeeded
from sekkei.runtime.settings import Settings
from sekkei.web import User as Account
from sekkei.web import is_recent, proved_at, require_proof
from sekkei.web.limits import address
from sekkei_systems.q.design.models import User
from sekkei_systems.q.design.tables import users
from sekkei_systems.q.refusals import AppIdNeeded, Banned, Leaving, NotAdmin, NotJoined, OtherAccount, TermsNeeded
from sekkei_systems.q.rules.settings import terms_of


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


@dataclass
class Access:
    """Makes the proofs, for somebody by their id or, with `…_of`, for whoever asks."""

    db: Database
    clock: Clock
    settings: Settings

    def __post_init__(self) -> None:
        self.terms = terms_of(self.settings)
        """What people agree to before they go on; None when the operator asks for nothing."""

    async def joined(self, who: str) -> Joined:
        found = await self.db.get(users(who).consistent())
        if found is None:
            raise NotJoined()
        return Joined(found)

    async def member(self, who: str) -> Member:
        return self.member_of(await self.joined(who))

    async def author(self, who: str) -> Author:
        return author_of(await self.member(who))

    async def admin(self, who: str, address: str | None = None) -> Admin:
        return _admin(await self.member(who), address)

    async def proven_admin(self, who: str, address: str | None = None, *, proved_at: datetime | None) -> ProvenAdmin:
        return self._proven(await self.admin(who, address), proved_at)

    # For whoever asks

    @property
    def proofs(self) -> Mapping[type, Callable[..., object]]:
        """How each is made for a request, out of the one before: for `Given.per_request`."""
        return {
            Joined: self.joined_of,
            Member: self.member_of,
            Author: author_of,
            Admin: admin_of,
            ProvenAdmin: self.proven_admin_of,
        }

    async def joined_of(self, request: Request, user: Account) -> Joined:
        """A page says whose it is: somebody else may have signed in on the device since it was opened."""
        if request.headers.get("x-account", user.id) != user.id:
            raise OtherAccount()
        return await self.joined(user.id)

    def member_of(self, joined: Joined) -> Member:
        if joined.user.is_banned:
            raise Banned()
        if joined.user.deleting_at is not None:
            raise Leaving()
        if self.terms is not None and self.terms.needed(joined.user):
            raise TermsNeeded()
        return Member(joined.user)

    def proven_admin_of(self, request: Request, admin: Admin) -> ProvenAdmin:
        return self._proven(admin, proved_at(request))

    def _proven(self, admin: Admin, at: datetime | None) -> ProvenAdmin:
        if not is_recent(at, days.now(self.clock)):
            raise ProofNeeded()
        return ProvenAdmin(admin.user, admin.address)


def author_of(member: Member) -> Author:
    if member.user.app_id is None:
        raise AppIdNeeded()
    return Author(member.user)


def admin_of(request: Request, member: Member) -> Admin:
    """In person, and with the authenticator app, where there is one; from where, as a trusted proxy says."""
    require_proof(request)
    return _admin(member, address(request))


def _admin(member: Member, address: str | None) -> Admin:
    if not member.user.is_admin:
        raise NotAdmin()
    return Admin(member.user, address)
