"""How people find each other: friends of friends, addresses that one knows, and links that invite."""

from __future__ import annotations

import asyncio
import hashlib
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Action, Database, TransactionFailed, Update
from sekkei.runtime.settings import Settings
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import Contact, Invite, User
from sekkei_systems.q.design.patterns import befriend
from sekkei_systems.q.design.tables import contacts, ended_blocks, invites, users
from sekkei_systems.q.refusals import FindableNeeded, InvitesFull, NoSuchThing, Oneself, TakenAlready, TooManyContacts
from sekkei_systems.q.rules.sight import Relation, is_present, sees_profile
from sekkei_systems.q.service.access import Member
from sekkei_systems.q.service.following import Card, Following, Outcome
from sekkei_systems.q.service.sight import Sight

# Friends of friends: whom one may know, because those whom one follows follow them.


FRIENDS_READ = 6
"""Whose lists are looked at: a few of them, others every day."""
_LIST_READ = 50
_FOLLOWING_READ = 200
_LOOKED_AT = 30
SHOWN = 12


@dataclass(frozen=True, slots=True)
class Suggestion:
    card: Card
    through: int
    """How many of those whom one follows, and whose lists were looked at, follow them."""


@dataclass
class Suggestions:
    db: Database
    clock: Clock
    sight: Sight
    following: Following

    async def show(self, member: Member) -> list[Suggestion]:
        """A bounded number of reads, whatever somebody's circle. Everybody shown passes sight as in any list."""
        known = await self.db.page(design.following(member.id).consistent(), size=_FOLLOWING_READ)
        mine = [one.followee_id for one in known]
        friends = await self._friends(member, mine)
        found = await asyncio.gather(*(self.db.page(design.following(one), size=_LIST_READ) for one in friends))
        through = Counter(edge.followee_id for page in found for edge in page)
        for one in (member.id, *mine):
            through.pop(one, None)
        best = [who for who, _ in sorted(through.items(), key=lambda one: (-one[1], one[0]))[:_LOOKED_AT]]
        cards = await self.following.cards(member.id, best)
        wanted = [one for one in cards if not (one.requested or one.relation.follows or one.relation.mutes)]
        return [Suggestion(one, through[one.user.user_id]) for one in wanted[:SHOWN]]

    async def _friends(self, member: Member, mine: list[str]) -> list[str]:
        """Some whose lists the member may see, the same ones all day."""
        dice = random.Random(f"{member.id}/{days.today(self.clock)}")
        chosen = dice.sample(mine, min(len(mine), FRIENDS_READ))
        people, relations = await asyncio.gather(
            self.sight.users(member.id, chosen), self.sight.relations(member.id, chosen)
        )
        return [one for one in chosen if one in people and sees_profile(member.id, people[one], relations[one])]


# Finding people by addresses that one knows, where both want it.
#
# The address of a person who wants to be found is kept as a keyed hash, so that a copy of the table shows no address.
# Only people who want to be found can ask. They send hashes, and so few a day that nothing can be tried out.


AT_ONCE = 50
A_DAY = 200


def hashed(address: str) -> str:
    """As a client hashes an address before it asks."""
    return hashlib.sha256(address.strip().lower().encode()).hexdigest()


@dataclass
class Contacts:
    db: Database
    clock: Clock
    following: Following
    settings: Settings

    def __post_init__(self) -> None:
        self.signer = self.settings.secrets.signer("q-contacts")

    def keys(self, email: str) -> list[str]:
        """The keys under which an address is found, the current one first."""
        return self.signer.marks(hashed(email))

    async def be_findable(self, member: Member, findable: bool) -> None:
        """Both in one transaction: what the settings show is what is so."""
        keys = self.keys(member.user.email)
        rows: list[Action[Any, Any]] = [contacts.delete(key) for key in keys]
        if findable:
            rows[0] = contacts.put(Contact(address=keys[0], user_id=member.id))
        update = users.update(member.id).set(User.findable, findable).set(User.updated_at, days.now(self.clock))
        await self.db.transact(update, *rows)

    async def find(self, member: Member, hashes: Sequence[str]) -> list[Card]:
        """Those of them who want to be found, as far as sight shows them."""
        if not member.user.findable:
            raise FindableNeeded()
        wanted = list(dict.fromkeys(hashes))[:AT_ONCE]
        await self._spend(member, len(wanted))
        keys = [key for one in wanted for key in self.signer.marks(one)]
        rows = await self.db.get_many(contacts(key).consistent() for key in keys)
        ids = [one.user_id for one in rows if one is not None and one.user_id != member.id]
        return list(await self.following.cards(member.id, ids))

    async def _spend(self, member: Member, count: int) -> None:
        """So many a day, counted where it cannot be forgotten."""
        today = days.today(self.clock)
        spent = users.update(member.id).add(User.contacts_asked, count).keeping_version()
        spent = spent.when(User.contacts_day == today, User.contacts_asked <= A_DAY - count)
        first = users.update(member.id).set(User.contacts_day, today).set(User.contacts_asked, count).keeping_version()
        for attempt in (spent, first.when((User.contacts_day < today) | User.contacts_day.absent())):
            try:
                await self.db.transact(attempt)
                return
            except TransactionFailed:
                continue
        raise TooManyContacts()


# Links that invite: whoever takes one and whoever made it follow each other.
#
# A link is good for two weeks and for twenty people, and can be taken back. What is stored is a hash of it, so that
# nobody can make links of a copy of the table. Making one is the inviter's consent to follow whoever takes it, once.


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
