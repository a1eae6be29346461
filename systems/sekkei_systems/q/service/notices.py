"""Telling people something on all their devices, if they want to hear it, and not in their quiet hours."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Database, Put
from sekkei.runtime import days
from sekkei.runtime.outbox import Outbox
from sekkei_systems.q import design
from sekkei_systems.q.design.models import DeviceType, PushToken, User
from sekkei_systems.q.design.models_added import Notice
from sekkei_systems.q.design.tables import blocks, mutes, users
from sekkei_systems.q.refusals import QuietHalf
from sekkei_systems.q.rules.notices import (
    PUSH,
    WEB_PUSH,
    NoticeKind,
    Wishes,
    for_browser,
    is_wanted,
    official,
    official_mail,
    quiet_left,
    wishes_of,
)
from sekkei_systems.q.rules.sight import is_present
from sekkei_systems.q.service.access import Member

AGAIN_AFTER = timedelta(days=7)
LATEST = 30
"""Notices that are looked at before the same is told again."""
Said = Callable[[str], Mapping[str, Any]]
"""A message, given the language."""


@dataclass
class Notices:
    db: Database
    clock: Clock
    outbox: Outbox

    async def wish(self, member: Member, wishes: Wishes) -> Wishes:
        if (wishes.quiet_from is None) != (wishes.quiet_until is None):
            raise QuietHalf(field="quietUntil")
        update = (
            users.update(member.id)
            .set(User.notify_question, wishes.question)
            .set(User.notify_reaction, wishes.reaction)
            .set(User.notify_follow, wishes.follow)
            .set(User.notify_digest, wishes.digest)
            .set(User.quiet_from, wishes.quiet_from)
            .set(User.quiet_until, wishes.quiet_until)
            .set(User.updated_at, days.now(self.clock))
        )
        return wishes_of(await self.db.write(update))

    async def tell(
        self, to: str, about: str, kind: NoticeKind, message: Said, reason: str, inbox: Put[Notice] | None = None
    ) -> int:
        """Tell one user, in their language, what another did; how many devices hear of it. One reason is told once.

        The inbox has it in any case; whether devices ring for it is the user's choice.
        """
        user = await self.db.get(users(to).consistent())
        if user is None or not is_present(user):
            return 0
        # Word of what happened comes a moment later: they may have parted since.
        muted, *apart = await asyncio.gather(
            self.db.get(mutes(to, about).consistent()),
            self.db.get(blocks(to, about).consistent()),
            self.db.get(blocks(about, to).consistent()),
        )
        if muted is not None or any(apart):
            return 0
        if inbox is not None:
            if await self._was_told(inbox.instance):
                return 0
            await self.db.write(inbox)
        if not is_wanted(user, kind):
            return 0
        found = await self.db.all(design.tokens_of(to).consistent())
        for one in found:
            await self.send(user, one, kind, message(user.language), reason, about=about)
        return len(found)

    async def _was_told(self, notice: Notice) -> bool:
        """The same a while ago: nobody rings by doing and undoing it. The very same notice is word that comes twice."""
        latest = await self.db.page(design.notices_of(notice.user_id).consistent(), size=LATEST)
        since = notice.created_at - AGAIN_AFTER
        return any(one.notice_id == notice.notice_id and since < one.created_at < notice.created_at for one in latest)

    async def tell_officially(self, notice: Notice, public_url: str) -> None:
        """Word of what moderators decided: on all devices, and to whom it is about by mail too. Being locked out does
        not keep it from anybody."""
        user = await self.db.get(users(notice.user_id).consistent())
        if user is None:
            return
        for one in await self.db.all(design.tokens_of(user.user_id).consistent()):
            await self.send(user, one, notice.kind, official(notice, user.language), notice.notice_id)
        if notice.kind is NoticeKind.DECISION:
            mail = official_mail(notice, public_url, user.language)
            id = message_id(notice.kind, notice.notice_id, "mail")
            await self.outbox.put("mail", user.email, mail, id=id, people={user.user_id})

    async def send(
        self,
        user: User,
        device: PushToken,
        kind: NoticeKind,
        message: Mapping[str, Any],
        reason: str,
        after: timedelta = timedelta(),
        about: str | None = None,
    ) -> None:
        wait = quiet_left(user, days.now(self.clock)) + after
        people = {user.user_id, about or user.user_id}  # with either of them it goes
        id = message_id(kind, reason, device.token)
        if device.device_type is DeviceType.WEB:
            await self.outbox.put(
                WEB_PUSH, device.token, for_browser(device, message), id=id, after=wait, people=people
            )
            return
        body = {**message, "user": user.user_id}  # whose the device is, is asked again when it goes out
        await self.outbox.put(PUSH, device.token, body, id=id, after=wait, people=people)


def message_id(kind: NoticeKind, reason: str, token: str) -> str:
    """Hashed, so that what was sent does not name people who have left meanwhile."""
    return f"{kind.value}/{hashlib.sha256(f'{reason}#{token}'.encode()).hexdigest()[:40]}"
