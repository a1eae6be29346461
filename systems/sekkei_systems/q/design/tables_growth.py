"""The tables by which people find each other, and their access patterns."""

from __future__ import annotations

from datetime import datetime

from sekkei.design import Action, Index, Key, Query, Ref, Transaction, Update
from sekkei_systems.q.design.models import Follow, FollowRequest, User
from sekkei_systems.q.design.models_growth import Contact, Invite
from sekkei_systems.q.design.tables import blocks, design, ended_blocks, follow_requests, follows, users

invites_table = design.table(
    "Invites",
    "inviteId",
    indexes=[Index("GSI1_Inviter", "inviterId", "createdAt", ja="招待した人別", en="by who invites", added=True)],
    ttl="expiresAt",
    pitr=True,
    ja="招待リンク",
    en="Links that invite",
    added=True,
)
contacts_table = design.table(
    "Contacts", "address", pitr=True, ja="連絡先で見つかる人", en="Who can be found by their address", added=True
)


@invites_table.entity(Invite, ja="招待", en="invite", added=True)
def invites(invite_id: str) -> Key:
    return Key(invite_id)


@contacts_table.entity(Contact, ja="連絡先", en="contact", added=True)
def contacts(address: str) -> Key:
    return Key(address)


invites_by_inviter = invites.index("GSI1_Inviter")
design.relate(users, invites, contacts)


@design.pattern(ja="自分の招待リンク", added=True)
def invites_of(user_id: str) -> Query[Invite]:
    """The links by which somebody invites, oldest first."""
    return invites_by_inviter.where(Invite.inviter_id == user_id)


@design.pattern(ja="招待を開く", added=True)
def invite(invite_id: str) -> Ref[Invite]:
    """One invite."""
    return invites(invite_id)


@design.pattern(ja="アドレスで見つかる人", added=True)
def contact(address: str) -> Ref[Contact]:
    """Who can be found by an address."""
    return contacts(address)


def _here(user_id: str, following: int, followers: int) -> Action[User, object]:
    """Both counters of somebody in one update: DynamoDB takes one action per item. Who is private by now is not
    followed unasked."""
    here = User.is_banned.is_(False) & User.deleting_at.absent()
    here = here & ~User.is_private.is_(True) if followers else here
    if not following and not followers:
        return users.must_exist(user_id).when(here)
    update: Update[User] = users.update(user_id).keeping_version()
    update = update.add(User.following_count, following) if following else update
    return (update.add(User.follower_count, followers) if followers else update).when(here)


def _edge(one: str, other: str, asks: bool, now: datetime) -> list[Action[object, object]]:
    """A follow that settles what was asked before, or a request."""
    if asks:
        return [follow_requests.put(FollowRequest(followee_id=other, follower_id=one, created_at=now))]
    return [
        follows.create(Follow(follower_id=one, followee_id=other, created_at=now)),
        follow_requests.delete(other, one),
        ended_blocks.delete(other, one),
    ]


def befriend(one: str, other: str, out: bool | None, back: bool | None, now: datetime) -> Transaction:
    """Follow each other, unless one blocks the other, is banned or leaves. For each way: whether it must be asked for;
    None where there is nothing to do."""
    follow, follow_back = out is False, back is False
    return Transaction(
        _here(one, int(follow), int(follow_back)),
        _here(other, int(follow_back), int(follow)),
        blocks.must_not_exist(one, other),
        blocks.must_not_exist(other, one),
        *([] if out is None else _edge(one, other, out, now)),
        *([] if back is None else _edge(other, one, back, now)),
    )
