"""What happens when items change: people hear of followers, of requests, and of reactions to their answers."""

from __future__ import annotations

from functools import partial

from sekkei.design import Change, Reactions
from sekkei.runtime.system import Context
from sekkei_systems.q.design.models import Follow, FollowRequest, Reaction
from sekkei_systems.q.design.tables import design, follow_requests, follows, reactions, users
from sekkei_systems.q.rules import notices
from sekkei_systems.q.rules.notices import NoticeKind
from sekkei_systems.q.rules.sight import is_present
from sekkei_systems.q.service import Service


def reactions_of(context: Context, service: Service) -> Reactions:
    heard = Reactions(design, env=context.settings.env)
    db, tell = context.db, service.notices.tell

    @heard.on(follows)
    async def followed(change: Change[Follow]) -> None:
        """Who is followed hears of it; where they were asked and accepted, who asked does."""
        edge = change.new if change.kind == "INSERT" else None
        if edge is None:
            return
        one, other = edge.follower_id, edge.followee_id
        to, about = (one, other) if edge.accepted else (other, one)
        by = await db.get(users(about))
        if by is not None and is_present(by):
            said = partial(notices.accepted if edge.accepted else notices.new_follower, by)
            await tell(to, about, NoticeKind.FOLLOW, said, f"{one}#{other}")

    @heard.on(follow_requests)
    async def asked(change: Change[FollowRequest]) -> None:
        edge = change.new
        by = await db.get(users(edge.follower_id)) if change.kind == "INSERT" and edge is not None else None
        if edge is not None and by is not None and is_present(by):
            reason = f"request#{edge.follower_id}#{edge.followee_id}"
            await tell(edge.followee_id, edge.follower_id, NoticeKind.FOLLOW, partial(notices.new_request, by), reason)

    @heard.on(reactions)
    async def reacted(change: Change[Reaction]) -> None:
        """The first time that somebody reacts to an answer; not when they change their mind."""
        given = change.new
        if given is None or change.kind != "INSERT" or given.reactor_id == given.user_id:
            return
        by = await db.get(users(given.reactor_id))
        if by is not None and is_present(by):
            message = partial(notices.new_reaction, given.day, by, given.reaction_type)
            reason = f"{given.day}#{given.user_id}#{given.reactor_id}"
            await tell(given.user_id, given.reactor_id, NoticeKind.REACTION, message, reason)

    return heard
