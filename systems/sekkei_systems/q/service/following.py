"""Following, asking to follow, and blocking. Counters move in the transaction of the edge that they count."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any, Literal

from sekkei.clock import Clock
from sekkei.design import Contended, Database, Delete, Page, Query, Transaction, TransactionFailed
from sekkei.design.retries import TRIES_MAX, pause
from sekkei.runtime import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import Block, Follow, FollowRequest, Mute, User
from sekkei_systems.q.design.tables import blocks, ended_blocks, follow_requests, follows, mutes, users
from sekkei_systems.q.refusals import (
    AlreadyFollowing,
    BlockedPair,
    Hidden,
    NoSuchThing,
    NoSuchUser,
    NotFollowing,
    Oneself,
)
from sekkei_systems.q.rules.sight import Relation, is_present, sees_profile
from sekkei_systems.q.service.access import Member
from sekkei_systems.q.service.sight import Sight

_LIST_PAGE = 30
_SETTLED_AT_ONCE = 100
Outcome = Literal["following", "requested"]


@dataclass(frozen=True, slots=True)
class Card:
    """Somebody in a list, and how the viewer stands to them."""

    user: User
    relation: Relation
    requested: bool = False
    """The viewer has asked to follow them."""


@dataclass
class Following:
    db: Database
    clock: Clock
    sight: Sight

    # Following

    async def follow(self, member: Member, other: str) -> Outcome:
        """Follow, or ask to when the account is private."""
        person, relation = await self._other(member.id, other)
        if relation.follows:
            raise AlreadyFollowing()
        if relation.blocks:
            raise BlockedPair()
        if person.is_private or await self.db.get(ended_blocks(member.id, other).consistent()) is not None:
            await self._ask(member.id, other)
            return "requested"
        # They may follow back without asking; and what was asked before, when the account was private, is settled.
        forgiven = Transaction(ended_blocks.delete(other, member.id), follow_requests.delete(other, member.id))
        edge = Follow(follower_id=member.id, followee_id=other, created_at=days.now(self.clock))
        if await self._follow(edge, forgiven):
            return "following"
        await self._ask(member.id, other)
        return "requested"

    async def _other(self, who: str, other: str) -> tuple[User, Relation]:
        if who == other:
            raise Oneself()
        return await self.sight.person(who, other)

    async def _somebody(self, member: Member, other: str) -> None:
        """Another user, in whatever state: nobody can take away one's defences by blocking first."""
        if member.id == other:
            raise Oneself()
        if await self.db.get(users(other).consistent()) is None:
            raise NoSuchUser()

    async def _follow(self, edge: Follow, *before: Transaction) -> bool:
        """False when the account has become private at this moment."""
        transaction = design.follow(edge)
        create, mine, theirs, *_ = transaction.actions
        try:
            await self.db.transact(*before, transaction)
        except TransactionFailed as failed:
            if failed.failed(create):
                raise AlreadyFollowing() from failed
            if failed.failed(mine) or failed.failed(theirs):
                now = await self.db.get(users(edge.followee_id).consistent())
                if is_present(now) and now is not None and now.is_private and not edge.accepted:
                    return False
                raise NoSuchUser() from failed
            if before and failed.failed(before[0].actions[0]):
                raise NoSuchThing() from failed
            raise BlockedPair() from failed
        return True

    async def _ask(self, who: str, other: str) -> None:
        asked = FollowRequest(followee_id=other, follower_id=who, created_at=days.now(self.clock))
        here = User.is_banned.is_(False) & User.deleting_at.absent()
        try:
            await self.db.transact(
                follow_requests.put(asked),
                users.must_exist(other).when(here),
                blocks.must_not_exist(who, other),
                blocks.must_not_exist(other, who),
            )
        except TransactionFailed as failed:
            raise NoSuchUser() from failed

    async def unfollow(self, member: Member, other: str) -> None:
        """Stop following, or take the request back."""
        asked = await self._ended(follow_requests.delete(other, member.id))
        try:
            await self._unfollow(member.id, other)
        except NotFollowing:
            if not asked:
                raise

    async def remove_follower(self, member: Member, follower: str) -> None:
        await self._unfollow(follower, member.id)

    async def _unfollow(self, follower: str, followee: str) -> None:
        """The edge is read first: a ban takes it out of a counter, and that must still be so."""
        for attempt in range(TRIES_MAX):
            edge = await self.db.get(follows(follower, followee).consistent())
            if edge is None:
                raise NotFollowing()
            transaction = design.unfollow(edge)
            try:
                await self.db.transact(transaction)
                return
            except TransactionFailed as failed:
                if not failed.failed(transaction.actions[0]):
                    raise NotFollowing() from failed
                await pause(attempt, self.clock)
        raise Contended("SK303", f"{follower} or {followee} kept being banned and let back in.")

    async def _ended(self, delete: Delete[Any]) -> bool:
        """Whether there was something to end. A transaction, for its token: it knows its own work from another's."""
        try:
            await self.db.transact(delete.must_exist())
        except TransactionFailed:
            return False
        return True

    # Requests

    async def accept(self, member: Member, follower: str) -> None:
        if follower == member.id:
            raise NoSuchThing()  # nobody asks themselves
        await self._accept(member.id, follower)

    async def _accept(self, who: str, follower: str) -> None:
        asked = Transaction(follow_requests.delete(who, follower).must_exist(), ended_blocks.delete(follower, who))
        now = days.now(self.clock)
        await self._follow(Follow(follower_id=follower, followee_id=who, created_at=now, accepted=True), asked)

    async def settle_requests(self, who: str) -> int:
        """The account is public: who has asked follows. A hundred at once; the night does the rest.

        Who blocked the account once waits all the same.
        """
        page = await self.db.page(design.requests_to(who).consistent(), size=_SETTLED_AT_ONCE)
        once = await self.db.get_many([ended_blocks(one.follower_id, who).consistent() for one in page])
        for one, ended in zip(page, once, strict=True):
            if ended is not None:
                continue
            try:
                await self._accept(who, one.follower_id)
            except (AlreadyFollowing, NoSuchUser):
                await self._ended(follow_requests.delete(who, one.follower_id))
            except NoSuchThing:
                pass  # taken back meanwhile
        return len(page)

    async def decline(self, member: Member, follower: str) -> None:
        if not await self._ended(follow_requests.delete(member.id, follower)):
            raise NoSuchThing()

    async def requests(self, member: Member, after: str | None = None) -> Page[Card]:
        """Who asks to follow."""
        page = await self.db.page(design.requests_to(member.id).consistent(), size=_LIST_PAGE, after=after)
        return await self.cards(member.id, [one.follower_id for one in page], page.cursor)

    async def standing(self, member: Member, other: str) -> tuple[bool, bool]:
        """Whether a user has asked to follow another, and whether they mute them."""
        asked, muted = await asyncio.gather(
            self.db.get(follow_requests(other, member.id).consistent()),
            self.db.get(mutes(member.id, other).consistent()),
        )
        return asked is not None, muted is not None

    # Blocking

    async def block(self, member: Member, other: str) -> None:
        """Both follows and both requests end with it. The edges are read first, and must still be so."""
        await self._somebody(member, other)
        edge = Block(blocker_id=member.id, blocked_id=other, created_at=days.now(self.clock))
        for attempt in range(TRIES_MAX):
            out, back = await self.db.get_many(
                [follows(member.id, other).consistent(), follows(other, member.id).consistent()]
            )
            transaction = design.block(edge, out, back)
            requests = Transaction(follow_requests.delete(member.id, other), follow_requests.delete(other, member.id))
            try:
                await self.db.transact(transaction, requests)
                return
            except TransactionFailed as failed:
                if failed.failed(transaction.actions[0]):
                    return  # blocked already
                await pause(attempt, self.clock)
        raise Contended("SK303", f"{member.id} and {other} kept following and unfollowing each other.")

    async def unblock(self, member: Member, other: str) -> None:
        try:
            await self.db.transact(design.unblock(member.id, other, days.now(self.clock)))
        except TransactionFailed as failed:
            raise NoSuchThing() from failed

    async def blocked(self, member: Member, after: str | None = None) -> Page[Card]:
        """Whom a user blocks; the blocked ones are shown, so that they can be let go again."""
        page = await self.db.page(design.blocked(member.id).consistent(), size=_LIST_PAGE, after=after)
        found = await self.sight.users(member.id, [one.blocked_id for one in page])
        cards = [Card(found[one.blocked_id], Relation(blocks=True)) for one in page if one.blocked_id in found]
        return Page(cards, page.cursor)

    # Muting

    async def mute(self, member: Member, other: str) -> None:
        """Out of one's timeline and pushes, and nothing else: the other never learns of it."""
        await self._somebody(member, other)
        await self.db.write(mutes.put(Mute(muter_id=member.id, muted_id=other, created_at=days.now(self.clock))))

    async def unmute(self, member: Member, other: str) -> None:
        if not await self._ended(mutes.delete(member.id, other)):
            raise NoSuchThing()

    async def muted(self, member: Member, after: str | None = None) -> Page[Card]:
        page = await self.db.page(design.muted(member.id).consistent(), size=_LIST_PAGE, after=after)
        return await self.cards(member.id, [one.muted_id for one in page], page.cursor)

    # Lists

    async def following(self, member: Member, user: str, after: str | None = None) -> Page[Card]:
        await self._must_see_lists(member, user)
        return await self._list(member.id, design.following(user), "followee_id", after)

    async def followers(self, member: Member, user: str, after: str | None = None) -> Page[Card]:
        await self._must_see_lists(member, user)
        return await self._list(member.id, design.followers_of(user), "follower_id", after)

    async def _must_see_lists(self, member: Member, user: str) -> None:
        person, relation = await self.sight.person(member.id, user)
        if not sees_profile(member.id, person, relation):
            raise Hidden()

    async def _list(self, viewer: str, query: Query[Follow], side: str, after: str | None) -> Page[Card]:
        page = await self.db.page(query, size=_LIST_PAGE, after=after)
        return await self.cards(viewer, [getattr(one, side) for one in page], page.cursor)

    async def cards(self, viewer: str, ids: list[str], cursor: str | None = None) -> Page[Card]:
        """People as they stand in a list: whom sight forbids is not in it."""
        found, relations, quiet, asked = await asyncio.gather(
            self.sight.users(viewer, ids),
            self.sight.relations(viewer, ids),
            self.sight.muted_by(viewer),
            self.sight.get_many([follow_requests(id, viewer).consistent() for id in ids]),
        )
        requested = {one.followee_id for one in asked if one is not None}
        cards = [
            Card(found[id], replace(relations[id], mutes=id in quiet), id in requested)
            for id in ids
            if id in found and not relations[id].apart
        ]
        return Page(cards, cursor)

    async def mutual(self, member: Member, other: str) -> bool:
        one, back = await self.db.get_many([ref.consistent() for ref in design.mutual(member.id, other)])
        return one is not None and back is not None
