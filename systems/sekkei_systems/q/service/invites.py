"""Links that invite: whoever takes one and whoever made it follow each other.

A link is good for two weeks and for twenty people, and can be taken back. What is stored is a hash of it, so that
nobody can make links of a copy of the table. Making one is the inviter's consent to follow whoever takes it, once.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import timedelta

from sekkei.clock import Clock
from sekkei.design import Database, TransactionFailed, Update
from sekkei.runtime import days
from sekkei.runtime.settings import Settings
from sekkei_systems.q import design
from sekkei_systems.q.design.models import User
from sekkei_systems.q.design.models_growth import Invite
from sekkei_systems.q.design.tables import ended_blocks, users
from sekkei_systems.q.design.tables_growth import befriend, invites
from sekkei_systems.q.refusals import InvitesFull, NoSuchThing, Oneself, TakenAlready
from sekkei_systems.q.rules.sight import Relation, is_present
from sekkei_systems.q.service.access import Member
from sekkei_systems.q.service.graph import Outcome
from sekkei_systems.q.service.visibility import Visibility as Sight

GOOD_FOR = timedelta(days=14)
USES = 20
LINKS_MAX = 5
_TOKEN = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Opened:
    """An invite as whoever holds it sees it."""

    invite: Invite
    inviter: User
    relation: Relation


@dataclass
class Invites:
    db: Database
    clock: Clock
    sight: Sight
    settings: Settings

    def __post_init__(self) -> None:
        self.signer = self.settings.secrets.signer("q-invites")

    # Whoever invites

    async def make(self, member: Member) -> tuple[str, Invite]:
        """The link's own part, which is nowhere stored, and the invite."""
        if len(await self.mine(member)) >= LINKS_MAX:
            raise InvitesFull()
        now, token = days.now(self.clock), self.clock.uuid().replace("-", "")
        made = Invite(
            invite_id=self._id(token),
            inviter_id=member.id,
            created_at=now,
            uses_left=USES,
            expires_at=now + GOOD_FOR,
        )
        return token, await self.db.write(invites.create(made).known_by(Invite.invite_id))

    async def mine(self, member: Member) -> list[Invite]:
        found = await self.db.all(design.invites_of(member.id))
        return [one for one in found if self._is_good(one)]

    async def end(self, member: Member, invite_id: str) -> None:
        try:
            await self.db.transact(invites.delete(invite_id).must_exist().when(Invite.inviter_id == member.id))
        except TransactionFailed as failed:
            raise NoSuchThing() from failed

    # Whoever is invited

    async def inviter(self, token: str) -> User | None:
        """Who invites, as somebody sees them who is nobody here yet: for the page that a link opens."""
        found = await self._find(token)
        user = await self.db.get(users(found.inviter_id).consistent()) if found else None
        return self.sight.shown("", user) if user is not None and is_present(user) else None

    async def open(self, member: Member, token: str) -> Opened:
        found = await self._find(token)
        if found is None:
            raise NoSuchThing()
        return Opened(found, *await self.sight.person(member.id, found.inviter_id))

    async def take(self, member: Member, token: str) -> Outcome:
        """Both follow, in one transaction with the use of the link; whose account is private is asked."""
        opened, mark = await self.open(member, token), self._mark(token, member.id)
        try:
            return await self._take(member.user, opened, mark)
        except NoSuchThing:
            # One of the two may have become private at this moment.
            me = await self.db.get(users(member.id).consistent()) or member.user
            return await self._take(me, await self.open(member, token), mark)

    async def _take(self, me: User, opened: Opened, mark: str) -> Outcome:
        inviter = opened.inviter
        if inviter.user_id == me.user_id:
            raise Oneself()
        out, back = await self._ways(me, opened)
        used = self._used(opened.invite, mark)
        try:
            await self.db.transact(used, befriend(me.user_id, inviter.user_id, out, back, days.now(self.clock)))
        except TransactionFailed as failed:
            old = failed.old(used)
            raise (TakenAlready() if old is not None and mark in old.taken else NoSuchThing()) from failed
        return "requested" if out else "following"

    async def _ways(self, me: User, opened: Opened) -> tuple[bool | None, bool | None]:
        """For each way whether it must be asked for; None where they follow already."""
        inviter, relation = opened.inviter, opened.relation
        mine, theirs = await self.db.get_many(
            [
                ended_blocks(me.user_id, inviter.user_id).consistent(),
                ended_blocks(inviter.user_id, me.user_id).consistent(),
            ]
        )
        out = None if relation.follows else inviter.is_private or mine is not None
        back = None if relation.followed else me.is_private or theirs is not None
        return out, back

    def _used(self, found: Invite, mark: str) -> Update[Invite]:
        update = invites.update(found.invite_id).add(Invite.uses_left, -1).add(Invite.taken, {mark})
        return update.when(Invite.uses_left > 0, ~Invite.taken.contains(mark))

    async def _find(self, token: str) -> Invite | None:
        if not _TOKEN.fullmatch(token):
            return None
        found = await self.db.get(invites(self._id(token)).consistent())
        return found if found is not None and self._is_good(found) else None

    def _is_good(self, found: Invite) -> bool:
        return found.uses_left > 0 and found.expires_at > days.now(self.clock)

    def _id(self, token: str) -> str:
        return hashlib.sha256(token.encode()).hexdigest()[:40]

    def _mark(self, token: str, user_id: str) -> str:
        """Who took it, so that nobody else can tell."""
        return self.signer.mark(token, user_id)
