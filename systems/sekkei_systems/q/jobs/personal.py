"""People who take their data along, or leave with their account: the withdrawal of Q. itself, without its week."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from sekkei.design import Database, Query
from sekkei.runtime.data_subjects import Exported, Obstacle, Person, Personal, as_data
from sekkei_systems.q import design
from sekkei_systems.q.design.tables import profile_images, users
from sekkei_systems.q.jobs.withdrawal import Withdrawal

ABOUT = {
    "ja": "回答・リアクション・フォロー・プロフィールがすべて消えます。"
    "出題された質問は名前なしで残り、アプリIDは誰も使えなくなります。",
    "en": "Your answers, reactions, follows and profile are deleted. Questions of yours that were asked stay without "
    "your name, and nobody can take your app id.",
}
ADMINS_STAY = {
    "ja": "Q. の管理者です。ほかの管理者に権限を外してもらってください。",
    "en": "You are an administrator of Q. Ask another administrator to take that back.",
}

NOT_THEIRS = {
    "following": ("followee_banned", "follower_banned"),
    "followers": ("followee_banned", "follower_banned"),
    "decisions": ("decided_by", "approved_by", "appeal_by", "waits"),
    "reports": ("resolved_by", "seen_text", "seen_picture"),
    "devices": ("auth", "session"),
}
"""Who decided, who else is banned and what somebody wrote who was reported is the moderators' affair. What opens a door
is in no file."""


@dataclass
class QPeople:
    db: Database
    withdrawal: Withdrawal

    def personal(self) -> Personal:
        return Personal(ABOUT, self.export, self.withdrawal.steps(), self.obstacles)

    async def obstacles(self, person: Person) -> Sequence[Obstacle]:
        user = await self.db.get(users(person.user_id).consistent())
        return [Obstacle(ADMINS_STAY, "/admin")] if user is not None and user.is_admin else []

    async def export(self, person: Person) -> AsyncIterator[Exported]:
        user = await self.db.get(users(person.user_id).consistent())
        if user is None:
            return
        yield "profile.json", as_data(user)
        for name, query in self._queries(person.user_id).items():
            rows = [as_data(row, *NOT_THEIRS.get(name, ())) async for row in self.db.each(query)]
            if rows:
                yield f"{name}.json", rows
        picture = await self.db.get(profile_images(person.user_id))
        if picture is not None:
            yield "picture.jpg", picture.content

    def _queries(self, user_id: str) -> dict[str, Query[Any]]:
        return {
            "answers": design.answers_of_user(user_id),
            "reactions": design.reactions_by(user_id),
            "following": design.following(user_id),
            "followers": design.followers_of(user_id),
            "requests": design.requests_of(user_id),
            "blocked": design.blocked(user_id),
            "muted": design.muted(user_id),
            "questions": design.questions_by(user_id),
            "votes": design.votes_of(user_id),
            "reports": design.reports_by(user_id),
            "devices": design.tokens_of(user_id),
            "decisions": design.decisions_about(user_id),
            "notices": design.notices_of(user_id),
            "invites": design.invites_of(user_id),
        }
