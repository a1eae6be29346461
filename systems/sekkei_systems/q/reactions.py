"""What happens when items change: people hear of followers, of requests, of reactions to their answers, and of what
moderators decided; and the operator's numbers are kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from sekkei.design import Change, Database, Reactions
from sekkei.runtime.settings import Settings
from sekkei.runtime.wiring import Wiring
from sekkei_systems.q.design.models import Answer, Follow, FollowRequest, Notice, Reaction, User
from sekkei_systems.q.design.tables import (
    answers,
    decisions,
    design,
    follow_requests,
    follows,
    profile_reviews,
    reactions,
    reports,
    users,
)
from sekkei_systems.q.design.tables import notices as notices_kept
from sekkei_systems.q.rules import notices
from sekkei_systems.q.rules.notices import OFFICIAL, NoticeKind
from sekkei_systems.q.rules.sight import is_present
from sekkei_systems.q.service.notices import Notices, entry
from sekkei_systems.q.service.numbers import Numbers
from sekkei_systems.q.service.sight import Sight


def reactions_of(wiring: Wiring) -> Reactions:
    telling, counting = wiring.build(Telling), wiring.build(Counting)
    heard = Reactions(design, env=telling.settings.env)
    heard.on(follows)(telling.followed)
    heard.on(follow_requests)(telling.asked)
    heard.on(reactions)(telling.reacted)
    heard.on(notices_kept)(telling.decided)
    heard.on(users)(counting.user)
    heard.on(answers)(counting.answer)
    heard.on(reports)(counting.matter)
    heard.on(profile_reviews)(counting.matter)
    heard.on(decisions)(counting.matter)
    return heard


@dataclass
class Telling:
    """Who hears of it, on their devices and in their inbox."""

    db: Database
    settings: Settings
    sight: Sight
    notices: Notices

    async def _shown(self, to: str, about: str) -> User | None:
        """Whom a notice tells of, as its reader sees them."""
        found = await self.db.get(users(about))
        return self.sight.shown(to, found) if found is not None and is_present(found) else None

    async def followed(self, change: Change[Follow]) -> None:
        """Who is followed hears of it; where they were asked and accepted, who asked does."""
        edge = change.new if change.kind == "INSERT" else None
        if edge is None:
            return
        one, other = edge.follower_id, edge.followee_id
        to, about = (one, other) if edge.accepted else (other, one)
        by = await self._shown(to, about)
        if by is not None:
            said = partial(notices.accepted if edge.accepted else notices.new_follower, by)
            words, reason = f"notice.{'accepted' if edge.accepted else 'follower'}", f"{one}#{other}"
            told = entry(to, NoticeKind.FOLLOW, words, reason, edge.created_at, about=about, url=f"/q/#/u/{about}")
            await self.notices.tell(to, about, NoticeKind.FOLLOW, said, reason, told)

    async def asked(self, change: Change[FollowRequest]) -> None:
        edge = change.new if change.kind == "INSERT" else None
        if edge is None:
            return
        to, about = edge.followee_id, edge.follower_id
        by = await self._shown(to, about)
        if by is not None:
            words, reason, url = "notice.request", f"request#{about}#{to}", "/q/#/people"
            told = entry(to, NoticeKind.FOLLOW, words, reason, edge.created_at, about=about, url=url)
            await self.notices.tell(to, about, NoticeKind.FOLLOW, partial(notices.new_request, by), reason, told)

    async def reacted(self, change: Change[Reaction]) -> None:
        """The first time that somebody reacts to an answer; not when they change their mind."""
        given = change.new
        if given is None or change.kind != "INSERT" or given.reactor_id == given.user_id:
            return
        to, about = given.user_id, given.reactor_id
        by = await self._shown(to, about)
        if by is not None:
            message = partial(notices.new_reaction, given.day, by, given.reaction_type)
            words, reason = "notice.reaction", f"{given.day}#{to}#{about}"
            emoji, url = {"emoji": given.reaction_type.value}, f"/q/#/a/{given.day}/{to}"
            told = entry(to, NoticeKind.REACTION, words, reason, given.created_at, about=about, values=emoji, url=url)
            await self.notices.tell(to, about, NoticeKind.REACTION, message, reason, told)

    async def decided(self, change: Change[Notice]) -> None:
        """What moderators decided goes to devices and by mail; the rest went to devices with its cause."""
        if change.kind == "INSERT" and change.new is not None and change.new.kind in OFFICIAL:
            await self.notices.tell_officially(change.new, self.settings.public_url)


@dataclass
class Counting:
    """The operator's numbers. What is delivered twice is counted once."""

    numbers: Numbers

    async def user(self, change: Change[User]) -> None:
        """Their row says what is counted; most changes of it concern something else."""
        if change.new is not None and change.new.counted_present is not is_present(change.new):
            await self.numbers.presence(change.new.user_id)

    async def answer(self, change: Change[Answer]) -> None:
        await self.numbers.answer(change.sequence, change.old, change.new)

    async def matter(self, change: Change[Any]) -> None:
        await self.numbers.matter(change.entity.table.name, change.sequence, change.old, change.new)
