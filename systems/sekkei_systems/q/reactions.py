"""What happens when items change: people hear of followers, of requests, of reactions to their answers, and of what
moderators decided."""

from __future__ import annotations

from functools import partial

from sekkei.design import Change, Reactions
from sekkei.runtime.system import Context
from sekkei_systems.q.design.models import Follow, FollowRequest, Reaction, User
from sekkei_systems.q.design.models_added import Notice
from sekkei_systems.q.design.tables import design, follow_requests, follows, reactions, users
from sekkei_systems.q.design.tables_added import notices as notices_kept
from sekkei_systems.q.rules import notices
from sekkei_systems.q.rules.notices import NoticeKind
from sekkei_systems.q.rules.sight import is_present
from sekkei_systems.q.service import Service
from sekkei_systems.q.service.inbox import entry

OFFICIAL = (NoticeKind.DECISION, NoticeKind.OUTCOME)


def reactions_of(context: Context, service: Service) -> Reactions:
    heard = Reactions(design, env=context.settings.env)
    tell = service.notices.tell

    async def shown(to: str, about: str) -> User | None:
        """Whom a notice tells of, as its reader sees them."""
        found = await context.db.get(users(about))
        return service.sight.shown(to, found) if found is not None and is_present(found) else None

    @heard.on(follows)
    async def followed(change: Change[Follow]) -> None:
        """Who is followed hears of it; where they were asked and accepted, who asked does."""
        edge = change.new if change.kind == "INSERT" else None
        if edge is None:
            return
        one, other = edge.follower_id, edge.followee_id
        to, about = (one, other) if edge.accepted else (other, one)
        by = await shown(to, about)
        if by is not None:
            said = partial(notices.accepted if edge.accepted else notices.new_follower, by)
            words, reason = f"notice.{'accepted' if edge.accepted else 'follower'}", f"{one}#{other}"
            told = entry(to, NoticeKind.FOLLOW, words, reason, edge.created_at, about=about, url=f"/q/#/u/{about}")
            await tell(to, about, NoticeKind.FOLLOW, said, reason, told)

    @heard.on(follow_requests)
    async def asked(change: Change[FollowRequest]) -> None:
        edge = change.new if change.kind == "INSERT" else None
        if edge is None:
            return
        to, about = edge.followee_id, edge.follower_id
        by = await shown(to, about)
        if by is not None:
            reason = f"request#{about}#{to}"
            told = entry(
                to, NoticeKind.FOLLOW, "notice.request", reason, edge.created_at, about=about, url="/q/#/people"
            )
            await tell(to, about, NoticeKind.FOLLOW, partial(notices.new_request, by), reason, told)

    @heard.on(reactions)
    async def reacted(change: Change[Reaction]) -> None:
        """The first time that somebody reacts to an answer; not when they change their mind."""
        given = change.new
        if given is None or change.kind != "INSERT" or given.reactor_id == given.user_id:
            return
        to, about = given.user_id, given.reactor_id
        by = await shown(to, about)
        if by is not None:
            message = partial(notices.new_reaction, given.day, by, given.reaction_type)
            reason = f"{given.day}#{to}#{about}"
            emoji, url = {"emoji": given.reaction_type.value}, f"/q/#/a/{given.day}/{to}"
            told = entry(
                to, NoticeKind.REACTION, "notice.reaction", reason, given.created_at, about=about, values=emoji, url=url
            )
            await tell(to, about, NoticeKind.REACTION, message, reason, told)

    @heard.on(notices_kept)
    async def told(change: Change[Notice]) -> None:
        """What moderators decided goes to devices and by mail; the rest went to devices with its cause."""
        if change.kind == "INSERT" and change.new is not None and change.new.kind in OFFICIAL:
            await service.notices.tell_officially(change.new, context.settings.public_url)

    return heard
