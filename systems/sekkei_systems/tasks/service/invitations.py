"""Invitations: one open invitation for an address, a token that is stored nowhere, accepted in one transaction.

The token is derived from the server's key, the invitation and a nonce; the table holds its SHA-256 and the nonce. So
neither the table nor its stream gives anything away, and the mailer can make the token again.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Contended, Database, TransactionFailed
from sekkei.design.retries import pause
from sekkei.kit.signing import Signer, same
from sekkei.runtime import days
from sekkei.runtime.design import State
from sekkei.runtime.identifiers import uuid7
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.settings import Settings
from sekkei_systems.tasks.design import (
    Invitation,
    InviteLock,
    Role,
    Team,
    User,
    invitations,
    invitations_of,
    invite_locks,
    one_invitation,
    team_users,
    teams,
    users,
)
from sekkei_systems.tasks.refusals import (
    AlreadyInvited,
    AlreadyMember,
    InvitationOver,
    NoSuchTeam,
    NotYourMail,
    TooLarge,
    Unreachable,
)
from sekkei_systems.tasks.rules.drafts import line_of
from sekkei_systems.tasks.rules.writes import still_open
from sekkei_systems.tasks.service.access import Admin
from sekkei_systems.tasks.service.mail import MailBlocks, email_hash
from sekkei_systems.tasks.service.people import People, Visitor
from sekkei_systems.tasks.service.teams import Teams

LIFE = timedelta(hours=24)
_OPEN_MAX = 100
TRIES_MAX = 5
BOUNCED = "bounced"


@dataclass(frozen=True, slots=True)
class Listed:
    """An invitation and what became of its mail: waiting, sent, failed or bounced."""

    invitation: Invitation
    mail: str


@dataclass
class Invitations:
    db: Database
    clock: Clock
    outbox: Outbox
    settings: Settings
    people: People
    teams: Teams
    blocks: MailBlocks

    @cached_property
    def _signer(self) -> Signer:
        return self.settings.secrets.signer("tasks invitations")

    async def invite(self, admin: Admin, email: str, role: Role) -> Invitation:
        """The mail goes out by the table's stream."""
        team, team_id = await self.teams.get(admin), admin.team_id
        await self._refuse_member(team_id, email)
        await self._refuse_unreachable(email)
        if len(await self.db.all(invitations_of(team_id).consistent())) >= _OPEN_MAX:
            raise TooLarge(most=_OPEN_MAX)
        now, invite_id, nonce = days.now(self.clock), uuid7(self.clock), secrets.token_urlsafe(16)
        made = Invitation(
            team_id=team_id,
            invite_id=invite_id,
            email=email,
            role=role,
            created_at=now,
            expires=now + LIFE,
            invited_by=f"USER#{admin.user_id}",
            token=hashed(self._signer.mark(team_id, invite_id, nonce)),
            team_name=line_of(team.name, 100, "name"),
            nonce=nonce,
        )
        lock = InviteLock(team_id=team_id, email_hash=email_hash(email), invite_id=made.invite_id, expires=made.expires)
        there = still_open(team_id)
        try:
            await self.db.transact(invitations.create(made), invite_locks.create(lock), there)
        except TransactionFailed as failed:
            raise (NoSuchTeam() if failed.failed(there) else AlreadyInvited(field="email")) from failed
        return made

    async def _refuse_member(self, team_id: str, email: str) -> None:
        user = await self.people.by_email(email)
        if user is not None and await self.db.get(team_users(team_id, user.user_id).consistent()) is not None:
            raise AlreadyMember(field="email")

    async def _refuse_unreachable(self, email: str) -> None:
        blocked = await self.blocks.of(email)
        if blocked is not None:
            raise Unreachable(field="email", reason=blocked.reason)

    async def send_again(self, admin: Admin, invite_id: str) -> Invitation:
        """A new token and a new day for it; the token in the first mail is worth nothing any more."""
        team_id = admin.team_id
        found = await self._found(team_id, invite_id)
        await self._refuse_unreachable(found.email)
        nonce = secrets.token_urlsafe(16)
        expires = days.now(self.clock) + LIFE
        renewed = (
            invitations.update(team_id, invite_id)
            .set(Invitation.nonce, nonce)
            .set(Invitation.token, hashed(self._signer.mark(team_id, invite_id, nonce)))
            .set(Invitation.expires, expires)
            .when(Invitation.token == found.token)
        )
        lock = InviteLock(team_id=team_id, email_hash=email_hash(found.email), invite_id=invite_id, expires=expires)
        try:
            await self.db.transact(renewed, invite_locks.put(lock))
        except TransactionFailed as failed:
            raise InvitationOver() from failed
        return await self._found(team_id, invite_id)

    async def revoke(self, admin: Admin, invite_id: str) -> None:
        team_id = admin.team_id
        found = await self._found(team_id, invite_id)
        try:
            await self.db.transact(*ended(found))
        except TransactionFailed as failed:
            raise InvitationOver() from failed  # it was accepted just then, and there may be another

    async def open(self, admin: Admin) -> list[Listed]:
        """What is open, in the order in which it was made, and where each mail stands."""
        found = await self.db.all(invitations_of(admin.team_id).consistent())
        return [Listed(one, await self._mail_state(one)) for one in found]

    async def _mail_state(self, invitation: Invitation) -> str:
        if await self.blocks.of(invitation.email) is not None:
            return BOUNCED
        message = await self.outbox.get(mail_id(invitation))
        return State.QUEUED.value if message is None else message.state.value

    async def look(self, team_id: str, invite_id: str, token: str) -> Invitation:
        """What an invitation says, to whoever holds its token. It ends with its team."""
        found = await self._found(team_id, invite_id)
        if not same(found.token, hashed(token)):
            raise InvitationOver()
        if not await self.is_open(team_id):
            raise InvitationOver()
        return found

    async def is_open(self, team_id: str) -> bool:
        """Whether the team is there and not being deleted."""
        team = await self.db.get(teams(team_id).consistent())
        return team is not None and not team.closing

    async def accept(self, visitor: Visitor, team_id: str, invite_id: str, token: str) -> str:
        """Membership and the end of the invitation together, over both tables; returns the team's id."""
        try:
            found = await self.look(team_id, invite_id, token)
        except InvitationOver:
            # The second click of somebody who is in already is no mistake.
            if await self.db.get(team_users(team_id, visitor.id).consistent()) is not None:
                return team_id
            raise
        if not visitor.verified or (visitor.email or "").casefold() != found.email.casefold():
            raise NotYourMail()
        for attempt in range(TRIES_MAX):
            if await self._join(visitor, found):
                return team_id
            await pause(attempt, self.clock)  # a name was changed just then, and its copy would be the old one
        raise Contended("SK303", f"team {team_id} kept being changed by others")

    async def _join(self, visitor: Visitor, found: Invitation) -> bool:
        """False when the team or the person got another name meanwhile."""
        team_id, now = found.team_id, days.now(self.clock)
        user, team = await self.db.snapshot(users(visitor.id), teams(team_id))
        if user is None or team is None or team.closing:
            raise InvitationOver()
        used = invitations.delete(team_id, found.invite_id).must_exist()
        used = used.when(Invitation.token == found.token, Invitation.expires > now)
        unlock = invite_locks.delete(team_id, email_hash(found.email))
        join = self.teams.join(team_id, team.name, user, found.role)
        same_user = users.must_exist(user.user_id).when(User.name == user.name)
        same_team = self._counted(team, found.role)
        try:
            await self.db.transact(used, unlock, *join, same_user, same_team)
        except TransactionFailed as failed:
            if any(failed.failed(action) for action in join):
                raise AlreadyMember() from failed
            if failed.failed(used):
                raise InvitationOver() from failed
            return False
        return True

    def _counted(self, team: Team, role: Role) -> Action[Any, Any]:
        """The team must still be there, open and of this name; a further admin is counted."""
        still = (Team.name == team.name, Team.closing.absent() | Team.closing.is_(False))
        if role is Role.ADMIN:
            return teams.update(team.team_id).add(Team.admins, 1).when(*still)
        return teams.must_exist(team.team_id).when(*still)

    async def _found(self, team_id: str, invite_id: str) -> Invitation:
        found = await self.db.get(one_invitation(team_id, invite_id))
        if found is None:
            raise InvitationOver()
        return found

    def token_of(self, invitation: Invitation) -> str:
        """What goes into the mail."""
        return self._signer.mark(invitation.team_id, invitation.invite_id, invitation.nonce)


def ended(invitation: Invitation) -> list[Action[Any, Any]]:
    """The end of an invitation, with its own lock and no other's."""
    team_id, invite_id = invitation.team_id, invitation.invite_id
    unlock = invite_locks.delete(team_id, email_hash(invitation.email))
    own = InviteLock.invite_id.absent() | (InviteLock.invite_id == invite_id)
    return [invitations.delete(team_id, invite_id).must_exist(), unlock.when(own)]


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def mail_id(invitation: Invitation) -> str:
    """One mail for one token, however often the stream says so."""
    return f"invitation/{invitation.invite_id}/{invitation.token[:16]}"
